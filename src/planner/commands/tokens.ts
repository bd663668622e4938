// A request as tokens: quoted text, paths, addresses, JSON, names and marks are one token each. One pass over the text.
import { parseRequestJson } from '#domain/json.ts';
import { trimTail } from '#domain/words.ts';

export type Token = {
  kind:
    | 'word'
    | 'number'
    | 'quote'
    | 'path'
    | 'url'
    | 'json'
    | 'channel'
    | 'mark'
    | 'line'
    | 'item';
  text: string;
  /** What it means: lower case for words, without its quotation marks for quotes. */
  value: string;
  start: number;
  end: number;
};

/** The word or mark that a token is; empty for none and for quoted text, which is never a keyword. */
export function value(token: Token | undefined): string {
  return token === undefined || token.kind === 'quote' ? '' : token.value;
}

/** The same of the token at `at`, before `end`. */
export function valueAt(
  { tokens, end }: { tokens: readonly Token[]; end: number },
  at: number,
): string {
  return at < end ? value(tokens[at]) : '';
}

const closing: Record<string, string> = {
  '"': '"',
  '“': '”',
  '„': '“',
  '«': '»',
  '‘': '’',
  "'": "'",
  '`': '`',
};

const shapes: [Token['kind'], RegExp][] = [
  ['url', /https?:\/\/[^\s<>"“”]+/iuy],
  ['channel', /#[\p{L}\p{N}][\p{L}\p{N}_-]*/uy],
  // Something in figures that is no path: 9:30, 9:30am, 9am, 2026-12-01, 12/01, 1.5, 1st.
  ['number', /\d{4}-\d{2}-\d{2}(?![\p{L}\p{N}/])/uy],
  ['number', /\d{1,2}\/\d{1,2}(?:\/\d{2,4})?(?![\p{L}\p{N}/]|\.\p{N})/uy],
  ['number', /\d{1,2}[:.h]\d{2}(?:\s?[ap]\.?m\b\.?)?(?![\p{L}\p{N}/]|\.\p{N})/iuy],
  ['number', /\d{1,2}\s?[ap]\.?m\b\.?(?![\p{L}\p{N}/])/iuy],
  ['number', /\d+(?:st|nd|rd|th)(?![\p{L}\p{N}])/iuy],
  // Versions and percentages: 4.2.0, v4.2.0-rc1, 19%.
  [
    'word',
    /v?\d+(?:\.\d+){2,}(?:[-+][\p{L}\p{N}]+(?:[.+-]\d+)*)?(?![\p{L}\p{N}_/%*@-]|\.[\p{L}\p{N}])/iuy,
  ],
  ['word', /\d+(?:[.,]\d+)?\s?%(?![\p{L}\p{N}])/uy],
  ['number', /\d+(?:[.,]\d+)?(?![\p{L}\p{N}_/-]|\.[\p{L}\p{N}])/uy],
  // The period behind a path ends its sentence.
  [
    'path',
    /(?:\.{1,2}\/|~\/|\/)?(?:[\p{L}\p{N}\p{Extended_Pictographic}_.*@+-]+\/)*[\p{L}\p{N}\p{Extended_Pictographic}_*@+-][\p{L}\p{N}\p{Extended_Pictographic}_.*@+-]*\/?/uy,
  ],
  ['path', /\.[\p{L}\p{N}][\p{L}\p{N}_-]*/uy],
  ['word', /[\p{L}\p{N}][\p{L}\p{N}'’_-]*/uy],
];

function matchAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
}

/** Where a quote that begins at `at` ends, behind its closing mark; null: it is no quote. */
function quoteEnd(text: string, at: number): number | null {
  if (text.startsWith('```', at)) {
    const end = text.indexOf('```', at + 3);
    return end < 0 ? null : end + 3;
  }
  const open = text[at] ?? '';
  const close = closing[open];
  if (close === undefined) return null;
  const single = open === "'" || open === '‘';
  if (single && /[\p{L}\p{N}]/u.test(text[at - 1] ?? '')) return null;
  for (let i = at + 1; i < text.length; i += 1) {
    if (text[i] === '\\' && open === '"') i += 1;
    else if (single && text[i] === '\n') return null;
    else if (text[i] === close && !(single && /[\p{L}\p{N}]/u.test(text[i + 1] ?? '')))
      return i + 1;
  }
  return null;
}

function jsonEnd(text: string, at: number): number | null {
  let depth = 0;
  let quoted = false;
  for (let i = at; i < text.length; i += 1) {
    const char = text[i];
    if (quoted) {
      if (char === '\\') i += 1;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === '{' || char === '[') depth += 1;
    else if ((char === '}' || char === ']') && --depth === 0) {
      try {
        parseRequestJson(text.slice(at, i + 1));
        return i + 1;
      } catch {
        return null; // brackets that are no JSON are only marks
      }
    }
  }
  return null;
}

/** A quote's text: an escaped mark in plain quotes is the mark itself. */
function unquote(raw: string): string {
  if (raw.startsWith('```')) return raw.slice(3, -3).replace(/^[a-z]+\n/, '');
  const inner = raw.slice(1, -1);
  return raw.startsWith('"') ? inner.replace(/\\(["\\])/g, '$1') : inner;
}

/** Marks that open nothing, such as apostrophes, beyond which no mark of their kind is looked up. */
const failuresAtMost = 20;

const itemStart = /[ \t]*(?:[-•*]|\d{1,3}[.)])[ \t]+/uy;

/** Names with an extension, folders and wildcards; everything else of that shape is a word. */
function isPath(text: string): boolean {
  return (
    text.includes('/') ||
    text.includes('*') ||
    /^\.[\p{L}\p{N}]/u.test(text) ||
    /[^.]\.[\p{L}][\p{L}\p{N}]{0,11}$/u.test(text)
  );
}

export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  // What does not close is looked for once, not at each of its kind: the reading stays linear.
  const unclosed = new Set<string>();
  let failures = 0;
  const push = (kind: Token['kind'], start: number, end: number, value?: string): number => {
    const raw = text.slice(start, end);
    tokens.push({ kind, text: raw, value: value ?? raw.toLowerCase(), start, end });
    return end;
  };
  let at = 0;
  let lineStart = true;
  while (at < text.length) {
    if (lineStart) {
      const item = matchAt(itemStart, text, at);
      lineStart = false;
      if (item !== null) {
        at = push('item', at, at + item.length, item.trim());
        continue;
      }
    }
    const char = text[at] ?? '';
    if (char === '\n') {
      at = push('line', at, at + 1, '\n');
      lineStart = true;
      continue;
    }
    if (/\s/u.test(char)) {
      at += 1;
      continue;
    }
    const bracket = char === '{' || char === '[';
    const opens = char in closing || bracket;
    if (opens && !unclosed.has(char)) {
      const end = bracket ? jsonEnd(text, at) : quoteEnd(text, at);
      if (end !== null) {
        const raw = text.slice(at, end);
        at = push(bracket ? 'json' : 'quote', at, end, bracket ? raw : unquote(raw));
        continue;
      }
      failures += 1;
      if (failures > failuresAtMost || !(char === "'" || char === '‘')) unclosed.add(char);
    }
    at = readPlain(text, at, push);
  }
  return tokens;
}

function readPlain(
  text: string,
  at: number,
  push: (kind: Token['kind'], start: number, end: number, value?: string) => number,
): number {
  for (const [kind, pattern] of shapes) {
    let raw = matchAt(pattern, text, at);
    if (raw === null) continue;
    if (kind === 'url') raw = trimTail(raw, /[.,;:!?)\]}'’]/);
    if (kind === 'path') {
      raw = trimTail(raw, /\./) || raw;
      if (!isPath(raw)) continue;
    }
    const exact = kind === 'path' || kind === 'url' || kind === 'channel';
    return push(kind, at, at + raw.length, exact ? raw : raw.toLowerCase().replaceAll('’', "'"));
  }
  return push('mark', at, at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1));
}
