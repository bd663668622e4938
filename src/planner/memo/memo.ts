// Memoises paid or computed results (B5) under a digest of everything they depend on, so a planner that takes over reuses them.
// Only successes are kept.
import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { z } from 'zod';
import type { Queryable } from '#db/database.ts';
import { readMemo, writeMemo } from '#db/planning/checkpoints.ts';
import { parseExactly } from '#domain/exact-json.ts';

/** All that a result depends on. */
export type MemoParts = {
  /** `model`, or the name of a tool. */
  kind: string;
  /** The model's name, or the revision of the tool's rules. */
  version: string | number;
  inputs: unknown;
  /** How the person likes to be talked to, where it shapes the result. */
  policy: unknown;
  /** Where the result may be used again: a run and its turn. */
  scope: unknown;
};

/** JSON text beyond this many characters is not kept. */
const maxKept = 4_000_000;

/** SHA-256 in hex over the parts as canonical JSON (RFC 8785). */
export function memoKey(parts: MemoParts): string {
  // What JSON has no form for (undefined, dates as objects) is read as JSON reads it.
  const text = canonicalize(parseExactly(JSON.stringify(parts)));
  if (text === undefined) throw new TypeError('memoKey: the parts have no JSON form');
  return hash('sha256', text, 'hex');
}

export type MemoUse<Value> = {
  key: string;
  kind: string;
  runId: string;
  /** What is read back is checked by it; what no longer fits is made anew. */
  schema: z.ZodType<Value>;
  /** Whether a fresh result is kept. */
  keep(value: Value): boolean;
};

function parseStored<Value>(schema: z.ZodType<Value>, text: string | null): Value | null {
  if (text === null) return null;
  const parsed = schema.safeParse(parseExactly(text));
  return parsed.success ? parsed.data : null;
}

/** The stored result, or null. */
export async function recall<Value>(
  db: Queryable,
  { key, schema }: Pick<MemoUse<Value>, 'key' | 'schema'>,
): Promise<Value | null> {
  return parseStored(schema, await readMemo(db, key));
}

/** Stores `value` where it is worth it. @returns what everybody gets: another's result, if it was stored first */
export async function keep<Value>(
  db: Queryable,
  use: MemoUse<Value>,
  value: Value,
): Promise<Value> {
  if (!use.keep(value)) return value;
  const text = JSON.stringify(value);
  if (text.length > maxKept) return value;
  const stored = await writeMemo(db, use, text);
  return stored === text ? value : (parseStored(use.schema, stored) ?? value);
}

/** The stored result, or that of `make`, which is then stored. What `make` throws is thrown on, and nothing is kept. */
export async function remember<Value>(
  db: Queryable,
  use: MemoUse<Value>,
  make: () => Promise<Value>,
): Promise<{ value: Value; remembered: boolean }> {
  const known = await recall(db, use);
  if (known !== null) return { value: known, remembered: true };
  return { value: await keep(db, use, await make()), remembered: false };
}
