// Repairs unambiguous errors in a JSON object, in linear time.
import { isObject } from '#domain/text.ts';

/** Characters; valid JSON may be longer. */
const longest = 200_000;
/** Deeper encoding is no accident. */
const deepestEncoding = 3;

/** Null if none or ambiguous. */
export function repairJson(given: string, depth = 0): string | null {
  if (depth > deepestEncoding) return null;
  const text = unfence(given.trim());
  const parsed = parse(text);
  if (typeof parsed === 'string') return repairJson(parsed, depth + 1);
  if (parsed !== undefined) return isObject(parsed) ? text : null;
  const written = text.length > longest ? null : rewrite(text);
  if (written === null) return null;
  const parts = splitObjects(written);
  // Some servers start a call with an empty object.
  const [first = parts[0], ...more] = parts.filter((part) => part !== '{}');
  if (first === undefined || !isObject(parse(first))) return null;
  return more.every((one) => one === first) ? first : null;
}

function unfence(text: string): string {
  if (!text.startsWith('```') || !text.endsWith('```') || text.length < 6) return text;
  return text
    .slice(3, -3)
    .replace(/^[\w-]{0,20}/, '')
    .trim();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // try the next way
  }
}

const words: Record<string, string> = { True: 'true', False: 'false', None: 'null' };
const escapes: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** The parser judges the result. */
function rewrite(text: string): string | null {
  const out: string[] = [];
  let comma = -1;
  for (let at = 0; at < text.length; ) {
    const mark = text.charAt(at);
    if (mark === '"' || mark === "'") {
      const string = readString(text, at);
      if (string === null) return null;
      comma = -1;
      out.push(string.json);
      at = string.end;
      continue;
    }
    const word = 'TFN'.includes(mark)
      ? (/[A-Za-z]+/y.exec(text.slice(at, at + 16))?.[0] ?? mark)
      : mark;
    if ((word === '}' || word === ']') && comma >= 0) out[comma] = '';
    at += word.length;
    if (word.trim() === '') {
      // `1 2` must not become 12.
      if (/\w$/.test(out.at(-1) ?? '') && /\w/.test(text.charAt(at))) out.push(' ');
      continue;
    }
    comma = word === ',' ? out.length : -1;
    out.push(words[word] ?? word);
  }
  return out.join('');
}

/** In double quotes. */
function readString(text: string, from: number): { json: string; end: number } | null {
  const quote = text.charAt(from);
  const out = ['"'];
  for (let at = from + 1; at < text.length; at += 1) {
    const mark = text.charAt(at);
    if (mark === quote) return { json: `${out.join('')}"`, end: at + 1 };
    if (mark === '\\') {
      at += 1;
      const next = text.charAt(at);
      out.push(next === "'" ? "'" : `\\${next}`);
    } else out.push(mark === '"' ? '\\"' : (escapes[mark] ?? mark));
  }
  return null;
}

function splitObjects(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const mark = text.charAt(at);
    if (mark === '"') at = (readString(text, at)?.end ?? text.length) - 1;
    else if (mark === '{') depth += 1;
    else if (mark === '}') {
      depth -= 1;
      if (depth > 0) continue;
      parts.push(text.slice(from, at + 1).trim());
      from = at + 1;
    }
  }
  const rest = text.slice(from).trim();
  return rest === '' ? parts : [...parts, rest];
}
