// Values decided when a call runs, by a model or a person.
import { z } from 'zod';
import { isObject, type Json, type JsonObject, JsonValue } from '../text.ts';
import { isRuntime } from './argument-kinds.ts';
import type { RuntimeArgument } from './arguments.ts';

const Path = z.array(z.union([z.string(), z.number().int()]));
type Path = z.infer<typeof Path>;

export type OpenPlace = { path: Path; argument: RuntimeArgument };

export function findPlaces(value: Json, path: Path = []): OpenPlace[] {
  if (isRuntime(value)) return [{ path, argument: value }];
  if (Array.isArray(value)) return value.flatMap((item, i) => findPlaces(item, [...path, i]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => findPlaces(item, [...path, key]));
}

/** `headers.x-note`, `items.0`. */
export function namePlace(path: Path): string {
  return path.join('.');
}

export function writeAt(value: Json, path: Path, replacement: Json): Json {
  const [key, ...rest] = path;
  if (key === undefined) return replacement;
  if (Array.isArray(value))
    return value.map((item, i) => (i === key ? writeAt(item, rest, replacement) : item));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      name === key ? writeAt(item, rest, replacement) : item,
    ]),
  );
}

/** Stored while a step waits for values. */
export const Undecided = z.looseObject({
  undecided: z.string(),
  form: JsonValue,
  /** By field name. `json`: the text is JSON. */
  places: z.record(z.string(), z.object({ path: Path, json: z.boolean() })),
});
export type Undecided = z.infer<typeof Undecided>;

export const Chosen = z.looseObject({
  chosen: z.array(z.object({ path: Path, value: JsonValue })),
});
export type Chosen = z.infer<typeof Chosen>;

/** Null without choices for exactly these places. */
export function fillIn(args: JsonObject, output: Json | undefined): JsonObject | null {
  const chosen = Chosen.safeParse(output);
  if (!chosen.success) return null;
  const open = findPlaces(args).map(({ path }) => JSON.stringify(path));
  const given = chosen.data.chosen;
  if (given.length !== open.length) return null;
  let filled: Json = args;
  for (const { path, value } of given) {
    if (!open.includes(JSON.stringify(path))) return null;
    filled = writeAt(filled, path, value);
  }
  return filled as JsonObject; // only values below the root object were replaced
}
