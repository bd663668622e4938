// Merges step arguments as JSON Merge Patch (RFC 7396).
import { isSameJson } from '../same-json.ts';
import type { Json, JsonObject } from '../text.ts';
import { isOpenEntry, isRecord } from './operation-form.ts';

/** Later values, such as references, are replaced whole. */
const isMergeable = (value: Json | undefined): value is JsonObject =>
  isRecord(value) && !isOpenEntry(value);

/** `null` removes, objects merge, other values replace. */
export function mergeArguments(args: JsonObject, change: JsonObject): JsonObject {
  const merged = new Map(Object.entries(args));
  for (const [name, value] of Object.entries(change)) {
    const before = merged.get(name);
    if (value === null) merged.delete(name);
    else if (isMergeable(value))
      merged.set(name, mergeArguments(isMergeable(before) ? before : {}, value));
    else merged.set(name, value);
  }
  return Object.fromEntries(merged);
}

export function changesBetween(before: JsonObject, now: JsonObject): JsonObject {
  const was = new Map(Object.entries(before));
  const is = new Map(Object.entries(now));
  return Object.fromEntries(
    [...new Set([...was.keys(), ...is.keys()])].flatMap((name): [string, Json][] => {
      const [from, to] = [was.get(name), is.get(name)];
      if (isSameJson(from, to)) return [];
      if (isMergeable(from) && isMergeable(to)) return [[name, changesBetween(from, to)]];
      return [[name, to ?? null]];
    }),
  );
}
