// Words of sentences: counts, lists, long texts, and near-misses in spelling.

/** `1 step`, `3 steps`. */
export function countOf(n: number, noun: string): string {
  return `${n.toLocaleString('en-US')} ${noun}${n === 1 ? '' : 's'}`;
}

/** `12`, `980+` if not all are counted, '' for none. */
export function countRest(page: { total: number; counted: boolean }, shown: number): string {
  const rest = Math.max(0, page.total - shown);
  if (!page.counted) return `${rest.toLocaleString('en-US')}+`;
  return rest === 0 ? '' : rest.toLocaleString('en-US');
}

/** `Ana`, `Ana and Ben`, `Ana, Ben and Cy`. */
export function listOf(names: string[], word: 'and' | 'or' = 'and'): string {
  if (names.length < 2) return names.join('');
  return `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1)}`;
}

/** `a, b and 3 more steps`. */
export function listSome(names: string[], most: number, noun: string): string {
  const more = names.length - most;
  return listOf([...names.slice(0, most), ...(more > 0 ? [countOf(more, `more ${noun}`)] : [])]);
}

/** Unless it has an end mark. */
export function endSentence(text: string): string {
  return /[.!?…]”?$/.test(text) ? text : `${text}.`;
}

/** Lossless on one line; breaks and hidden characters as `\u{a}`. */
export function showName(name: string): string {
  return name.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu,
    (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

export function onOneLine(text: string, most = Number.POSITIVE_INFINITY): string {
  return shorten(text.replace(/\s+/g, ' ').trim(), most);
}

/** By every break that may be read as one. */
export function linesOf(text: string): string[] {
  return text.split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/).filter((line) => line.trim() !== '');
}

/** One line, without its end mark. */
export function firstSentence(text: string): string {
  const line = onOneLine(text);
  const end = line.search(/[.!?](\s|$)/);
  return end === -1 ? line : line.slice(0, end);
}

export function shorten(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** In one pass, unlike `/[…]+$/`. @param tail matches one character */
export function trimTail(text: string, tail: RegExp): string {
  let end = text.length;
  while (end > 0 && tail.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Including zero-width ones of some chat clients. */
export function trimBlanks(text: string): string {
  return trimTail(text.replace(/^[\s\u200b\u2060\ufeff]+/, ''), /[\s\u200b\u2060\ufeff]/);
}

/** `1.2 GB`; decimal units. */
export function describeBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const amount = bytes / 1000 ** step;
  return `${amount.toFixed(step === 0 || amount >= 100 ? 0 : 1)} ${units[step]}`;
}

/** As jsonb: well-formed Unicode without NUL. */
export function isStorableText(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

export function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Optimal string alignment: Levenshtein (1966), with two swapped letters as one edit. */
function distance(one: string, other: string): number {
  let above: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      const isSwap = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const swap = isSwap ? (above[j - 2] ?? 0) + 1 : change;
      next.push(Math.min(change, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    [above, row] = [row, next];
  }
  return row[other.length] ?? 0;
}

/** Forgives small differences in spelling. */
export function isNearly(one: string, other: string): boolean {
  if (one === other) return true;
  const longest = Math.max(one.length, other.length);
  return longest > 3 && distance(one, other) / longest <= 0.25;
}
