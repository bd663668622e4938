// Reads a reply by the type of the slot it answers.
import { type Json, parseJson } from '#domain/text.ts';
import { trimTail } from '#domain/words.ts';
import { readSpan, readWhen, type When, type Words } from '#timeline/spoken-times.ts';
import type { SlotType } from './forms.ts';
import { isAddress, isFile, isPlace } from './match.ts';
import { type Token, tokenize } from './tokens.ts';

export type Setting = Pick<Words, 'now' | 'timezone'>;
export type Question = { id: string; text: string; options?: string[] };

const leads =
  /^(?:please\s+)?(?:it should (?:say|contain|be)|(?:the )?(?:text|content|message|question|answer|value|file|name)(?: is| should (?:be|say))?\s*:|(?:the )?(?:text|content|message|question|value|file|name) (?:is|should (?:be|say)))\s*:?\s+/i;

function only(tokens: Token[], isMeant: (token: Token) => boolean): string | null {
  const found = new Set(tokens.filter(isMeant).map(({ text }) => text));
  const [one] = found;
  return found.size === 1 && one !== undefined ? one : null;
}

function readTextReply(reply: string): string {
  const input = reply.trim();
  const [quote, ...more] = tokenize(input).filter(({ kind }) => kind === 'quote');
  return quote !== undefined && more.length === 0 ? quote.text : input.replace(leads, '');
}

export function readWhenReply(reply: string, setting: Setting): When | null {
  const words: Words = { source: reply, tokens: tokenize(reply), ...setting };
  const plain = /^(?:at\s+)?(\d{1,2})$/i.exec(trimTail(reply.trim(), /[\s.!]/))?.[1];
  if (plain !== undefined) return readWhenReply(`at ${plain}:00`, setting);
  const found: When[] = [];
  for (let at = 0; at < words.tokens.length; ) {
    const read = readWhen(words, at);
    if (read !== null) found.push(read.value);
    at = read?.next ?? at + 1;
  }
  return found.length === 1 ? (found[0] ?? null) : null;
}

/** By most of its name; null unless exactly one matches. */
export function readChoice(reply: string, choices: readonly string[]): string | null {
  const input = trimTail(reply.trim().toLowerCase(), /[.!]/);
  const number = /^(?:number |option )?(\d{1,2})$/.exec(input)?.[1];
  const exact = choices.find((one) => one.toLowerCase() === input);
  if (exact !== undefined) return exact;
  const isEarly = /\b(?:morning|am|a\.m)\b/.test(input);
  const isHalf = isEarly || /\b(?:afternoon|evening|night|pm|p\.m)\b/.test(input);
  const isMeant = (one: string) =>
    /^\d{1,2}:\d\d$/.test(one) && Number(one.split(':')[0]) < 12 === isEarly;
  const timed = isHalf ? choices.filter(isMeant) : [];
  if (timed.length === 1 && choices.length === 2) return timed[0] ?? null;
  if (number !== undefined) return choices[Number(number) - 1] ?? null;
  const wordsOf = (text: string) => text.toLowerCase().split(/[^\p{L}\p{N}:-]+/u);
  const words = new Set(wordsOf(input));
  const scores = choices.map((one) => wordsOf(one).filter((word) => words.has(word)).length);
  const best = Math.max(...scores);
  const at = scores.indexOf(best);
  return best > 0 && scores.lastIndexOf(best) === at ? (choices[at] ?? null) : null;
}

export function readReply(reply: string, type: SlotType, setting: Setting): Json | undefined {
  const input = trimTail(reply.trim(), /[.!]/);
  const tokens = tokenize(input);
  const isQuote = ({ kind }: Token) => kind === 'quote';
  const isWord = tokens.length === 1 && !/^(?:yes|no|ok|okay|sure|yep|nope)$/i.test(input);
  const alone = isWord ? tokens[0]?.text : undefined;
  switch (type) {
    case 'text':
    case 'rest':
      return readTextReply(reply);
    case 'file':
    case 'target':
    case 'folder':
      return alone ?? only(tokens, isQuote) ?? only(tokens, isFile) ?? undefined;
    case 'address':
      return only(tokens, ({ text }) => isAddress(text)) ?? undefined;
    case 'place':
      return only(tokens, isPlace) ?? undefined;
    case 'person': {
      if (/^(?:me|myself)$/i.test(input)) return null;
      const named = only(tokens, ({ text }) => /^@\S/.test(text)) ?? only(tokens, isQuote);
      const capital = only(tokens.slice(1), ({ text }) => /^\p{Lu}\p{L}*$/u.test(text));
      return (named ?? alone ?? capital)?.replace(/^@/, '') ?? undefined;
    }
    case 'span': {
      const words: Words = { source: input, tokens, ...setting };
      const spans = tokens.map((_, at) => readSpan(words, at)).filter((one) => one !== null);
      return spans[0]?.value.seconds;
    }
    case 'data':
      return parseJson(input) ?? readTextReply(reply);
    default:
      return undefined;
  }
}
