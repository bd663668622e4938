// The values of a call that are decided when it runs: where they stand, and what a person chose for those a model could not decide.
import { z } from 'zod';
import { isObject, type Json, type JsonObject, JsonValue } from '../text.ts';
import { isRuntime, type RuntimeArgument } from './arguments.ts';

const Path = z.array(z.union([z.string(), z.number().int()]));
type Path = z.infer<typeof Path>;

/** A value that is still to be decided. */
export type OpenPlace = { path: Path; argument: RuntimeArgument };

/** Every value inside `args` that is decided when the step runs, in order. */
export function findPlaces(value: Json, path: Path = []): OpenPlace[] {
  if (isRuntime(value)) return [{ path, argument: value }];
  if (Array.isArray(value)) return value.flatMap((item, i) => findPlaces(item, [...path, i]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => findPlaces(item, [...path, key]));
}

/** `headers.x-note`, `items.0` */
export function namePlace(path: Path): string {
  return path.join('.');
}

/** `value` with another value at `path`. */
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

/** What a step keeps while it waits for values: why, the form that asks for them, and where the value of each field goes. */
export const Undecided = z.looseObject({
  undecided: z.string(),
  form: JsonValue,
  /** By the name of the field. `json`: the text in it is a JSON value. */
  places: z.record(z.string(), z.object({ path: Path, json: z.boolean() })),
});
export type Undecided = z.infer<typeof Undecided>;

/** What a person chose, as the step keeps it until it runs. */
export const Chosen = z.looseObject({
  chosen: z.array(z.object({ path: Path, value: JsonValue })),
});
export type Chosen = z.infer<typeof Chosen>;

/** `args` with the values that a person chose in their places; null: nothing was chosen, or for other places than these. */
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
  return filled as JsonObject; // the root is an object, and only values below it were replaced
}
