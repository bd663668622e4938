// Texts in a command. Quoted text is taken as it is. Other text is taken only where nothing in it may be a command, a
// condition, a time or a place: what may be meant otherwise is asked about.
import { shorten } from '#domain/words.ts';
import type { Text } from './command.ts';
import type { Reading, Span } from './match.ts';
import { readPeople } from './people.ts';
import { numberWords, readMoment, readRule, type TimeProblem } from './times.ts';
import type { Token } from './tokens.ts';
import { readZone } from './zones.ts';

export type TextProblem =
  | TimeProblem
  | { kind: 'exact' | 'content' | 'whole' | 'time'; words: string };

const pronoun =
  /^(?:it|that|them|the (?:result|response|answer|output|page|content|contents|text)(?: of it)?|its (?:content|contents|text))$/i;
const ownName = /^(?:its|their|his) (?:own )?(?:file ?)?names?$/i;
const contents = /^(?:the )?(?:contents?|text) of (\S+)$|^what (\S+) (?:says|contains)$/i;
const setOf = (words: string) => new Set(words.split(' '));
/** What begins a description rather than a text, or belongs to the verb: "write down". */
const describes = setOf(
  'the a an some any my our their his her your what exactly whatever all every each how nothing something it its that this these those them me us down up out off also please maybe perhaps',
);
const possessive = /(?<!^(?:it|that|let|here|there|he|she))'s$/;
/** Words that may tie a text to something else, where nothing introduced it: "post hello in Slack". */
const ties = setOf('to in on at with for from of about into by as via that which who or');
/** Words behind which something else may be meant than text. */
const doubtful = setOf(
  'then afterwards once unless until whenever otherwise instead only except overwrite overwriting replacing respectively',
);
/** "hello, no wait, goodbye": one text is taken back for another. */
const correction =
  /(?:[,;–—]|\s-)\s*(?:no|wait|sorry|actually|rather|or rather|i mean(?:t)?|correction|scratch that|make that)(?![\p{L}'’])/iu;
/** "3 items", "five times": how many of what is not said. */
const counted = /^(?:times|lines?|items?|things?|words?|entries|points?|copies)$/;
/** Words at the end that may be said of the command. */
const closing = setOf('now asap immediately later soon again twice please pls thanks everywhere');

/** More belongs in front of these, or behind them. */
const dangling = /^(?:and|or|but)\s|\s(?:and|or|but|for|with|from|of|the|an?)$/i;

/** In front of a request that is put as a question. */
const politely = /\b(?:can|could|will|would) (?:you|u)\b/i;

/** How a text is introduced: by nothing, by "saying", or by the name of the person whom it is for. */
export type Introduction = 'none' | 'marker' | 'person';

export function readText(
  given: Span,
  reading: Reading,
  introduced: Introduction,
): { text: Text } | { problem: TextProblem } {
  if (given.quoted) return { text: { kind: 'literal', text: given.text } };
  const words = given.text;
  if (ownName.test(words)) return { text: { kind: 'own name' } };
  const from = contents.exec(words);
  const path = from?.[1] ?? from?.[2];
  if (path !== undefined)
    return { text: { kind: 'content', path: path.replace(/^["“]|["”]$/g, '') } };
  // Of several results only the last is at hand.
  if (pronoun.test(words))
    return reading.focus.output && words.toLowerCase() !== 'them'
      ? { text: { kind: 'output' } }
      : { problem: { kind: 'content', words } };
  // "saying Stop!": the mark may be the text's or the sentence's.
  const mark = given.to === reading.end ? reading.tokens[given.to]?.text : undefined;
  const before = reading.source.slice(0, reading.tokens[given.from]?.start);
  const isOpen =
    mark === '!' || (mark === '?' && !politely.test(before.split(/[.!?\n]/).at(-1) ?? ''));
  if (introduced !== 'person' && isOpen)
    return { problem: { kind: 'exact', words: `${words}${mark}` } };
  return findDoubt(given, reading, introduced) ?? { text: { kind: 'literal', text: words } };
}

export function findDoubt(
  { from, to, text }: Span,
  reading: Reading,
  introduced: Introduction,
): { problem: TextProblem } | null {
  const { tokens } = reading;
  const exact = { problem: { kind: 'exact' as const, words: text } };
  const first = tokens[from];
  const value = (at: number) => (at < to ? (tokens[at]?.value ?? '') : '');
  const [plain, dictated] = [introduced === 'none', introduced === 'person'];
  if (first === undefined) return null;
  const isCount = first.kind === 'number' || numberWords.includes(first.value);
  const isDescribed =
    describes.has(first.value) ||
    possessive.test(first.value) ||
    first.kind === 'path' ||
    (tokens[from - 1]?.value === 'with' && isCount && to - from > 1);
  const isTimed = readMoment(reading, from) !== null || readRule(reading, from) !== null;
  if ((plain && (isDescribed || isTimed)) || correction.test(text)) return exact;
  if (dangling.test(text)) return exact;
  const ends =
    (to - from > 1 && closing.has(value(to - 1))) ||
    /^[,–—-]$/.test(value(to - 1)) ||
    /\bfor me$/i.test(text);
  if (!dictated && (ends || /^(?:today's|exactly)$/.test(first.value))) return exact;
  for (let at = from; at < to; at += 1) {
    const token = tokens[at];
    if (token === undefined) continue;
    // Quoted text beside other words, or another file: more than one thing is said.
    if (!dictated && (token.kind === 'quote' || (token.kind === 'path' && at > from))) return exact;
    if (token.kind === 'quote') continue;
    if (/^["“”„«»]$/.test(token.text)) return exact;
    const next = value(at + 1);
    const isCondition =
      doubtful.has(token.value) ||
      (!dictated &&
        /^(?:don't|do|but)$/.test(token.value) &&
        (next === 'not' || token.value === "don't")) ||
      (token.kind === 'number' && next === ')') ||
      (token.value === 'if' && at > from) ||
      (token.value === 'before' && /^(?:you|we|i|it)$/.test(next)) ||
      (token.value === 'as' && next === 'soon') ||
      (token.value === 'provided' && next === 'that') ||
      (/^(?:after|when|before|while)$/.test(token.value) && hasVerbOfPerson(tokens, at, to)) ||
      (token.value === 'and' && /^(?:save|also|if|when|store|keep)$/.test(next));
    const isPlace =
      token.kind === 'channel' ||
      (token.text === '@' && tokens[at + 1]?.start === token.end) ||
      (!dictated && /^(?:folder|directory)$/.test(token.value));
    const marks = /^(?:saying|containing)$/.test(token.value) && at > from;
    const isTied = plain && ties.has(token.value);
    const isCounted =
      !dictated &&
      (token.kind === 'number' || numberWords.includes(token.value)) &&
      counted.test(next);
    if (isCondition || isPlace || marks || isTied || isCounted) return exact;
    if (hasZone(reading, at, token)) return exact;
    if (/^(?:and|,)$/.test(token.value) && namesAnother(reading, at + 1, to, dictated))
      return exact;
  }
  return hasTime(reading, from, to, introduced) ? exact : null;
}

/** "… and Ben to call Zoe", where a person was asked; "… and lock it", where it is the text of a file. */
function namesAnother(reading: Reading, at: number, to: number, dictated: boolean): boolean {
  const after = dictated ? (readPeople(reading, at)?.next ?? to) : at + 1;
  const next = after < to ? (reading.tokens[after]?.value ?? '') : '';
  return (dictated ? /^(?:to|whether)$/ : /^(?:it|them|this|that)$/).test(next);
}

function hasVerbOfPerson(tokens: readonly Token[], at: number, to: number): boolean {
  const verbs = /^(?:has|have|is|are|says|said|confirms|approves|replies|answers|did|done)$/;
  return tokens.slice(at + 1, Math.min(to, at + 6)).some(({ value }) => verbs.test(value));
}

/** A zone stands behind a time of day. */
function hasZone({ source, tokens, timezone }: Reading, at: number, token: Token): boolean {
  const next = tokens[at + 1];
  const isClock =
    token.kind === 'number' &&
    (/[:apm]/.test(token.value) || /^(?:at|@)$/.test(tokens[at - 1]?.value ?? ''));
  return (
    isClock &&
    next !== undefined &&
    next.kind !== 'quote' &&
    readZone(source, next.start, timezone) !== null
  );
}

/** Times that end the text may be meant for the command; a bare time of day only where nothing introduced the text. */
function hasTime(reading: Reading, from: number, to: number, introduced: Introduction): boolean {
  for (let at = Math.max(from + 1, to - 12); at < to; at += 1) {
    const moment = readMoment(reading, at);
    if (moment?.next === to && !(introduced !== 'none' && moment.value.bare)) return true;
    if (readRule(reading, at)?.next === to) return true;
  }
  return false;
}

/** A day, or something that comes again, anywhere in the text. */
export function holdsDate(reading: Reading, { from, to }: Span): boolean {
  for (let at = from; at < to; at += 1)
    if (readMoment(reading, at)?.value.bare === false || readRule(reading, at) !== null)
      return true;
  return false;
}

export function describeProblem(
  { kind, words }: TextProblem,
  clause: string,
  timezone: string,
): string {
  const said = `"${shorten(words, 80)}"`;
  switch (kind) {
    case 'exact':
      return `Is ${said} only text, or is there more to do? Say it again with the exact text in quotation marks.`;
    case 'whole':
      return `Where is ${words}? Say it again with the whole path of each file.`;
    case 'content':
      return `What is meant by ${said} in "${shorten(clause, 80)}"? Say it again with the text in quotation marks.`;
    case 'hour':
      return `Is ${said} in the morning or in the afternoon? Say it again, such as 15:00.`;
    case 'date':
      return `Which day is ${said}? Say it again, such as 1 December${/midnight/i.test(words) ? ' at 0:00' : ''}.`;
    case 'zone':
      return `When is ${said} in ${timezone}? Say it again with the time there, such as 15:00.`;
    case 'past':
      return `${said} is past. When should it be instead? Say it again with another time.`;
    case 'time':
      return `Is ${said} the time to do it, or part of the text? Say it again with the text in quotation marks.`;
    default:
      return kind satisfies never;
  }
}
