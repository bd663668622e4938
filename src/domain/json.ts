// Parses outside JSON with bounded nesting, since recursion could overflow the stack.
import type { z } from 'zod';
import { withoutMark } from './encoding/encoding.ts';
import { CountersignError } from './errors.ts';
import { mayChange, parseExactly } from './exact-json.ts';
import { endOfString } from './json-pieces.ts';
import { quoteWords } from './shown-text.ts';
import { AnyJson, type Json } from './text.ts';

const deepestJson = 100;

function exceeds(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((item) => exceeds(item, levels - 1));
}

/** @throws `invalid_json` beyond `deepestJson` levels */
export function requireShallow(value: unknown): void {
  if (!exceeds(value, deepestJson)) return;
  throw new CountersignError(
    'invalid_json',
    `The JSON nests more than ${deepestJson} levels deep, which is the limit. Send it flatter.`,
    { details: { limit_depth: deepestJson } },
  );
}

const signs = { quote: 0x22, open: 0x7b, close: 0x7d };

/** Parsers keep the last duplicate, people read the first. */
export function findRepeatedName(text: string): string | null {
  const objects: Set<string>[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charCodeAt(at);
    if (sign === signs.open) objects.push(new Set());
    else if (sign === signs.close) objects.pop();
    if (sign !== signs.quote) continue;
    const end = endOfString(text, at);
    let after = end + 1;
    while (/\s/.test(text[after] ?? '')) after += 1;
    if (text[after] === ':') {
      const quoted = text.slice(at, end + 1);
      const name = quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
      const names = objects.at(-1);
      if (names?.has(name) === true) return name;
      names?.add(name);
    }
    at = end;
  }
  return null;
}

/** @throws `invalid_json` for a duplicate object key */
export function requireNamesOnce(text: string): void {
  const name = findRepeatedName(text);
  if (name === null) return;
  const shown = name.length > 60 ? `${name.slice(0, 60).toWellFormed()}…` : name;
  throw new CountersignError(
    'invalid_json',
    `The JSON has ${quoteWords(shown, 200)} twice in one object. Send each name once.`,
    { details: { field: shown } },
  );
}

/** Skips a byte order mark. @throws SyntaxError, or `invalid_json` if too deep */
export function parseShallowJson(text: string): Json {
  return AnyJson.parse(parseWithin(text));
}

/** Also refuses inexact numbers and duplicate keys. @throws SyntaxError, `invalid_json` */
export function parseRequestJson(text: string): unknown {
  const value = parseWithin(text, (source, key) => {
    const shown = source.length > 60 ? `${source.slice(0, 60)}…` : source;
    throw new CountersignError(
      'invalid_json',
      `The number ${shown}${/^\d*$/.test(key) ? '' : ` in ${quoteWords(key, 200)}`} has too many digits for a number. Write it as text, in quotation marks.`,
      { details: { field: key, number: shown } },
    );
  });
  requireNamesOnce(text);
  return value;
}

function parseWithin(given: string, onInexact?: Parameters<typeof parseExactly>[1]): unknown {
  const text = withoutMark(given);
  // Reviving recurses too, so check the depth first.
  if (mayChange(text)) requireShallow(JSON.parse(text));
  const value = parseExactly(text, onInexact);
  requireShallow(value);
  return value;
}

export function parseAs<T>(schema: z.ZodType<T>, text: string): T | null {
  try {
    return schema.safeParse(parseExactly(text)).data ?? null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
