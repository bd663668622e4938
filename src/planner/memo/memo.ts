// Memoises paid or computed results (B5), keyed by everything they depend on.
import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { z } from 'zod';
import type { Queryable } from '#db/database.ts';
import { readMemo, writeMemo } from '#db/planning/checkpoints.ts';
import { parseExactly } from '#domain/exact-json.ts';
import { StageEvent } from '#domain/planning/stages.ts';
import { PlanningState, SessionRead } from '#domain/planning/state.ts';
import { Adaptation, Violation } from '#domain/planning/trace.ts';
import type { JsonObject } from '#domain/text.ts';
import { type ToolContext, type ToolOutcome, ToolResult } from '../tool.ts';

type MemoParts = {
  kind: string;
  /** Model name, or revision of the tool's rules. */
  version: string | number;
  inputs: unknown;
  policy: unknown;
  scope: unknown;
};

const maxKept = 4_000_000;

/** SHA-256 in hex of canonical JSON (RFC 8785). */
export function memoKey(parts: MemoParts): string {
  // Normalises undefined, dates and the like as JSON does.
  const text = canonicalize(parseExactly(JSON.stringify(parts)));
  if (text === undefined) throw new TypeError('memoKey: the parts have no JSON form');
  return hash('sha256', text, 'hex');
}

type MemoUse<Value> = {
  key: string;
  kind: string;
  runId: string;
  /** A stored value that no longer fits is recomputed. */
  schema: z.ZodType<Value>;
  keep(value: Value): boolean;
};

function parseStored<Value>(schema: z.ZodType<Value>, text: string | null): Value | null {
  if (text === null) return null;
  const parsed = schema.safeParse(parseExactly(text));
  return parsed.success ? parsed.data : null;
}

export async function recall<Value>(
  db: Queryable,
  { key, schema }: Pick<MemoUse<Value>, 'key' | 'schema'>,
): Promise<Value | null> {
  return parseStored(schema, await readMemo(db, key));
}

/** @returns the first value stored, possibly another process's */
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

/** Errors of `make` pass through, and nothing is kept. */
export async function remember<Value>(
  db: Queryable,
  use: MemoUse<Value>,
  make: () => Promise<Value>,
): Promise<{ value: Value; remembered: boolean }> {
  const known = await recall(db, use);
  if (known !== null) return { value: known, remembered: true };
  return { value: await keep(db, use, await make()), remembered: false };
}

const { shape } = PlanningState;

// No defaults: they would add changes nobody made.
const StateChanges = z.strictObject({
  pattern: shape.pattern.unwrap().exactOptional(),
  rfc: shape.rfc.unwrap().exactOptional(),
  outline: shape.outline.unwrap().exactOptional(),
  roadmap: shape.roadmap.unwrap().exactOptional(),
  schedule: shape.schedule.unwrap().exactOptional(),
  portfolio: shape.portfolio.unwrap().exactOptional(),
  approvals: shape.approvals.unwrap().exactOptional(),
  change: shape.change.unwrap().exactOptional(),
  hints: shape.hints.unwrap().exactOptional(),
  assumed: shape.assumed.unwrap().exactOptional(),
  offered: shape.offered.unwrap().exactOptional(),
  questions_asked: shape.questions_asked.unwrap().exactOptional(),
  pause: shape.pause.unwrap().exactOptional(),
  result: shape.result.unwrap().exactOptional(),
  reason: shape.reason.unwrap().exactOptional(),
  wish: shape.wish,
  memory: shape.memory,
});

const StoredOutcome: z.ZodType<ToolOutcome> = z.strictObject({
  result: ToolResult,
  changes: StateChanges.exactOptional(),
  read: SessionRead.exactOptional(),
  violations: z.array(Violation).exactOptional(),
  adaptations: z.array(Adaptation).exactOptional(),
  self: z.number().nullable().exactOptional(),
  heuristics: z.number().exactOptional(),
  ends: StageEvent.exactOptional(),
});

/** Without history, cost, duration and reads, whose order may differ. */
function inputsOf(
  args: JsonObject,
  toolContext: RememberedContext,
  state: Readonly<PlanningState>,
) {
  const {
    trace: _,
    calls: __,
    cost_usd: ___,
    confidence: ____,
    reads: _____,
    found: ______,
    ...seen
  } = state;
  const { modes, request, user, ownWords, settings, now } = toolContext;
  return { args, state: seen, modes, request, user, ownWords, settings, now: now.toISOString() };
}

type RememberedContext = Pick<
  ToolContext,
  'modes' | 'request' | 'user' | 'ownWords' | 'settings' | 'now' | 'policy'
>;

/** Keeps successes within a turn. @param readState the session as the next call finds it */
export function createRemember(
  db: Queryable,
  place: { runId: string; turn: number },
  toolContext: RememberedContext,
  readState: () => Readonly<PlanningState>,
) {
  return async (
    tool: { name: string; revision: number },
    args: JsonObject,
    make: () => Promise<ToolOutcome>,
  ): Promise<{ outcome: ToolOutcome; remembered: boolean }> => {
    const key = memoKey({
      kind: tool.name,
      version: tool.revision,
      inputs: inputsOf(args, toolContext, readState()),
      policy: toolContext.policy,
      scope: place,
    });
    const { value, remembered } = await remember(
      db,
      {
        key,
        kind: tool.name,
        runId: place.runId,
        schema: StoredOutcome,
        keep: ({ result }) => result.ok,
      },
      make,
    );
    return { outcome: value, remembered };
  };
}
