// What a file or message should say: the exact words, its own name, another file's content, or something to compose.
import { fileNoun, pronoun } from './lexicon.ts';
import { findPaths, pathPattern } from './paths.ts';
import { markClass, readQuote, type Shielded, unshield } from './shield.ts';

export type Content =
  | { kind: 'text'; text: string }
  | { kind: 'own_name' }
  | { kind: 'copy_of'; path: string }
  | { kind: 'previous' }
  /** The day or the time of planning, as it is then. */
  | { kind: 'today'; what: 'date' | 'time' }
  /** Words that stand for a text, or of which only a part is the text: asked for. */
  | { kind: 'unclear' }
  /** Words would have to be made up; only a text tool can. */
  | { kind: 'compose'; instruction: string };

const marker =
  /(?:^|[\s,])(?:(?:and\s+)?(?:each|both|all|every one)(?:\s+(?:one|of them|file))?\s+)?(?:(?:that|which|and)\s+)?(?:should\s+|must\s+|will\s+|to\s+)?(?:saying|says?|containing|contains?|reading|reads|(?:with|having|has|holding|holds)\s+(?:only\s+)?(?:(?:the|this|as)\s+)?(?:text|contents?|words?|message|body|lines?)(?!\s+(?:of|in|from)\b)(?:\s+(?:being|is))?|with|whose\s+(?:contents?|text)\s+(?:is|are)|(?:content|text|contents)(?=\s*[:=]))\s*[:=]?\s+/i;

const ownName =
  /^(?:(?:only|just)\s+)?(?:its|their|the)\s+(?:own\s+|respective\s+|file)*\s*(?:file\s*)?names?(?:\s+(?:as|for)\s+(?:its\s+)?(?:content|text))?(?:\s+in(?:side)?\s+(?:it|them))?$/i;
const nothing =
  /^(?:nothing|no (?:text|content|contents)|empty(?: (?:text|content))?|an? empty (?:string|text|file)|blank)(?:\s+in\s+(?:it|them))?$/i;
const composable =
  /^(?:an?|some|two|three|\d+)\s+(?:[\p{L}-]+\s+){0,3}?(?:poem|list|summary|story|report|joke|essay|haiku|letter|email|table|script|code|paragraphs?|description|outline|template|agenda|introduction|overview|plan|review|article|recipes?|sentences?|ideas?|examples?|program|function|greeting|explanation)(?:\s+(?:about|of|on|for|with|that|in|to)\b[\s\S]*)?$/iu;

export type Marked = { before: string; content: Content };

/** Splits "X saying Y" at its marker. null when nothing says what the text is. */
export function splitAtMarker(text: string, shielded: Shielded): Marked | null {
  const match = marker.exec(text);
  if (match) {
    const after = text.slice(match.index + match[0].length);
    if (after.trim() !== '') {
      return { before: text.slice(0, match.index).trim(), content: readContent(after, shielded) };
    }
  }
  // Looking for a path before a colon that is not there costs the square of the text's length.
  if (!/:\s/.test(text)) return null;
  const colon = new RegExp(`^(.*?${pathPattern}|[^:]*?\\bfiles?)\\s*:\\s+([\\s\\S]+)$`, 'iu').exec(
    text,
  );
  if (colon) {
    return { before: (colon[1] ?? '').trim(), content: readContent(colon[2] ?? '', shielded) };
  }
  return null;
}

/** Reads the words after a marker, or an answer to "What should it contain?". */
export function readContent(text: string, shielded: Shielded): Content {
  const trimmed = text.trim();
  const quote = readQuote(trimmed.replace(/[.!?,;]+$/, ''), shielded.quotes);
  if (quote !== undefined) return { kind: 'text', text: quote };
  const bare = trimmed.replace(/[.!,;]+$/, '');
  const inside =
    /^(?:(?:the|this|these|as)\s+)*(?:following\s*)?(?:text|words?|contents?|message|lines?|follows|note)?\s*[:=]?\s*/i;
  const leading = readQuote(bare.replace(inside, ''), shielded.quotes);
  if (leading !== undefined) return { kind: 'text', text: leading };
  if (ownName.test(bare)) return { kind: 'own_name' };
  if (nothing.test(bare)) return { kind: 'text', text: '' };
  if (
    pronoun.test(bare) ||
    /^(?:the|its|that|their) (?:contents?|text|output|result|answer|response)$/i.test(bare)
  ) {
    return { kind: 'previous' };
  }
  const today = /^(?:today['’]?s?|the\s+current|the)\s+(date|time)$/i
    .exec(bare)?.[1]
    ?.toLowerCase();
  if (today === 'date' || today === 'time') return { kind: 'today', what: today };
  const copied = readCopied(bare, shielded);
  if (copied) return { kind: 'copy_of', path: copied };
  if (composable.test(bare))
    return { kind: 'compose', instruction: unshield(bare, shielded.quotes) };
  if (startsQuoted(bare) || standsForText.test(bare)) return { kind: 'unclear' };
  const address = /^(?:the\s+)?(?:url|link|address)\s+(https?:\/\/\S+)$/i.exec(bare)?.[1];
  if (address !== undefined) return { kind: 'text', text: address };
  // "Milk and eggs in it" holds milk and eggs.
  const said = trimmed
    .replace(/\s+(?:in|inside)\s+it([.!?]*)$/i, '$1')
    .replace(/^the\s+(?:words?|text|line|sentence)\s+(?!of\b)(?=\S)/i, '');
  return { kind: 'text', text: unshield(stripFullStop(said), shielded.quotes) };
}

/** 'the list', 'the number of files', 'the content of a.txt and b.txt': to be found out, not to be written down. */
const standsForText =
  /^(?:(?:a|an|the)\s+)?(?:list(?:ing)?|number|count|results?|sum|total|(?:file\s*)?names?|sizes?|output|difference|contents?|text|date|time|summary|average|length|titles?)\s+(?:of|in|from|between)\s+\S|^the\s+(?:list(?:ing)?|output|results?|answers?|response|numbers?|count|total|summary|files?)$|^today['’]?s\s+date\s+and\s+time$/i;

/** "'good morning' here at ten": words behind the quoted text that are not understood. */
function startsQuoted(text: string): boolean {
  return new RegExp(`^[${markClass}]\\s*[\\s\\S]*[\\p{L}\\p{N}${markClass}]`, 'u').test(text);
}

function readCopied(text: string, shielded: Shielded): string | undefined {
  const match =
    /^(?:(?:exactly\s+)?(?:the\s+)?(?:same(?:\s+(?:content|text))?\s+as|contents?\s+of|text\s+(?:of|from|in)|what(?:['’]s| is)\s+in)|a copy of)\s+(?:the file\s+)?(.+)$/i.exec(
      text,
    );
  if (!match?.[1]) return undefined;
  const [path] = findPaths(match[1], shielded, true);
  return path && path.end - path.start >= match[1].trim().length - 1 ? path.path : undefined;
}

/** The full stop that ends the instruction; one inside several sentences stays. */
function stripFullStop(text: string): string {
  return /^[^.!?]*[^.!?\s]\.$/.test(text) || /^[^\s]*[^.]\.$/.test(text) ? text.slice(0, -1) : text;
}

const placedAtEnd = new RegExp(
  `^([\\s\\S]+?)\\s+(?:in|into|to|as|on|at|inside|called|named|under)\\s+(?:(?:a|an|the|my|our)\\s+)?(?:new\\s+)?(?:text\\s+)?(?:file\\s+|document\\s+)?(?:called\\s+|named\\s+|at\\s+|in\\s+)?(${pathPattern})[.!]?$`,
  'iu',
);

/** "hello world to a.txt" → the words and the path at the end. null when it is no such thing. */
export function splitBeforePath(
  text: string,
  shielded: Shielded,
): { words: string; path: string } | null {
  const match = placedAtEnd.exec(text.trim());
  if (!match?.[1] || !match[2]) return null;
  const [path] = findPaths(match[2], shielded, true);
  const words = match[1].trim();
  if (!path || fileNoun.test(words)) return null;
  // "hi to a.txt, ho to b.txt" is more than one text.
  const inner = new RegExp(`\\s(?:to|in|into)\\s+${pathPattern}`, 'iu').test(words);
  if (inner && readQuote(words, shielded.quotes) === undefined) return null;
  return { words, path: path.path };
}
