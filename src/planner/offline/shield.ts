// Hides quoted text behind single characters, so that nothing inside quotes is ever read as an instruction.

/** A request with its quoted parts hidden, and those parts. */
export type Shielded = { text: string; quotes: Quote[] };
/** `inner` without its quotation marks, `raw` with them. */
type Quote = { inner: string; raw: string };

/** Private-use characters: one per quoted part. */
const firstMark = 0xe000;
const lastMark = 0xf8ff;
export const markClass = '\\uE000-\\uF8FF';
const anyMark = /[\uE000-\uF8FF]/g;

const quoted = [
  /```(?:[a-z]+\n)?([\s\S]*?)```/u,
  /`([^`\n]+)`/u,
  /"((?:[^"\\]|\\[\s\S])*)"/u,
  /[“„]([^“”„]*)[”“]/u,
  /«\s?([^«»]*?)\s?»/u,
  /‘([^‘\n]*?)’(?![\p{L}\p{N}])/u,
  /(?<![\p{L}\p{N}])'((?:[^'\n]|(?<=[\p{L}\p{N}])'(?=\p{L}))*)'(?![\p{L}\p{N}])/u,
];
const anyQuoted = new RegExp(quoted.map((pattern) => pattern.source).join('|'), 'gu');

/** Instructions longer than this are mostly text that somebody wants written. */
const instructionsAtMost = 8000;
const earlyMarker =
  /^([\s\S]{0,2000}?\b(?:saying|containing|contains|says|with the (?:text|content|following)|reading)\s*:?|[^\n]{0,500}?:)\s+/i;

/** Puts the long unquoted text of a request between quotation marks, where it says that it is text. */
export function quoteLongText(text: string): { text: string; tooLong: boolean } {
  const { text: hidden, quotes } = shield(text);
  if (hidden.length <= instructionsAtMost) return { text, tooLong: false };
  const head = earlyMarker.exec(hidden)?.[0];
  if (head === undefined) return { text, tooLong: true };
  const body = restoreQuotes(hidden.slice(head.length), quotes)
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"');
  return { text: `${restoreQuotes(head, quotes)}"${body}"`, tooLong: false };
}

export function shield(text: string): Shielded {
  const quotes: Quote[] = [];
  const clean = text
    .normalize('NFC')
    .replace(/[\u200B-\u200D\u2060\uFEFF]/g, '')
    .replace(anyMark, '');
  const hidden = clean.replace(anyQuoted, (raw: string, ...groups: unknown[]) => {
    if (quotes.length > lastMark - firstMark) return raw;
    const inner = groups.slice(0, quoted.length).find((group) => typeof group === 'string');
    const value = typeof inner === 'string' ? inner : '';
    quotes.push({ inner: raw.startsWith('"') ? value.replace(/\\(["\\])/g, '$1') : value, raw });
    return String.fromCharCode(firstMark + quotes.length - 1);
  });
  return { text: hidden, quotes };
}

/** The quoted text a mark stands for, when `text` is one mark and nothing else. */
export function readQuote(text: string, quotes: Quote[]): string | undefined {
  const trimmed = text.trim();
  return trimmed.length === 1 ? quotes[trimmed.charCodeAt(0) - firstMark]?.inner : undefined;
}

/** `text` as the person wrote it; a text that is one quoted part loses its quotation marks. */
export function unshield(text: string, quotes: Quote[]): string {
  return (
    readQuote(text, quotes) ??
    text.replace(anyMark, (mark) => quotes[mark.charCodeAt(0) - firstMark]?.raw ?? '')
  );
}

/** `text` with its quoted parts back in place, quotation marks and all. */
export function restoreQuotes(text: string, quotes: Quote[]): string {
  return text.replace(anyMark, (mark) => quotes[mark.charCodeAt(0) - firstMark]?.raw ?? '');
}
