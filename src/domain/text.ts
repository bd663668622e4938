// Text that both Postgres and people can take: no NUL, no lone surrogates, bounded length.
import { z } from 'zod';
import { parseExactly } from './exact-json.ts';
import { isStorableText } from './words.ts';

export const unstorable = 'contains characters that cannot be stored (NUL or a lone surrogate)';

/** Text of any length, lines and blanks as they are. */
export const StorableText = z.string().refine(isStorableText, unstorable);

/** A required line of text of at most `max` characters. */
export function line(max: number) {
  return z.string().trim().min(1).max(max).refine(isStorableText, unstorable);
}

/** Characters of one message, request or piece of feedback. Longer texts belong in a file. */
export const longestMessage = 20_000;

/** Any JSON value; whole numbers too large for a number are bigints. Only what passed `JsonValue` or `JsonObject` is sure to be storable. */
export type Json = null | boolean | number | bigint | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

/** Whether a JSON value, or another value, is an object with keys. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `value` as an object with keys; null: it is none. */
export function objectIn(value: Json | undefined): JsonObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
}

/** The JSON value that `text` is; undefined: it is none, or one that cannot be stored. */
export function parseJson(text: string): Json | undefined {
  try {
    return JsonValue.parse(parseExactly(text));
  } catch {
    return undefined; // the caller says what was wrong with it
  }
}

/** `value` as JSON has it: keys without a value are gone, and nothing in it is shared. */
export function toJson(value: unknown): Json {
  return JsonValue.parse(parseExactly(JSON.stringify(value)));
}

/** The texts among the values of a JSON value, however deep. */
export function textsIn(value: Json | undefined): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** `value` with the texts in it changed. @param change is given the nearest key too; '' outside objects */
export function mapTexts(
  value: Json,
  change: (text: string, key: string) => string,
  isKept: (value: JsonObject) => boolean = () => false,
  key = '',
): Json {
  if (typeof value === 'string') return change(value, key);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change, isKept, key));
  if (typeof value !== 'object' || value === null || isKept(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, mapTexts(item, change, isKept, name)]),
  );
}

/** `text` with what cannot be stored replaced by U+FFFD. */
export function makeStorableText(text: string): string {
  return text.replaceAll('\u0000', '\ufffd').toWellFormed();
}

/** `value` with the texts and keys that cannot be stored made storable; a number JSON has no form for becomes null. */
export function makeStorable(value: Json): Json {
  if (typeof value === 'string') return makeStorableText(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(makeStorable);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [makeStorableText(key), makeStorable(item)]),
  );
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function isJson(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'bigint':
      return true;
    case 'number':
      return Number.isFinite(value);
    case 'object':
      if (value === null) return true;
      if (Array.isArray(value)) return value.every(isJson);
      return isPlain(value) && Object.values(value).every(isJson);
    default:
      return false;
  }
}

function everyText(value: unknown): boolean {
  if (typeof value === 'string') return isStorableText(value);
  if (value === null || typeof value !== 'object') return true;
  if (Array.isArray(value)) return value.every(everyText);
  return Object.entries(value).every(([key, item]) => isStorableText(key) && everyText(item));
}

/** JSON whose texts may be unstorable. */
// A check tells the type checker nothing; what passes it is JSON.
export const AnyJson = z.unknown().refine(isJson, 'is not JSON') as unknown as z.ZodType<Json>;
export const JsonValue: z.ZodType<Json> = AnyJson.refine(everyText, unstorable);
export const JsonObject: z.ZodType<JsonObject> = z
  .record(z.string(), AnyJson)
  .refine(everyText, unstorable);
