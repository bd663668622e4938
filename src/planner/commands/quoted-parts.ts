// Replaces quoted text by placeholder characters, so nothing inside quotes is read as an instruction.

/** A request with its quoted parts hidden, and those parts. */
type Shielded = { text: string; quotes: Quote[] };
/** `inner` without its quotation marks, `raw` with them. */
type Quote = { inner: string; raw: string };

/** Private-use characters: one per quoted part. */
const firstMark = 0xe000;
const lastMark = 0xf8ff;
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

/** "a file called hello world.txt": the name goes on to its extension. */
const spacedName =
  /\b(called|named|titled)\s+((?:(?!(?:and|or|in|into|to|with|saying|says|containing|contains|that|which|from|as)\b)[^\s,;:.!?\uE000-\uF8FF/]+\s+){1,6}[^\s,;:!?\uE000-\uF8FF/]+\.\p{L}[\p{L}\p{N}]{0,11})(?![\p{L}\p{N}/])/giu;

/** "list.md with:" and an end of line: the lines that follow are its text. */
const block =
  /^([^\n]*\b(?:create|make|write|save|put|add|append|overwrite|store|draft|generate|update|post|publish)\b[^\n]*?(?:\b(?:with|saying|says|contains|containing|contents?|text|message|lines?|following|this)\s*:?|\.\p{L}[\p{L}\p{N}]{0,11}\s*:|\bhere\s*:|\bpost\s*:))[ \t]*\n+([\s\S]+?)(?=\s*\n\s*\n?\s*(?:and\s+)?(?:then|after\s+that|afterwards|finally)\b|\s*$)/iu;

/** Blanks in a row beyond which they say nothing, but cost: a pattern that may begin with blanks is tried at each of them. */
const blanksAtMost = 20;
const manyBlanks = new RegExp(`\\s{${blanksAtMost + 1},}`, 'g');

function shortenRun(run: string): string {
  return run.slice(0, blanksAtMost - 1) + (run.includes('\n') ? '\n' : ' ');
}

export function shield(text: string): Shielded {
  const quotes: Quote[] = [];
  const clean = text
    .normalize('NFC')
    .replace(/[\u200B-\u200D\u2060\uFEFF]/g, '')
    .replace(anyMark, '');
  const hide = (inner: string): string => {
    if (quotes.length > lastMark - firstMark) return inner;
    quotes.push({ inner, raw: inner });
    return String.fromCharCode(firstMark + quotes.length - 1);
  };
  const lines = clean.replace(/\r\n?/g, '\n');
  const dictated = opensWithQuote(lines)
    ? lines
    : lines.replace(block, (_, head: string, body: string) => `${head} ${hide(body)}`);
  const hidden = dictated.replace(anyQuoted, (raw: string, ...groups: unknown[]) => {
    if (quotes.length > lastMark - firstMark) return raw;
    const inner = groups.slice(0, quoted.length).find((group) => typeof group === 'string');
    const value = typeof inner === 'string' ? inner : '';
    quotes.push({ inner: raw.startsWith('"') ? value.replace(/\\(["\\])/g, '$1') : value, raw });
    return String.fromCharCode(firstMark + quotes.length - 1);
  });
  const named = hidden.replace(
    spacedName,
    (_, word: string, name: string) => `${word} ${hide(name)}`,
  );
  return { text: named.replace(manyBlanks, (run) => shortenRun(run)), quotes };
}

/** A text in quotation marks may have lines of its own. */
function opensWithQuote(text: string): boolean {
  const head = block.exec(text)?.[1];
  return head === undefined || (head.match(/["“`]/g)?.length ?? 0) % 2 === 1 || /```/.test(text);
}

/** `text` with its quoted parts back in place, quotation marks and all. */
export function restoreQuotes(text: string, quotes: Quote[]): string {
  return text.replace(anyMark, (mark) => quotes[mark.charCodeAt(0) - firstMark]?.raw ?? '');
}
