// Which steps a person means by "step 2", "the last step", "the move" or a path, and leaving them out.
import { referencesOf } from '#contracts/arguments.ts';
import { type Family, familyOf } from '../families.ts';
import { type Rule, removeWork, type Working } from './work.ts';

const ordinalWords = [
  'first',
  'second',
  'third',
  'fourth',
  'fifth',
  'sixth',
  'seventh',
  'eighth',
  'ninth',
  'tenth',
];

const familyWords: Partial<Record<Family, RegExp>> = {
  write: /\b(?:writ|creat|sav)/i,
  move: /\b(?:mov|renam|archiv)/i,
  copy: /\bcop/i,
  delete: /\b(?:delet|remov|eras)/i,
  list: /\blist/i,
  read: /\bread/i,
  post: /\b(?:post|message|announce)/i,
  remind: /\bremind/i,
  ask: /\bask|\bquestion/i,
  fetch: /\b(?:fetch|download)/i,
  request: /\brequest|\bcall/i,
  calendar_add: /\bcalendar|\bevent|\bmeeting/i,
  make_folder: /\bfolder|\bdirectory/i,
  wait: /\bwait|\bpause/i,
};

/** The steps that words such as "step 2", "the last step", "the move", "a.txt" mean. */
export function findMeant(work: Working[], text: string): Working[] {
  const numbers = /\bsteps?\s+(\d+(?:\s*(?:,|and|&|or)\s*(?:step\s+)?\d+)*)/i
    .exec(text)?.[1]
    ?.match(/\d+/g);
  if (numbers) {
    const byId = numbers.flatMap((number) => work.filter((item) => item.draft.id === number));
    return byId.length === numbers.length
      ? byId
      : numbers.flatMap((number) => work[Number(number) - 1] ?? []);
  }
  const place = new RegExp(
    `\\b(${ordinalWords.join('|')}|last|\\d+(?:st|nd|rd|th))\\s+(?:step|one)\\b`,
    'i',
  )
    .exec(text)?.[1]
    ?.toLowerCase();
  if (place !== undefined) {
    const index =
      place === 'last'
        ? work.length - 1
        : ordinalWords.includes(place)
          ? ordinalWords.indexOf(place)
          : Number.parseInt(place, 10) - 1;
    const item = work[index];
    return item ? [item] : [];
  }
  const named = work.filter((item) =>
    Object.values(item.draft.args ?? {}).some(
      (value) => typeof value === 'string' && value.length > 2 && text.includes(value),
    ),
  );
  const families = (Object.keys(familyWords) as Family[]).filter((family) =>
    familyWords[family]?.test(text),
  ); // keys of a table of families
  const kind = work.filter((item) => {
    const family = item.spec && familyOf(item.spec);
    return family !== null && families.includes(family);
  });
  if (named.length > 0 && kind.length > 0) {
    const both = named.filter((item) => kind.includes(item));
    return both.length > 0 ? both : [];
  }
  return kind.length > 0 ? kind : named;
}

export const removeSteps: Rule = (work, part) => {
  const match =
    /^(?:without|skip|omit|leave out|drop|remove|delete|cut|no need (?:for|to)|forget(?: about)?|cancel|(?:do not|don['’]?t)(?: do)?|no)\s+([\s\S]+)$/i.exec(
      part,
    ) ??
    /^([\s\S]+?)\s+(?:is|are) not (?:needed|necessary)$/i.exec(part) ??
    /^leave\s+([\s\S]+?)\s+out$/i.exec(part);
  const what = match?.[1];
  if (what === undefined) return null;
  // "delete a.txt" is a new step; "remove step 2" and "drop the move" take one away.
  if (
    /^(?:delete|remove|cancel)\b/i.test(part) &&
    !/\bsteps?\b|\bone\b|^(?:\S+\s+)the\s+(?!file\b)/i.test(part)
  )
    return null;
  const gone = findMeant(work, what);
  if (gone.length === 0)
    return /\bstep/i.test(what)
      ? { unclear: `There is no such step; the plan has ${work.length}. Which one should go?` }
      : null;
  const ids = new Set(gone.map((item) => item.draft.id));
  const bound = work.find(
    (item) =>
      !ids.has(item.draft.id) &&
      referencesOf(item.draft.args ?? {}).some((reference) => ids.has(reference.$from)),
  );
  if (bound) {
    const steps = [...ids, bound.draft.id].join(' and ');
    return {
      unclear: `Step ${bound.draft.id} needs what a removed step gives. Say "without steps ${steps}" to leave out both?`,
    };
  }
  return { work: removeWork(work, ids) };
};
