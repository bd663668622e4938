// Text that Postgres and people can both take: no NUL, no lone surrogates, bounded length.
import { z } from 'zod';

/** Text that can be stored as jsonb and shown: well-formed Unicode without NUL. */
export function isStorableText(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/** A required line of text of at most `max` characters. */
export function line(max: number) {
  return z
    .string()
    .trim()
    .min(1)
    .max(max)
    .refine(isStorableText, 'contains characters that cannot be stored (NUL or a lone surrogate)');
}

/** Any JSON value all of whose strings and keys can be stored. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

function everyText(value: Json): boolean {
  if (typeof value === 'string') return isStorableText(value);
  if (value === null || typeof value !== 'object') return true;
  if (Array.isArray(value)) return value.every(everyText);
  return Object.entries(value).every(([key, item]) => isStorableText(key) && everyText(item));
}

const unstorable = 'contains characters that cannot be stored (NUL or a lone surrogate)';

export const JsonValue: z.ZodType<Json> = z
  .json()
  .refine((v) => everyText(v as Json), unstorable) as z.ZodType<Json>;
export const JsonObject = z
  .record(z.string(), z.json())
  .refine((v) => everyText(v as Json), unstorable) as z.ZodType<{
  [key: string]: Json;
}>;
export type JsonObject = { [key: string]: Json };
