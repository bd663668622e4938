// Splits a request into tokens in linear time; reads times around commands.
import { parseJson } from '#domain/text.ts';
import {
  type Every,
  type Read,
  readEvery,
  readSpan,
  readWhen,
  type Span,
  type Token as Spoken,
  type When,
  type Words,
} from '#timeline/spoken-times.ts';

/** `value`: lower case, '' for texts and JSON. `text`: as written, without quotation marks. */
export type Token = Spoken & { kind: 'word' | 'quote' | 'data' | 'mark' | 'line'; text: string };

const closing: Record<string, RegExp> = {
  '"': /"/g,
  '“': /”/g,
  '„': /[“”]/g,
  '«': /»/g,
  "'": /'(?![\p{L}\p{N}])/gu,
};
/** Characters; longer JSON belongs in a file. */
const maxData = 20_000;

/** Failed searches are remembered, to stay linear. */
class Ends {
  readonly #source: string;
  readonly #missing = new Set<string>();
  #dataLeft = maxData * 10;

  constructor(source: string) {
    this.#source = source;
  }

  quote(at: number): number {
    const mark = this.#source.charAt(at);
    const end = closing[mark];
    if (end === undefined || this.#missing.has(mark)) return -1;
    end.lastIndex = at + 1;
    const found = end.exec(this.#source)?.index ?? -1;
    if (found < 0) this.#missing.add(mark);
    return found;
  }

  /** Exclusive; -1 without JSON. */
  data(at: number): number {
    const source = this.#source;
    let depth = 0;
    let inText = false;
    for (let i = at; i < source.length && i < at + maxData && this.#dataLeft > 0; i += 1) {
      this.#dataLeft -= 1;
      const letter = source.charAt(i);
      if (inText) {
        if (letter === '\\') i += 1;
        else if (letter === '"') inText = false;
      } else if (letter === '"') inText = true;
      else if (letter === '{' || letter === '[') depth += 1;
      else if (letter === '}' || letter === ']') {
        depth -= 1;
        if (depth === 0) return parseJson(source.slice(at, i + 1)) === undefined ? -1 : i + 1;
      }
    }
    return -1;
  }
}

/** `<full name>`: the value of an item's column. */
export const columnPattern = /<([^<>\n]{1,80})>/g;
const column = /<[^<>\n]{1,80}>/y;

/** Blanks inside belong to the word. */
function columnAt(source: string, at: number): number {
  column.lastIndex = at;
  return source.charAt(at) === '<' ? Math.max(0, (column.exec(source)?.[0].length ?? 0) - 1) : 0;
}

const marks = /[,;:.?!]$/;
const maxMarks = 20;

export function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  const ends = new Ends(source);
  let at = 0;
  const add = (kind: Token['kind'], end: number, text = source.slice(at, end)) => {
    const value = kind === 'quote' || kind === 'data' ? '' : text.toLowerCase();
    tokens.push({ kind, value, text, start: at, end });
    at = end;
  };
  while (at < source.length) {
    const letter = source.charAt(at);
    const quoted = ends.quote(at);
    const data = letter === '{' || letter === '[' ? ends.data(at) : -1;
    if (letter === '\n' || letter === '\r') add('line', at + 1, '\n');
    else if (/\s/.test(letter)) at += 1;
    else if (quoted >= 0) add('quote', quoted + 1, source.slice(at + 1, quoted));
    else if (data >= 0) add('data', data);
    else {
      let end = at;
      for (; end < source.length && !/\s/.test(source.charAt(end)); end += 1)
        end += columnAt(source, end);
      let word = end;
      while (end - word < maxMarks && word > at + 1 && marks.test(source.charAt(word - 1)))
        word -= 1;
      add(word === at + 1 && marks.test(letter) ? 'mark' : 'word', word);
      while (at < end) add('mark', at + 1);
    }
  }
  return tokens;
}

export type Modifiers = {
  start: When | null;
  lag: Span | null;
  every: Every | null;
  until: When | null;
  takes: Span | null;
  deadline: When | null;
};

export const noModifiers: Modifiers = {
  ...{ start: null, lag: null, every: null },
  ...{ until: null, takes: null, deadline: null },
};

type Part = { name: keyof Modifiers; value: When | Span | Every };

function readOne(words: Words, at: number): Read<Part> | null {
  const as = (
    name: keyof Modifiers,
    read: Read<When> | Read<Span> | Read<Every> | null,
  ): Read<Part> | null => read && { value: { name, value: read.value }, next: read.next };
  switch (words.tokens[at]?.value) {
    case 'every':
      return as('every', readEvery(words, at, true));
    case 'until':
      return as('until', readWhen(words, at + 1, true));
    case 'by':
      return as('deadline', readWhen(words, at + 1, true));
    case 'takes':
      return as('takes', readSpan(words, at + 1));
    case 'after':
      return as('lag', readSpan(words, at + 1));
    default: {
      const span = readSpan(words, at);
      if (span !== null && words.tokens[span.next]?.value === 'later')
        return as('lag', { ...span, next: span.next + 1 });
      return as('start', readWhen(words, at));
    }
  }
}

/** Consecutive modifiers, each at most once; null without any. */
export function readModifiers(words: Words, at: number): Read<Modifiers> | null {
  const found: { [name in keyof Modifiers]?: Part['value'] } = {};
  let next = at;
  for (;;) {
    const gap = next > at && words.tokens[next]?.value === ',' ? 1 : 0;
    const one = readOne(words, next + gap);
    if (one === null || found[one.value.name] !== undefined) break;
    // “…, 10 minutes later write …” begins the next command.
    if (gap === 1 && words.tokens[one.next - 1]?.value === 'later') break;
    found[one.value.name] = one.value.value;
    next = one.next;
  }
  if (next === at) return null;
  return { value: { ...noModifiers, ...(found as Partial<Modifiers>) }, next }; // readOne types each value
}
