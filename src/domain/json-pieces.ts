// Parses large JSON in pieces: lists reached through objects, then the rest.
import { CountersignError } from './errors.ts';
import { quoteWords } from './shown-text.ts';
import { isSliceOver, nextTurn } from './slices.ts';
import { isObject } from './text.ts';

/** Characters. */
const pieceLength = 200_000;
/** Structural characters; they determine parsing time. */
const maxSigns = 600_000;

/** `first`: index of its first item. */
export type PieceLocation = { path: string[]; first: number };

/** Parses a list's text, or at `null` the rest. @throws for invalid JSON */
type ParsePiece = (text: string, place: PieceLocation | null) => unknown;

const signs = {
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  openList: 0x5b,
  closeList: 0x5d,
  open: 0x7b,
  close: 0x7d,
};

const noKey = 'Expected a double-quoted property name in JSON';

/** `from`: an opening quote. */
export function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from + 1);
  for (; end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === 0x5c) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}

class List {
  readonly path: string[];
  readonly start: number;
  readonly items: unknown[] = [];
  depth = 0;
  from: number;

  constructor(path: string[], start: number) {
    this.path = path;
    this.start = start;
    this.from = start;
  }

  get isCut(): boolean {
    return this.from > this.start;
  }

  take(text: string, end: number, parse: ParsePiece): void {
    const place = { path: this.path, first: this.items.length };
    const parsed = parse(`[[${text.slice(this.from, end)}]]`, place);
    const [items, ...others]: unknown[] = Array.isArray(parsed) ? parsed : [];
    if (!Array.isArray(items) || items.length === 0 || others.length > 0)
      throw new SyntaxError('A list has an empty item.');
    for (const item of items) this.items.push(item);
    this.from = end + 1;
  }
}

function put(whole: unknown, { path, items }: List): unknown {
  const parent = path.slice(0, -1).reduce((at: unknown, key) => isObject(at) && at[key], whole);
  const last = path.at(-1);
  if (last === undefined) return items;
  if (isObject(parent)) parent[last] = items;
  return whole;
}

/** @param length characters per piece @throws errors of `parse`; `limit_exceeded` for an item with too many values */
export async function parseInPieces(
  text: string,
  parse: ParsePiece,
  length = pieceLength,
): Promise<unknown> {
  if (text.length <= length) return parse(text, null);
  const lists: List[] = [];
  /** Last key of each open object. */
  const keys: string[] = [];
  let list: List | null = null;
  let around = '';
  let copied = 0;
  let string = '';
  let count = 0;
  let previous = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    switch (sign) {
      case signs.quote: {
        const end = endOfString(text, at);
        if (list === null) string = text.slice(at, end + 1);
        at = end;
        break;
      }
      case signs.colon:
        if (list === null) keys[keys.length - 1] = String(JSON.parse(string));
        break;
      case signs.open:
        if (list !== null) list.depth += 1;
        else if (keys.length > 0 && previous !== signs.colon) throw new SyntaxError(noKey);
        else keys.push('');
        break;
      case signs.close:
        if (list === null) keys.pop();
        else list.depth -= 1;
        break;
      case signs.openList:
        if (list !== null) list.depth += 1;
        else if (keys.length > 0 && previous !== signs.colon) throw new SyntaxError(noKey);
        else list = new List([...keys], at + 1);
        break;
      case signs.closeList:
        if (list !== null && list.depth > 0) list.depth -= 1;
        else if (list !== null) {
          if (list.isCut) {
            list.take(text, at, parse);
            lists.push(list);
            around += text.slice(copied, list.start);
            copied = at;
            count = 0;
          }
          list = null;
        }
        break;
      case signs.comma:
        if (list?.depth === 0 && at - list.from >= length) {
          list.take(text, at, parse);
          count = 0;
          if (isSliceOver()) await nextTurn();
        }
        break;
      default:
        continue;
    }
    previous = sign;
    count += 1;
    if (count > maxSigns) throw tooMany(list);
  }
  if (list !== null) throw new SyntaxError('Unexpected end of JSON input');
  const whole = parse(around + text.slice(copied), null);
  return lists.reduce(put, whole);
}

function tooMany(list: List | null): CountersignError {
  const where = list === null ? 'The JSON' : `An item of ${quoteWords(list.path.join('.'), 80)}`;
  return new CountersignError(
    'limit_exceeded',
    `${where} is too complex: more than ${maxSigns.toLocaleString('en-US')} quotes, commas, colons and brackets. Put large data in a file and let a step read it.`,
  );
}
