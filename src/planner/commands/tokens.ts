// Splits a request into words, texts in quotation marks, JSON, punctuation marks and line breaks. Linear; only blanks are
// dropped.
import { parseJson } from '#domain/text.ts';
import type { Token as Spoken } from '#timeline/spoken-times.ts';

/** `value`: in lower case; '' for texts and JSON. `text`: as written, or within the quotation marks. */
export type Token = Spoken & { kind: 'word' | 'quote' | 'data' | 'mark' | 'line'; text: string };

/** An apostrophe within a word ends nothing. */
const closing: Record<string, RegExp> = {
  '"': /"/g,
  '“': /”/g,
  '„': /[“”]/g,
  '«': /»/g,
  "'": /'(?![\p{L}\p{N}])/gu,
};
/** Characters; longer JSON belongs into a file. */
const maxData = 20_000;

/** Ends of quotes and brackets. Failed searches are remembered, so that it takes linear time. */
class Ends {
  readonly #source: string;
  readonly #missing = new Set<string>();
  #dataLeft = maxData * 10;

  constructor(source: string) {
    this.#source = source;
  }

  /** -1 if not closed. */
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

/** Characters of `<full name>` after its first one: blanks in it belong to the word. */
function columnAt(source: string, at: number): number {
  column.lastIndex = at;
  return source.charAt(at) === '<' ? Math.max(0, (column.exec(source)?.[0].length ?? 0) - 1) : 0;
}

const marks = /[,;:.?!]$/;
const maxMarks = 20;

export function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  const ends = new Ends(source);
  const add = (kind: Token['kind'], start: number, end: number, text: string) => {
    const value = kind === 'quote' || kind === 'data' ? '' : text.toLowerCase();
    tokens.push({ kind, value, text, start, end });
  };
  for (let at = 0; at < source.length; ) {
    const letter = source.charAt(at);
    if (letter === '\n' || letter === '\r') {
      add('line', at, at + 1, '\n');
      at += 1;
      continue;
    }
    if (/\s/.test(letter)) {
      at += 1;
      continue;
    }
    const quoted = ends.quote(at);
    if (quoted >= 0) {
      add('quote', at, quoted + 1, source.slice(at + 1, quoted));
      at = quoted + 1;
      continue;
    }
    const data = letter === '{' || letter === '[' ? ends.data(at) : -1;
    if (data >= 0) {
      add('data', at, data, source.slice(at, data));
      at = data;
      continue;
    }
    let end = at;
    for (end = at; end < source.length && !/\s/.test(source.charAt(end)); end += 1)
      end += columnAt(source, end);
    let word = end;
    for (
      let k = 0;
      k < maxMarks && word > at + 1 && marks.test(source.slice(word - 1, word));
      k += 1
    )
      word -= 1;
    const isMark = word === at + 1 && marks.test(letter);
    add(isMark ? 'mark' : 'word', at, word, source.slice(at, word));
    for (let k = word; k < end; k += 1) add('mark', k, k + 1, source.charAt(k));
    at = end;
  }
  return tokens;
}
