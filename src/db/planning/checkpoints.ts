// A planning session after each transition (B10). Checkpoints are numbered without gaps, so only one of two planners of a turn
// can write the next; a finished turn keeps its last state and its transitions.
import { and, desc, eq, sql } from 'drizzle-orm';
import { z } from 'zod';
import { parseExactly } from '#domain/exact-json.ts';
import type { Stage, StageEvent } from '#domain/planning/stages.ts';
import { type PlanningState, parseStoredState } from '#domain/planning/state.ts';
import { TraceEntry } from '#domain/planning/trace.ts';
import { AnyJson, makeStorable } from '#domain/text.ts';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { planningCheckpoints, planningMemo } from '../schema.ts';

const Entries = z.array(TraceEntry);

/** The JSON of a state; what a tool or a model said may hold what jsonb refuses. */
function toStorable(state: PlanningState): string {
  const text = JSON.stringify(state);
  if (!/\\u0000|\\ud[89a-f][0-9a-f]{2}/.test(text)) return text;
  return JSON.stringify(makeStorable(AnyJson.parse(parseExactly(text))));
}

/**
 * Writes checkpoint `seq` of the state's run; where that is the last one of a turn (`closes`), the states before it in
 * this turn are let go. One statement, so both happen or neither.
 * @returns false: somebody else has written this number
 */
export async function insertCheckpoint(
  db: Queryable,
  {
    state,
    seq,
    transition,
    closes,
  }: {
    state: PlanningState;
    seq: number;
    /** The transition that led here, or null at the start of a session. */
    transition: { from: Stage; event: StageEvent } | null;
    closes: boolean;
  },
): Promise<boolean> {
  const { rows } = await db.execute<{ seq: number }>(sql`
    with added as (
      insert into ${countersign}.planning_checkpoints
        (thread_id, run_id, seq, turn, from_stage, event, stage, state)
      values (${state.thread_id}, ${state.run_id}, ${seq}, ${state.turn}, ${transition?.from ?? null},
        ${transition?.event ?? null}, ${state.stage}, ${toStorable(state)}::jsonb)
      on conflict (run_id, seq) do nothing
      returning run_id, seq, turn
    ), let_go as (
      update ${countersign}.planning_checkpoints c set state = '{}'
      from added a
      where ${closes} and c.run_id = a.run_id and c.turn = a.turn and c.seq < a.seq
        and pg_column_size(c.state) > 64
    )
    select seq from added`);
  return rows.length > 0;
}

/**
 * Lets go of what earlier turns of the state's run left behind when they never came to rest: all their states but the
 * last of each.
 */
export async function forgetStates(
  db: Queryable,
  { run_id, turn }: Pick<PlanningState, 'run_id' | 'turn'>,
): Promise<void> {
  await db.execute(sql`
    update ${countersign}.planning_checkpoints c set state = '{}'
    where c.run_id = ${run_id} and c.turn < ${turn}
      and pg_column_size(c.state) > 64
      and exists (
        select from ${countersign}.planning_checkpoints later
        where later.run_id = c.run_id and later.turn = c.turn and later.seq > c.seq
      )`);
}

/** The last checkpoint of a run, with its state where this version can read it, or null if there is none. */
export async function readLatestCheckpoint(
  db: Queryable,
  runId: string,
): Promise<{ seq: number; turn: number; state: z.ZodSafeParseResult<PlanningState> } | null> {
  const { run_id, seq, turn, state } = planningCheckpoints;
  const [row] = await db
    .select({ seq, turn, state })
    .from(planningCheckpoints)
    .where(eq(run_id, runId))
    .orderBy(desc(seq))
    .limit(1);
  return row === undefined ? null : { ...row, state: parseStoredState(row.state) };
}

/** How turn `turn` of a run ended, or null if nothing of it was kept, or nothing that this version can read. */
export async function readTurnState(
  db: Queryable,
  runId: string,
  turn: number,
): Promise<PlanningState | null> {
  const { run_id, seq, state } = planningCheckpoints;
  const [row] = await db
    .select({ state })
    .from(planningCheckpoints)
    .where(and(eq(run_id, runId), eq(planningCheckpoints.turn, turn)))
    .orderBy(desc(seq))
    .limit(1);
  return parseStoredState(row?.state).data ?? null;
}

/** A turn's trace so far, from its last checkpoint; empty if that belongs to another turn. */
export async function readTurnTrace(
  db: Queryable,
  runId: string,
  turn: number,
): Promise<TraceEntry[]> {
  const { rows } = await db.execute<{ trace: unknown }>(sql`
    select case when turn = ${turn} then state -> 'trace' end as trace
    from ${countersign}.planning_checkpoints where run_id = ${runId} order by seq desc limit 1`);
  return Entries.safeParse(rows[0]?.trace).data ?? [];
}

// Memoised results, keyed by the digest of everything they depend on (B5). Written once: the first result counts for all.

export type MemoEntry = { key: string; kind: string; runId: string };

/** The stored result as JSON text, or null if there is none. */
export async function readMemo(db: Queryable, key: string): Promise<string | null> {
  const [row] = await db
    .select({ text: sql<string>`${planningMemo.value} #>> '{}'` })
    .from(planningMemo)
    .where(eq(planningMemo.key, key));
  return row?.text ?? null;
}

/**
 * Stores a result, given as JSON text, unless there is one already. It is kept as a JSON string, so that what jsonb
 * cannot hold (NUL, lone surrogates) comes back as it was.
 * @returns what is stored now
 */
export async function writeMemo(
  db: Queryable,
  { key, kind, runId }: MemoEntry,
  text: string,
): Promise<string> {
  const added = await db
    .insert(planningMemo)
    .values({ key, kind, run_id: runId, value: sql`to_jsonb(${text}::text)` })
    .onConflictDoNothing()
    .returning({ key: planningMemo.key });
  return added.length > 0 ? text : ((await readMemo(db, key)) ?? text);
}
