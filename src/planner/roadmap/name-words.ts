// Words of titles, and of what people call them, made comparable: case, articles, endings and small slips do not count.

const articles = new Set(['the', 'a', 'an', 'this', 'that', 'my', 'our', 'all', 'of', 'to', 'and']);

/** Small letters, no punctuation, single blanks. Paths and numbers keep their dots. */
export function foldName(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[“”"'‘’`«»()[\]{}!?]/g, '')
    .replace(/[-–—_]/g, ' ')
    .replace(/[.,;:]+(?=\s|$)/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The words that tell one title from another, without their endings; a word of articles alone stays as it is. */
export function stemsOf(text: string): string[] {
  const words = foldName(text)
    .split(' ')
    .filter((word) => word !== '');
  const telling = words.filter((word) => !articles.has(word));
  return (telling.length > 0 ? telling : words).map(stemOf);
}

/** A crude stem: "reviewing", "reviewed" and "reviews" are one word. */
function stemOf(word: string): string {
  if (word.length < 5 || /[\d./]/.test(word)) return word;
  return word
    .replace(/(?:ings?|ed|es|s|ions?|ments?)$/, '')
    .replace(/(.)\1$/, '$1')
    .replace(/e$/, '');
}

/** Whether two words differ by one slip: a letter too many, too few, wrong, or two swapped. Only words of five letters and more. */
export function isSlip(a: string, b: string): boolean {
  if (Math.min(a.length, b.length) < 5 || Math.abs(a.length - b.length) > 1) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const [left, right] = [a.slice(at), b.slice(at)];
  if (left.length === right.length) {
    const swapped = left[0] === right[1] && left[1] === right[0] && left.length > 1;
    return left.slice(1) === right.slice(1) || (swapped && left.slice(2) === right.slice(2));
  }
  return left.length > right.length ? left.slice(1) === right : left === right.slice(1);
}
