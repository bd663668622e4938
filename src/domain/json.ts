// Reading JSON from outside. Its nesting is bounded: code that recurses into a value would overflow the stack on a small but deep
// body.
import type { z } from 'zod';
import { withoutMark } from './encoding/encoding.ts';
import { CountersignError } from './errors.ts';
import { mayChange, parseExactly } from './exact-json.ts';
import { AnyJson, type Json } from './text.ts';

/** Levels of lists and objects in each other. */
const deepestJson = 100;

function exceeds(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((item) => exceeds(item, levels - 1));
}

/** @throws `invalid_json` for a value that nests more than `deepestJson` levels deep */
export function requireShallow(value: unknown): void {
  if (!exceeds(value, deepestJson)) return;
  throw new CountersignError(
    'invalid_json',
    `The JSON nests more than ${deepestJson} levels deep, which is the limit. Send it flatter.`,
    { details: { limit_depth: deepestJson } },
  );
}

/** Outside JSON with that limit and exact numbers; a byte order mark is skipped. @throws SyntaxError, or `invalid_json` if nested too deep */
export function parseShallowJson(text: string): Json {
  return AnyJson.parse(parseWithin(text));
}

/** The same for what is to be done: a number that cannot be kept as a number is refused. @throws SyntaxError, `invalid_json` */
export function parseRequestJson(text: string): unknown {
  return parseWithin(text, (source, key) => {
    const shown = source.length > 60 ? `${source.slice(0, 60)}…` : source;
    throw new CountersignError(
      'invalid_json',
      `The number ${shown}${/^\d*$/.test(key) ? '' : ` in “${key}”`} has too many digits for a number. Write it as text, in quotation marks.`,
      { details: { field: key, number: shown } },
    );
  });
}

function parseWithin(given: string, onInexact?: Parameters<typeof parseExactly>[1]): unknown {
  const text = withoutMark(given);
  // Reviving numbers recurses as well, so the depth is known before.
  if (mayChange(text)) requireShallow(JSON.parse(text));
  const value = parseExactly(text, onInexact);
  requireShallow(value);
  return value;
}

/** What `text` holds, where that is JSON of this schema; null: it is none. */
export function parseAs<T>(schema: z.ZodType<T>, text: string): T | null {
  try {
    return schema.safeParse(parseExactly(text)).data ?? null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
