// Digests large JSON in slices.
import { createHash } from 'node:crypto';
import { isSliceOver, nextTurn } from './slices.ts';
import { isObject } from './text.ts';

/** Levels written item by item. */
const levels = 3;

function* writeJson(value: unknown, deeper: number): Generator<string> {
  if (deeper > 0 && Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield index === 0 ? '[' : ',';
      yield* writeJson(item, deeper - 1);
    }
    yield value.length === 0 ? '[]' : ']';
  } else if (deeper > 0 && isObject(value)) {
    let separator = '{';
    for (const [key, item] of Object.entries(value)) {
      if (item === undefined) continue;
      yield `${separator}${JSON.stringify(key)}:`;
      yield* writeJson(item, deeper - 1);
      separator = ',';
    }
    yield separator === '{' ? '{}' : '}';
  } else yield JSON.stringify(value) ?? 'null';
}

/** SHA-256 in hex of `JSON.stringify(value)`. */
export async function digestJson(value: unknown): Promise<string> {
  const hash = createHash('sha256');
  for (const piece of writeJson(value, levels)) {
    hash.update(piece);
    if (isSliceOver()) await nextTurn();
  }
  return hash.digest('hex');
}
