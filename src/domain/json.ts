// Reading JSON from outside. Its nesting is bounded: code that recurses into a value would overflow the stack on a small but deep
// body.
import type { z } from 'zod';
import { withoutMark } from './encoding/encoding.ts';
import { CountersignError } from './errors.ts';
import type { Json } from './text.ts';

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

/** `JSON.parse` with that limit, also behind a byte order mark. @throws SyntaxError, or `invalid_json` for a value that nests too deep */
export function parseShallowJson(text: string): Json {
  const value: Json = JSON.parse(withoutMark(text));
  requireShallow(value);
  return value;
}

/** What `text` holds, where that is JSON of this schema; null: it is none. */
export function parseAs<T>(schema: z.ZodType<T>, text: string): T | null {
  try {
    return schema.safeParse(JSON.parse(text)).data ?? null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
