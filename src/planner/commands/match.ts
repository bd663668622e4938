// Forms of commands, written as patterns, and how tokens are held against them. A form fits only where it accounts for
// every token up to the end, so no word is ever dropped.
//
//   delete|remove {files:files}          words that may stand for each other; a blank in one is written _
//   add [a] {title:text} to [my] calendar    words in brackets may be missing
import { readFiles, readPath, readPlace, readPlaces } from './files.ts';
import { readPeople } from './people.ts';
import { skipCourtesy } from './segments.ts';
import { type Read, readDuration, readMoment, readRange, readRule, type Words } from './times.ts';
import type { Token } from './tokens.ts';

export type Reading = Words & {
  /** What "it" and "them" mean, and on which day "at 14:00" may be. */
  focus: { paths: string[]; output: boolean; day?: string };
  /** The first token behind the clause. */
  end: number;
};

/** A text as it stands in a clause: between which tokens. */
export type Span = { from: number; to: number; text: string; quoted: boolean };

type Slot = (reading: Reading, at: number) => Read<unknown>[];
const one = <T>(read: Read<T> | null): Read<T>[] => (read === null ? [] : [read]);

function token(...kinds: Token['kind'][]): Slot {
  return ({ tokens }, at) => {
    const found = tokens[at];
    return found !== undefined && kinds.includes(found.kind)
      ? [{ value: found.value, next: at + 1 }]
      : [];
  };
}

const slots = {
  files: readFiles,
  path: (reading, at) => one(readPath(reading, at)),
  place: (reading, at) => one(readPlace(reading, at)),
  places: (reading, at) => one(readPlaces(reading, at)),
  who: (reading, at) => one(readPeople(reading, at)),
  moment: (reading, at) => one(readMoment(reading, at)),
  range: (reading, at) => one(readRange(reading, at)),
  rule: (reading, at) => one(readRule(reading, at)),
  duration: (reading, at) => one(readDuration(reading, at)),
  url: token('url'),
  json: token('json'),
  quote: token('quote'),
  channel: token('channel'),
  number: token('number'),
  name: token('word'),
  text: () => [],
} satisfies Record<string, Slot>;

type Element =
  | { kind: 'words'; options: string[][]; optional: boolean }
  | { kind: 'slot'; name: string; slot: keyof typeof slots };

export type Bindings = Record<string, unknown>;

function compile(pattern: string): Element[] {
  return pattern.split(' ').map((piece): Element => {
    const slot = /^\{(\w+):(\w+)\}$/.exec(piece);
    const [, name = '', kind = ''] = slot ?? [];
    if (slot !== null && isSlot(kind)) return { kind: 'slot', name, slot: kind };
    const optional = piece.startsWith('[');
    const words = optional ? piece.slice(1, -1) : piece;
    const options = words.split('|').map((option) => option.split('_'));
    return { kind: 'words', options: options.sort((a, b) => b.length - a.length), optional };
  });
}

function isSlot(kind: string): kind is keyof typeof slots {
  return kind in slots;
}

export type Pattern = { elements: Element[]; leads: string[] };

export function definePattern(pattern: string): Pattern {
  const elements = compile(pattern);
  const [first] = elements;
  const leads = first?.kind === 'words' ? first.options.map(([lead = '']) => lead) : [];
  return { elements, leads };
}

/** How far a clause was understood, for saying what was not. */
export type Reach = { at: number };

/** What the slots of `pattern` hold where it fits from `at` to the end of the clause; null: it does not fit. */
export function matchPattern(
  { elements }: Pattern,
  reading: Reading,
  at: number,
  reach: Reach,
  /** The verb was said before: "… and b.txt saying bye". */
  implied = false,
): Bindings | null {
  return matchFrom(elements.slice(implied ? 1 : 0), reading, at, reach, true)?.value ?? null;
}

/** The same for a pattern that fits some of the words from `at` on. */
export function matchStart(
  { elements }: Pattern,
  reading: Reading,
  at: number,
): Read<Bindings> | null {
  return matchFrom(elements, reading, at, { at }, false);
}

function matchFrom(
  elements: Element[],
  reading: Reading,
  at: number,
  reach: Reach,
  whole: boolean,
): Read<Bindings> | null {
  const { tokens, end } = reading;
  const is = (place: number, words: string[]) =>
    place + words.length <= end &&
    words.every((word, k) => {
      const found = tokens[place + k];
      return found !== undefined && found.kind !== 'quote' && found.value === word;
    });

  /** Whether what comes next may begin at `place`; slots are asked only then. */
  const mayBegin = (index: number, place: number): boolean => {
    const element = elements[index];
    if (element === undefined) return place === end;
    if (element.kind === 'slot') return place < end;
    return (
      element.options.some((words) => is(place, words)) ||
      (element.optional && mayBegin(index + 1, place))
    );
  };

  /** Behind a text without quotation marks "please" and "for me" may belong to it; elsewhere they say nothing. */
  const fitFrom = (index: number, place: number, isFree = false): Read<Bindings> | null => {
    const next = index === 0 || isFree ? place : skipCourtesy(tokens, place, end);
    const rest = fitAt(index, place);
    return rest === null && next > place ? fitAt(index, next) : rest;
  };

  const fitAt = (index: number, place: number): Read<Bindings> | null => {
    if (index > 1) reach.at = Math.max(reach.at, place);
    const element = elements[index];
    if (element === undefined) return !whole || place === end ? { value: {}, next: place } : null;
    if (element.kind === 'words') {
      for (const words of element.options) {
        const rest = is(place, words) ? fitFrom(index + 1, place + words.length) : null;
        if (rest !== null) return rest;
      }
      return element.optional ? fitFrom(index + 1, place) : null;
    }
    const read =
      element.slot === 'text' ? readText(index, place) : slots[element.slot](reading, place);
    for (const { value, next } of read) {
      const isFree = element.slot === 'text' && tokens[next - 1]?.kind !== 'quote';
      const rest = next <= end ? fitFrom(index + 1, next, isFree) : null;
      if (rest !== null)
        return { value: { [element.name]: value, ...rest.value }, next: rest.next };
    }
    return null;
  };

  /** A text ends wherever what follows it may begin; quoted text, with its quotation marks. */
  function* readText(index: number, place: number): Generator<Read<Span>> {
    const begin = tokens[place]?.kind === 'line' ? place + 1 : place;
    const quoted = tokens[begin]?.kind === 'quote';
    for (let next = begin + 1; next <= (quoted ? begin + 1 : end); next += 1)
      if (quoted || mayBegin(index + 1, next)) yield { value: spanOf(reading, place, next), next };
  }
  return fitFrom(0, at);
}

export function spanOf({ source, tokens }: Words, from: number, to: number): Span {
  const begin = tokens[from]?.kind === 'line' ? from + 1 : from;
  const [first, last] = [tokens[begin], tokens[to - 1]];
  if (first === undefined || last === undefined) return { from, to, text: '', quoted: false };
  const quoted = to - begin === 1 && first.kind === 'quote';
  return {
    from: begin,
    to,
    text: quoted ? first.value : source.slice(first.start, last.end),
    quoted,
  };
}
