// A pattern that the person names: "Plan a recurring cycle with the new subtype daily_health_protocol: …". What is new gets a
// reason made of their own words; whether it is used, a person decides.
import { canonicalPattern } from '#contracts/planning/pattern.ts';
import type { Rfc } from '#contracts/planning/state.ts';
import { listOf, shorten } from '#contracts/words.ts';
import { choosePattern, findPattern, findSubtype } from '../patterns/match.ts';
import { patternRules } from '../patterns/rules.ts';

export type NamedPattern = {
  pattern_type: string;
  subtype: string | null;
  source_pattern: string | null;
  rfc: string | null;
};

type Named = {
  pattern: NamedPattern;
  /** What is asked for besides; quoted parts are hidden as they were. */
  rest: string;
  /** "a recurring cycle", without the verb: names the whole where nothing else does. */
  title: string;
};

const planning =
  '(?:(?:please|can you|could you)\\s+)*(?:plan|draft|design|set up|create|make|build|start|organi[sz]e|prepare)';
const name = '["“\']?([\\p{L}][\\p{L}\\p{N}_-]{1,79})["”\']?';
const subtype = new RegExp(
  `^\\s*${planning}\\s+([^:;\\n]{0,160}?)\\s*[,(]?\\s*(?:with|using|of|as|by|under|in)\\s+(?:the|a|an|our|my)?\\s*(new|proposed)?\\s*(subtype|sub-type|pattern(?:\\s+type)?)\\s+(?:called\\s+|named\\s+)?${name}\\)?\\s*((?:,?\\s*(?:because|since|as)\\s+[^:;\\n]{3,400})?)\\s*(?:[:;,.–—-]\\s*|\\n|$)`,
  'iu',
);
const plain = new RegExp(
  `^\\s*${planning}\\s+(?:an?|the|our|my)\\s+((?:new\\s+)?(?:[\\p{L}-]+\\s+){0,3}(?:project|cycle|arc|transformation|routine|program(?:me)?)(?:\\s+(?:for|of|to)\\s+[^:;\\n]{1,120})?)\\s*:\\s*`,
  'iu',
);

/** What a request names as its pattern, and the rest of it; null: it names none. @param text quoted parts hidden */
export function readNamedPattern(text: string): Named | null {
  const found = subtype.exec(text);
  if (found !== null) {
    const [whole, what = '', isNew, kind = '', raw = '', because = ''] = found;
    const words = raw.replace(/-/g, '_').toLowerCase();
    const base = canonicalPattern(choosePattern(`${what} ${text.slice(whole.length)}`));
    const source = findPattern(stripArticle(what).split(/\s+(?:for|of|to)\s+/)[0] ?? '') ?? base;
    const rest = text.slice(whole.length);
    const title = stripArticle(what);
    const isType = /pattern/i.test(kind);
    if (isNew === undefined)
      return {
        rest,
        title,
        pattern: isType
          ? { ...known(findPattern(words) ?? source) }
          : { ...known(source), subtype: words },
      };
    const rfc = giveReason(words, source, isType, because, rest);
    return {
      rest,
      title,
      pattern: isType
        ? { pattern_type: `proposed:${words}`, subtype: null, source_pattern: source, rfc }
        : { pattern_type: source, subtype: `proposed:${words}`, source_pattern: source, rfc },
    };
  }
  const header = plain.exec(text);
  const title = header?.[1];
  if (header === null || title === undefined) return null;
  const source =
    findPattern(title.split(/\s+(?:for|of|to)\s+/)[0] ?? '') ??
    canonicalPattern(choosePattern(text));
  return { pattern: known(source), rest: text.slice(header[0].length), title };
}

function known(pattern_type: string): NamedPattern {
  return { pattern_type, subtype: null, source_pattern: null, rfc: null };
}

function stripArticle(text: string): string {
  return text.trim().replace(/^(?:an?|the|our|my)\s+/i, '');
}

/** Why what is known does not do, in the words that there are. */
function giveReason(
  words: string,
  source: ReturnType<typeof canonicalPattern>,
  isType: boolean,
  because: string,
  rest: string,
): string {
  const rules = patternRules[source];
  const reason = because.trim().replace(/^,?\s*(?:because|since|as)\s+/i, '');
  const others = isType
    ? listOf(Object.keys(patternRules).map((one) => one.replaceAll('_', ' ')))
    : listOf(Object.keys(rules.subtypes).map((one) => one.replaceAll('_', ' ')));
  const work = shorten(
    rest
      .replace(/[\uE000-\uF8FF]/g, '…')
      .replace(/\s+/g, ' ')
      .trim(),
    300,
  );
  return [
    `${words} is named in the request as a new ${isType ? 'pattern' : `subtype of ${rules.title}`}.`,
    reason === '' ? '' : `The reason given: ${shorten(reason, 400)}.`,
    `The known ones are ${others}; none has this name.`,
    work === '' ? '' : `The work it would cover: ${work}`,
    `Until it is approved, the rules of ${rules.title} hold.`,
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

/** The same pattern after a person refused what was proposed; what they said instead, where they said it. */
export function withoutRefused(pattern: NamedPattern, rfc: Rfc | null, said: string): NamedPattern {
  const proposes = pattern.subtype ?? pattern.pattern_type;
  if (rfc?.status !== 'rejected') return pattern;
  const source = pattern.source_pattern ?? pattern.pattern_type;
  const other = readWished(said, source);
  if (other !== null && other.subtype !== rfc.proposes && other.pattern_type !== rfc.proposes)
    return other;
  return rfc.proposes === proposes || rfc.proposes === pattern.pattern_type
    ? known(source)
    : pattern;
}

/** "call it weekly_review", "use the subtype habit_loop", "make it the new subtype x". */
function readWished(said: string, source: string): NamedPattern | null {
  const found = new RegExp(
    `(?:call|name)\\s+it\\s+${name}|(?:use|take|make it)\\s+(?:the\\s+)?(?:(?:new\\s+)?subtype\\s+)?${name}`,
    'iu',
  ).exec(said);
  const raw = (found?.[1] ?? found?.[2])?.replace(/-/g, '_').toLowerCase();
  if (raw === undefined || /^(?:an?|the|known|one|no|none|something)$/.test(raw)) return null;
  const type = findPattern(source) ?? 'milestone_project';
  const near = findSubtype(type, raw);
  if (near !== null) return { ...known(source), subtype: near };
  return {
    pattern_type: source,
    subtype: `proposed:${raw}`,
    source_pattern: source,
    rfc: giveReason(raw, type, false, `it was asked for instead: ${said}`, ''),
  };
}
