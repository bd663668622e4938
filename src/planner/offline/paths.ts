// Finds file paths and web addresses in an instruction, and joins them as people mean them.
import { markClass, readQuote, type Shielded } from './shield.ts';

/** A word that is a path: it has a slash, an extension, or is a well-known file without one. */
const pathWord = String.raw`(?:[\p{L}\p{N}_~+@#$%()\[\]{}.\-\\]*\/[^\s,;:!?"'<>|*]*|\.{0,2}[\p{L}\p{N}_\p{Extended_Pictographic}][\p{L}\p{N}_\p{Extended_Pictographic}\uFE0F+()\[\]{}.\-]*\.[\p{L}][\p{L}\p{N}_]{0,11}|\.[\p{L}][\p{L}\p{N}_.-]*|(?:README|LICENSE|Makefile|Dockerfile|CHANGELOG|TODO)\b)`;
/** Matches one path: a path word, or quoted text where a path is expected. */
export const pathPattern = `(?:${pathWord}|[${markClass}])`;
const onePath = new RegExp(
  `(?<![\\p{L}\\p{N}\\p{Extended_Pictographic}:/@.])${pathPattern}`,
  'giu',
);
const webAddress = /\bhttps?:\/\/[^\s<>"'\uE000-\uF8FF]+/gi;

/** Ends of sentences and closing brackets are no part of a path. */
function trimPath(word: string): string {
  let path = word.replace(/[.,;:!?]+$/, '');
  if (path.endsWith(')') && !path.includes('(')) path = path.slice(0, -1);
  return path;
}

export type FoundPath = { path: string; start: number; end: number; quoted: boolean };

/** Paths in `text`, in order. Quoted text counts as a path only when it could be one. */
export function findPaths(text: string, shielded: Shielded, quotedAnyway = false): FoundPath[] {
  const addresses = [...text.matchAll(webAddress)].map((m) => [m.index, m.index + m[0].length]);
  const found: FoundPath[] = [];
  for (const match of text.matchAll(onePath)) {
    const start = match.index;
    if (addresses.some(([from = 0, to = 0]) => start >= from && start < to)) continue;
    const quote = readQuote(match[0], shielded.quotes);
    if (quote !== undefined) {
      if (quotedAnyway || looksLikePath(quote)) {
        found.push({ path: quote.trim(), start, end: start + match[0].length, quoted: true });
      }
      continue;
    }
    const path = trimPath(match[0]);
    if (path === '' || path === '/' || /^[.~]+$/.test(path) || isNoPath(path)) continue;
    // Well-known names are names as they are customarily written: "a todo list" is none.
    if (
      /^(?:readme|license|changelog|todo|makefile|dockerfile)$/i.test(path) &&
      path === path.toLowerCase()
    )
      continue;
    found.push({ path, start, end: start + path.length, quoted: false });
  }
  return found;
}

/** Words with a dot or slash that are something else: "and/or", "9:30/10", "e.g", "i.e", dates. */
function isNoPath(word: string): boolean {
  return (
    /^(?:and\/or|e\.g|i\.e|etc|a\.m|p\.m|\d+\/\d+(?:\/\d+)?|w\/o?|n\/a|he\/she|yes\/no)$/i.test(
      word,
    ) ||
    (word.includes('@') && !word.includes('/'))
  );
}

function looksLikePath(text: string): boolean {
  if (text === '' || text.length > 300 || /[\n"<>|]/.test(text)) return false;
  if (/^https?:/i.test(text)) return false;
  return (
    /[^\s/]\.[\p{L}][\p{L}\p{N}]{0,11}$/u.test(text) || /^[^\s]*\/|^[^.!?]+\/[^/]*$/.test(text)
  );
}

export function findAddresses(text: string): string[] {
  return [...text.matchAll(webAddress)].map((match) => match[0].replace(/[.,;:!?)]+$/, ''));
}

export function baseName(path: string): string {
  return path.replace(/\/+$/, '').split('/').at(-1) ?? path;
}

/** The folder a path lies in; '' for the workspace itself. */
export function folderOf(path: string): string {
  const parts = path.replace(/\/+$/, '').split('/');
  return parts.slice(0, -1).join('/');
}

export function hasExtension(path: string): boolean {
  return /[^/]\.[\p{L}\p{N}]{1,12}$/u.test(path);
}

/**
 * Where `from` goes when people say "to `to`": into it when it is a folder (it ends in a slash,
 * or it has no extension while the file has one), else to exactly that path.
 */
export function resolveDestination(from: string, to: string, folder = false): string {
  const clean = to.replace(/^\.\//, '');
  if (clean.endsWith('/') || folder || (hasExtension(from) && !hasExtension(clean))) {
    return [clean.replace(/\/+$/, ''), baseName(from)]
      .filter((part) => part !== '' && part !== '.')
      .join('/');
  }
  return clean;
}

/** Whether two paths are the same or one lies inside the other. '' is the workspace. */
export function pathsOverlap(a: string, b: string): boolean {
  const left = tidyPath(a);
  const right = tidyPath(b);
  if (left === '' || right === '' || left === right) return true;
  return left.startsWith(`${right}/`) || right.startsWith(`${left}/`);
}

export function tidyPath(path: string): string {
  return path.replace(/^\.\//, '').replace(/\/+$/, '').replace(/^\.$/, '');
}
