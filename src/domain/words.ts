// Counts, lists and long texts for sentences.

/** `1 step`, `3 steps`. */
export function countOf(n: number, noun: string): string {
  return `${n.toLocaleString('en-US')} ${noun}${n === 1 ? '' : 's'}`;
}

/** The number of items after the first `shown`: `12`, `980+` if not all are counted; empty: none. */
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

/** The first `most` of `names`, and how many more there are: `a, b and 3 more steps`. */
export function listSome(names: string[], most: number, noun: string): string {
  const more = names.length - most;
  return listOf([...names.slice(0, most), ...(more > 0 ? [countOf(more, `more ${noun}`)] : [])]);
}

/** `text` with a full stop, unless it ends as a sentence does. */
export function endSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** A name on one line, without loss: what would break it, hide in it or reorder it is escaped as `\u{a}`. */
export function showName(name: string): string {
  return name.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu,
    (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** `text` without line breaks and runs of blanks, in at most `most` characters. */
export function onOneLine(text: string, most = Number.POSITIVE_INFINITY): string {
  return shorten(text.replace(/\s+/g, ' ').trim(), most);
}

/** `text` in at most `most` characters, the last of them `…` where it was longer. */
export function shorten(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** `text` without the characters of `tail` at its end; in one pass, as `/[…]+$/` is not. @param tail matches one character */
export function trimTail(text: string, tail: RegExp): string {
  let end = text.length;
  while (end > 0 && tail.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Without blanks around it, also zero-width ones that some chat clients send. */
export function trimBlanks(text: string): string {
  return trimTail(text.replace(/^[\s\u200b\u2060\ufeff]+/, ''), /[\s\u200b\u2060\ufeff]/);
}

/** `1.2 GB`; decimal units, as disks are sold. */
export function describeBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const amount = bytes / 1000 ** step;
  return `${amount.toFixed(step === 0 || amount >= 100 ? 0 : 1)} ${units[step]}`;
}

/** Text that can be stored as jsonb and shown: well-formed Unicode without NUL. */
export function isStorableText(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}
