// Text safe for Postgres and people: no NUL, no lone surrogates.
import { z } from 'zod';
import { parseExactly } from './exact-json.ts';
import { isStorableText } from './words.ts';

export const unstorable = 'contains characters that cannot be stored (NUL or a lone surrogate)';

export const StorableText = z.string().refine(isStorableText, unstorable);

/** Required. @param max characters */
export function line(max: number) {
  return z.string().trim().min(1).max(max).refine(isStorableText, unstorable);
}

/** Characters of a message, request or feedback. */
export const longestMessage = 20_000;

/** Large integers are bigints. Surely storable only after `JsonValue` or `JsonObject`. */
export type Json = null | boolean | number | bigint | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Null unless an object with keys. */
export function objectIn(value: Json | undefined): JsonObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
}

/** Undefined if invalid or not storable. */
export function parseJson(text: string): Json | undefined {
  try {
    return JsonValue.parse(parseExactly(text));
  } catch {
    return undefined; // the caller reports it
  }
}

export function toJson(value: unknown): Json {
  return JsonValue.parse(parseExactly(JSON.stringify(value)));
}

export function textsIn(value: Json | undefined): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** @param change also gets the nearest key, '' outside objects */
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

/** By U+FFFD. */
export function makeStorableText(text: string): string {
  return text.replaceAll('\u0000', '\ufffd').toWellFormed();
}

/** Numbers without a JSON form become null. */
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

/** Texts may be unstorable. */
// The check narrows no type.
export const AnyJson = z.unknown().refine(isJson, 'is not JSON') as unknown as z.ZodType<Json>;
export const JsonValue: z.ZodType<Json> = AnyJson.refine(everyText, unstorable);
export const JsonObject: z.ZodType<JsonObject> = z
  .record(z.string(), AnyJson)
  .refine(everyText, unstorable);
