// Feedback that changes paths, names and texts: "use X instead of Y", "it should say X", "move it to X instead".
import { readContent } from '../content.ts';
import { familyOf } from '../families.ts';
import { folderOf, resolveDestination, tidyPath } from '../paths.ts';
import type { Role } from '../schema-fields.ts';
import { shield, unshield } from '../shield.ts';
import { findMeant } from './meant-steps.ts';
import { type Rule, readValue, roleName, setArgs, type Working } from './work.ts';

const replacePatterns = [
  /^(?:use|take|make it|choose|i(?:['’]d)? (?:want|prefer)|with|(?:call|name|rename|move|put|save|place|copy|write)\s+(?:it|them|the files?)(?:\s+(?:to|in|into|under|as))?)?\s*([\s\S]+?)\s+instead\s+of\s+([\s\S]+)$/i,
  /^(?:instead\s+of)\s+([\s\S]+?),?\s+(?:use|take|write|make it|put)\s+([\s\S]+)$/i,
  /^(?:replace|swap|substitute)\s+([\s\S]+?)\s+(?:with|by|for)\s+([\s\S]+)$/i,
  /^(?:rename|change|turn)\s+([\s\S]+?)\s+(?:to|into|as)\s+([\s\S]+)$/i,
  /^([\s\S]+?)\s+should\s+be\s+(?:called\s+|named\s+)?([\s\S]+)$/i,
];

export const replaceValue: Rule = (work, part) => {
  for (const [index, pattern] of replacePatterns.entries()) {
    const match = pattern.exec(part);
    if (!match?.[1] || !match[2]) continue;
    const [before, after] = index === 0 ? [match[2], match[1]] : [match[1], match[2]];
    const old = readValue(
      before.replace(/^(?:the\s+)?(?:file|folder|name|text|words?)\s+(?=\S)/i, ''),
    );
    const next = readValue(after.replace(/^(?:the\s+)?(?:file|folder)\s+(?=\S)/i, ''));
    const replaced = replaceEverywhere(work, old, next);
    if (replaced) return { work: replaced };
  }
  return null;
};

/** Replaces a path or words wherever literal arguments have them; null when none has. */
function replaceEverywhere(work: Working[], old: string, next: string): Working[] | null {
  if (old === '' || old === next) return null;
  const isPath = /[./]/.test(old);
  let found = false;
  const swap = (value: string): string => {
    if (value === old) return next;
    if (isPath && tidyPath(value) === tidyPath(old)) return tidyPath(next);
    if (value.startsWith(`${tidyPath(old)}/`))
      return `${tidyPath(next)}/${value.slice(tidyPath(old).length + 1)}`;
    if (isPath)
      return value.split('/').at(-1) === old
        ? [...value.split('/').slice(0, -1), next].join('/')
        : replaceWords(value, old, next);
    return replaceWords(value, old, next);
  };
  const result = work.map((item) => {
    const entries = Object.entries(item.draft.args ?? {}).map(
      ([key, value]) => [key, typeof value === 'string' ? swap(value) : value] as const,
    );
    const args = Object.fromEntries(entries);
    if (JSON.stringify(args) === JSON.stringify(item.draft.args ?? {})) return item;
    found = true;
    return setArgs(item, args);
  });
  return found ? result : null;
}

function replaceWords(value: string, old: string, next: string): string {
  const escaped = old.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return value.replace(
    new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`, 'giu'),
    () => next,
  );
}

export const changeText: Rule = (work, part) => {
  const match =
    /^(?:change|set|make)\s+(?:the\s+|its\s+)?(?:text|contents?|message|words?|wording|body)(?:\s+(?:of|in)\s+([\s\S]+?))?\s+(?:to|into|as)\s*:?\s+([\s\S]+)$/i.exec(
      part,
    ) ??
    /^(?:the\s+|its\s+)?(?:text|contents?|message)(?:\s+(?:of|in)\s+([\s\S]+?))?\s+should\s+(?:be|say|read)\s*:?\s+([\s\S]+)$/i.exec(
      part,
    ) ??
    /^(?:make|let|have)\s+(it|them|[\s\S]+?)\s+(?:say|read|contain)\s*:?\s+([\s\S]+)$/i.exec(
      part,
    ) ??
    /^(it|they|[^\s]+)\s+(?:should|must)\s+(?:say|read|contain)\s*:?\s+([\s\S]+)$/i.exec(part) ??
    /^()(?:say|write|post)\s+([\s\S]+?)\s+instead$/i.exec(part);
  if (!match?.[2]) return null;
  const where = (match[1] ?? '').trim();
  const shielded = shield(match[2].replace(/\s+instead$/i, ''));
  const content = readContent(shielded.text, shielded);
  const text = content.kind === 'text' ? content.text : unshield(shielded.text, shielded.quotes);
  const texts = work.filter((item) => textName(item) !== undefined);
  const meant = where === '' || /^(?:it|they|them)$/i.test(where) ? texts : findMeant(texts, where);
  if (meant.length === 0) return null;
  if (meant.length > 1 && !/^(?:they|them)$/i.test(where)) {
    const names = meant.map((item) => item.draft.target ?? item.draft.id);
    return {
      unclear: `Which text should change: ${names.slice(0, -1).join(', ')} or ${names.at(-1)}?`,
    };
  }
  return {
    work: work.map((item) =>
      meant.includes(item)
        ? setArgs(item, { ...item.draft.args, [textName(item) ?? 'text']: text })
        : item,
    ),
  };
};

/** The argument that holds a step's own words. */
function textName(item: Working): string | undefined {
  const family = item.spec && familyOf(item.spec);
  const role: Role | undefined =
    family === 'write'
      ? 'content'
      : family === 'post' || family === 'remind'
        ? 'text'
        : family === 'ask'
          ? 'question'
          : undefined;
  const name = role && roleName(item, role);
  return name !== undefined && typeof item.draft.args?.[name] === 'string' ? name : undefined;
}

/** "call it b.txt", "put it in docs/ instead", "to docs/ instead". */
export const changePlace: Rule = (work, part) => {
  // What is to be replaced is named: that is a replacement, wherever it stands.
  if (/\sinstead\s+of\s/i.test(part)) return null;
  const name =
    /^(?:call|name|rename)\s+(?:it|the file)\s+(?:to\s+|as\s+)?([\s\S]+?)(?:\s+instead)?$/i.exec(
      part,
    )?.[1] ?? /^save it as\s+([\s\S]+?)(?:\s+instead)?$/i.exec(part)?.[1];
  if (name !== undefined) {
    const last = work.findLast(
      (item) => item.spec && ['write', 'move', 'copy'].includes(familyOf(item.spec) ?? ''),
    );
    const role = last && (roleName(last, 'to') ?? roleName(last, 'path'));
    const old = role === undefined ? undefined : last?.draft.args?.[role];
    if (typeof old !== 'string') return null;
    const value = readValue(name);
    const next = value.includes('/') ? value : [folderOf(old), value].filter(Boolean).join('/');
    const replaced = replaceEverywhere(work, old, next);
    return replaced && { work: replaced };
  }
  const place =
    /^(?:(?:move|put|save|place|copy|write)\s+(?:it|them|the files?)\s+)?(?:to|in|into|under)\s+([\s\S]+?)\s+instead$/i.exec(
      part,
    )?.[1] ?? /^(?:move|put)\s+(?:it|them)\s+(?:to|in|into)\s+([\s\S]+)$/i.exec(part)?.[1];
  if (place === undefined) return null;
  const target = readValue(place.replace(/^the\s+/i, '').replace(/\s+(?:folder|directory)$/i, '/'));
  const moves = work.filter(
    (item) => item.spec && ['move', 'copy'].includes(familyOf(item.spec) ?? ''),
  );
  const meant =
    moves.length > 0 ? moves : work.filter((item) => item.spec && familyOf(item.spec) === 'write');
  if (meant.length === 0 || (moves.length === 0 && !/instead$/i.test(part))) return null;
  return {
    work: work.map((item) => {
      if (!meant.includes(item)) return item;
      const [from, to] = [
        roleName(item, moves.length > 0 ? 'from' : 'path'),
        roleName(item, moves.length > 0 ? 'to' : 'path'),
      ];
      const source = from === undefined ? undefined : item.draft.args?.[from];
      if (to === undefined || typeof source !== 'string') return item;
      return setArgs(item, { ...item.draft.args, [to]: resolveDestination(source, target) });
    }),
  };
};
