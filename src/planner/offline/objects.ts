// What an instruction is about: paths by name, "it", or a set of files described in words.
import { pronoun } from './lexicon.ts';
import { findPaths, pathPattern, tidyPath } from './paths.ts';
import type { ReadingContext } from './reading.ts';
import { readQuote } from './shield.ts';

const named = new RegExp(
  String.raw`\b(?:called|named|titled|with the name|by the name of)\s+(${pathPattern}|[\p{L}\p{N}_][\p{L}\p{N}_.\-]*)`,
  'iu',
);
const plainName = String.raw`[\p{L}\p{N}_][\p{L}\p{N}_\-]*`;
const namedList = new RegExp(
  String.raw`\bfiles\s+(?:called|named)\s+(${plainName}(?:\s*,\s*(?:and\s+)?${plainName}|\s+and\s+${plainName})+)`,
  'iu',
);
const namedFile = /\b(?:the\s+)?files?\s+([\p{L}\p{N}_][\p{L}\p{N}_-]*)(?=$|[\s,.])/iu;
const notNames =
  /^(?:in|into|to|from|with|saying|containing|that|which|and|or|of|on|at|for|is|are|as|each|all|system|named|called|by|inside|under|whose|there|here|please|first|now|recursive|recursively|older|newer|bigger|smaller|\d+)$/i;

/** Paths that stand in `text` by name. `bare` also takes "a file called notes" and "the file notes". */
export function readPaths(text: string, context: ReadingContext, bare = true): string[] {
  const found = findPaths(text, context.shielded).map((item) => item.path);
  if (found.length > 0) return found;
  const list = namedList.exec(text)?.[1];
  if (list) return list.split(/\s*,\s*(?:and\s+)?|\s+and\s+/).filter((name) => name !== '');
  const match = named.exec(text);
  if (match?.[1])
    return [readQuote(match[1], context.shielded.quotes) ?? match[1].replace(/[.]+$/, '')];
  if (!bare) return [];
  const plain = namedFile.exec(text);
  return plain?.[1] && !notNames.test(plain[1]) ? [plain[1]] : [];
}

/** The folder in "the archive folder", "folder archive", "archive/"; null when none is named. */
export function readFolder(text: string, context: ReadingContext): string | null {
  const after = new RegExp(
    String.raw`\b(?:folder|directory|dir)\s+(?:called\s+|named\s+)?(${pathPattern}|[\p{L}\p{N}_][\p{L}\p{N}_.\-]*)`,
    'iu',
  ).exec(text);
  if (after?.[1] && !notNames.test(after[1]))
    return readQuote(after[1], context.shielded.quotes) ?? after[1].replace(/\.$/, '');
  const before = new RegExp(
    String.raw`(?:^|\s)(${pathPattern}|[\p{L}\p{N}_][\p{L}\p{N}_.\-]*)\s+(?:sub)?(?:folder|directory|dir)\b`,
    'iu',
  ).exec(text);
  const name = before?.[1];
  if (
    name &&
    !/^(?:a|an|the|this|that|my|our|new|empty|another|whole|entire|same|each|every|root|current|working|main)$/i.test(
      name,
    )
  ) {
    return readQuote(name, context.shielded.quotes) ?? name;
  }
  const [slash] = findPaths(text, context.shielded).filter((item) => item.path.endsWith('/'));
  return slash ? tidyPath(slash.path) : null;
}

export function isPronoun(text: string): boolean {
  return pronoun.test(text.trim().replace(/[.,!?]+$/, ''));
}

/** The paths `text` is about: named ones, or those "it" stands for. */
export function readObjects(text: string, context: ReadingContext): string[] {
  const trimmed = text.trim();
  if (isPronoun(trimmed)) return context.focus.paths;
  const paths = readPaths(trimmed, context);
  if (paths.length > 0) return paths;
  const quote = readQuote(
    trimmed.replace(/^(?:the\s+)?(?:files?\s+)?/i, '').replace(/[.,]$/, ''),
    context.shielded.quotes,
  );
  return quote === undefined || quote === '' ? [] : [quote];
}
