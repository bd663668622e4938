// Matches whole spellings of the table against tokens and reads their slots.
import { findRepeatedName } from '#domain/json.ts';
import { type Json, type JsonObject, parseJson } from '#domain/text.ts';
import {
  type Clock,
  readClock,
  readSpan,
  readWhen,
  type When,
  type Words,
} from '#timeline/spoken-times.ts';
import type { SlotType } from './forms.ts';
import { type Modifiers, noModifiers, readModifiers, type Token } from './tokens.ts';

export type Reading = Omit<Words, 'tokens'> & {
  tokens: readonly Token[];
  operations: ReadonlyMap<string, string>;
  it: string | null;
};

export type Slots = {
  values: { [name: string]: Json };
  times: { [name: string]: When };
  clocks: { [name: string]: Clock };
  lacks: string[];
  /** Modifiers before a colon, such as times. */
  modifiers: Modifiers;
};

export type Element =
  | { kind: 'words'; words: string[]; optional: boolean }
  | { kind: 'colon' }
  | { kind: 'slot'; name: string; type: SlotType }
  | { kind: 'lack'; name: string };

const compiled = new Map<string, Element[]>();

/** `post|put {body:data} to [the] {url:address} ?x` */
export function compile(spelling: string): Element[] {
  const known = compiled.get(spelling);
  if (known !== undefined) return known;
  const elements = spelling.split(' ').map((part): Element => {
    if (part === ':') return { kind: 'colon' };
    if (part.startsWith('?')) return { kind: 'lack', name: part.slice(1) };
    const slot = /^\{(\w+):(\w+)\}$/.exec(part);
    if (slot !== null)
      return { kind: 'slot', name: slot[1] ?? '', type: (slot[2] ?? 'text') as SlotType }; // a test checks the table's types
    const optional = part.startsWith('[');
    return { kind: 'words', words: part.replace(/[[\]]/g, '').split('|'), optional };
  });
  compiled.set(spelling, elements);
  return elements;
}

export function startsOf(spelling: string): string[] {
  let starts = [''];
  for (const element of compile(spelling)) {
    if (element.kind !== 'words') break;
    if (!element.optional)
      starts = starts.flatMap((start) => element.words.map((word) => `${start} ${word}`.trim()));
  }
  return starts.filter((start) => start !== '');
}

const theResult: JsonObject = { $from: '', path: '' };
export const isResult = (value: Json | undefined): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && value.$from === '';

const plainNames = /^(?:README|LICENSE|NOTICE|CHANGELOG|VERSION|TODO|Makefile|Dockerfile)$/;
const nobody =
  /^(?:everyone|everybody|all|the|a|an|them|him|her|us|you|people|someone|anyone|about|for|if|whether|to|in|on|at|that|what|when|and|then|team|it)$/;

/** Unquoted, a file has a dot, slash, digit, `_` or `-`, or a conventional name. */
export const isFile = ({ text, kind }: Pick<Token, 'text' | 'kind'>): boolean =>
  kind === 'word' &&
  (/[./\\\d_-]|^<[^<>@#]+>$/.test(text) || plainNames.test(text)) &&
  !isAddress(text) &&
  !/[*?]/.test(text) &&
  !/^(?:[#@-]|plan-[0-9a-f]{8}$)/i.test(text) &&
  /[\p{L}\p{N}]/u.test(text);
const isNamed = ({ text, kind }: Pick<Token, 'text' | 'kind'>): boolean =>
  kind === 'quote' && text.trim() !== '';
export const isAddress = (text: string): boolean => /^https?:\/\/\S/i.test(text);
export const isPlace = ({ text, kind }: Pick<Token, 'text' | 'kind'>): boolean =>
  kind === 'quote' || (kind === 'word' && /^(?:[#@]\S|<[#@]\S)/.test(text));

type Read = { value: Json; next: number };

function readValue(reading: Reading, at: number, type: SlotType): Read | null {
  const token = reading.tokens[at];
  if (token === undefined) return null;
  const { kind, text, value } = token;
  const one = (json: Json): Read => ({ value: json, next: at + 1 });
  switch (type) {
    case 'text':
      if (kind === 'quote') return one(text);
      if (value === 'the' && reading.tokens[at + 1]?.value === 'result')
        return { value: theResult, next: at + 2 };
      // Without a file before it, `it` is the previous command's result.
      return value === 'it' && reading.it === null ? one(theResult) : null;
    case 'file':
    case 'target':
      if (value === 'it' && reading.it !== null) return one(reading.it);
      return isNamed(token) || isFile(token) ? one(text) : null;
    case 'folder':
      return isNamed(token) || (kind === 'word' && !isAddress(text)) ? one(text) : null;
    case 'address':
      return (kind === 'word' || kind === 'quote') && isAddress(text) ? one(text) : null;
    case 'place':
      return isPlace(token) ? one(text) : null;
    case 'person':
      return readPerson(reading, at);
    case 'data':
      return kind === 'mark' || kind === 'line' ? null : one(text);
    case 'span': {
      const span = readSpan(reading, at);
      return span === null || span.value.working
        ? null
        : { value: span.value.seconds, next: span.next };
    }
    case 'operation': {
      // Includes unconnected operations, for the refusal.
      const name =
        reading.operations.get(value) ??
        (/^[a-z]\w+$/.test(value) && value.includes('_') ? value : null);
      return name === null ? null : one(name);
    }
    case 'arguments':
      return readArguments(reading, at);
    case 'plan':
      return /^plan-[0-9a-f]{8}$/.test(value) ? one(`PLAN-${value.slice(5)}`) : null;
    case 'step':
      if (kind === 'quote') return one(`"${text}"`);
      return /^\d{1,6}[a-z]{0,2}$/.test(value) ? one(text) : null;
    case 'name':
      return kind === 'word' || kind === 'quote' ? one(text) : null;
    default:
      return null;
  }
}

function readPerson({ tokens }: Reading, at: number): Read | null {
  const token = tokens[at];
  if (token === undefined || (token.kind !== 'word' && token.kind !== 'quote')) return null;
  const { value, text } = token;
  if (token.kind === 'word' && value === 'me') return { value: null, next: at + 1 };
  const isName =
    token.kind === 'quote' || /^(?:<[^<>]+>|[@<\p{L}][\p{L}\p{N}@<>.’'_|-]*)$/u.test(text);
  // Any word may be a name except those of another sentence.
  if (!isName || (token.kind === 'word' && nobody.test(value))) return null;
  const isCapital = (one: Token | undefined): boolean =>
    one?.kind === 'word' && /^\p{Lu}[\p{L}’'-]*$/u.test(one.text);
  let next = at + 1;
  while (next < at + 3 && isCapital(token) && isCapital(tokens[next])) next += 1;
  const names = tokens.slice(at, next).map((one) => one.text);
  return { value: names.join(' ').replace(/^@/, ''), next };
}

/** `name: value, other: value`, or one JSON object. */
function readArguments({ tokens }: Reading, at: number): Read | null {
  const first = tokens[at];
  if (first?.kind === 'data' && first.text.startsWith('{')) {
    const value = parseJson(first.text);
    return value === undefined || findRepeatedName(first.text) !== null
      ? null
      : { value, next: at + 1 };
  }
  const args: JsonObject = {};
  for (let i = at; ; ) {
    const [name, colon, given] = [tokens[i], tokens[i + 1], tokens[i + 2]];
    if (name?.kind !== 'word' || colon?.value !== ':' || Object.hasOwn(args, name.text))
      return null;
    if (given === undefined || given.kind === 'mark' || given.kind === 'line') return null;
    const isText = given.kind === 'quote';
    args[name.text] = isText ? given.text : { $written: given.text };
    const more = tokens[i + 3]?.value === ',' && tokens[i + 5]?.value === ':';
    if (!more) return { value: args, next: i + 3 };
    i += 4;
  }
}

/** `if yes`, `if no` */
export const isAnswer = (tokens: readonly Token[], at: number): boolean =>
  tokens[at]?.value === 'if' && /^(?:yes|no)$/.test(tokens[at + 1]?.value ?? '');

function readRest({ tokens, source }: Reading, at: number): Read | null {
  const first = tokens[at];
  if (first === undefined || first.kind === 'line') return null;
  if (first.kind === 'quote') return { value: first.text, next: at + 1 };
  let next = at;
  for (; next < tokens.length && tokens[next]?.kind !== 'line'; next += 1)
    // Part of the text, or the next command?
    if (isAnswer(tokens, next) && /^[:,]$/.test(tokens[next + 2]?.value ?? '')) return null;
  return { value: source.slice(first.start, tokens[next - 1]?.end), next };
}

export const noSlots = (): Slots => ({
  ...{ values: {}, times: {}, clocks: {}, lacks: [], modifiers: noModifiers },
});

/** Null if nothing fits at `at`. `reached`: the first token that did not match. */
export function matchSpelling(
  spelling: string,
  reading: Reading,
  at: number,
): { slots: Slots; next: number } | { reached: number } {
  const slots = noSlots();
  let i = at;
  for (const element of compile(spelling)) {
    const modifiers = element.kind === 'colon' ? readModifiers(reading, i) : null;
    if (modifiers !== null) ({ value: slots.modifiers, next: i } = modifiers);
    if (element.kind === 'lack') slots.lacks.push(element.name);
    else if (element.kind === 'slot') {
      const next = readSlot(element, reading, i, slots);
      if (next === null) return { reached: i };
      i = next;
    } else {
      const words = element.kind === 'colon' ? [':'] : element.words;
      if (words.includes(reading.tokens[i]?.value ?? '')) i += 1;
      else if (element.kind === 'colon' || !element.optional) return { reached: i };
    }
  }
  return { slots, next: i };
}

/** @returns the token after the slot */
export function readSlot(
  { name, type }: { name: string; type: SlotType },
  reading: Reading,
  at: number,
  slots: Slots,
): number | null {
  const keep = <T>(into: { [name: string]: T }, read: { value: T; next: number } | null) => {
    if (read !== null) into[name] = read.value;
    return read?.next ?? null;
  };
  if (type === 'time') return keep(slots.times, readWhen(reading, at, name === 'limit'));
  if (type === 'clock') return keep(slots.clocks, readClock(reading, at, true));
  const read = type === 'rest' ? readRest(reading, at) : readValue(reading, at, type);
  return keep(slots.values, read);
}
