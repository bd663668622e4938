// A planning session after each transition.
// Gapless numbers let only one of two planners write the next checkpoint.
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

/** Without characters that jsonb refuses. */
function toStorable(state: PlanningState): string {
  const text = JSON.stringify(state);
  if (!/\\u0000|\\ud[89a-f][0-9a-f]{2}/.test(text)) return text;
  return JSON.stringify(makeStorable(AnyJson.parse(parseExactly(text))));
}

/** If it `closes` the turn, deletes its earlier states. @returns false if the number is taken */
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
    /** Null at the start of a session. */
    transition: { from: Stage; event: StageEvent } | null;
    closes: boolean;
  },
): Promise<boolean> {
  return db.hasRows(sql`
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
}

/** All but the last of each unfinished earlier turn. */
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

/** Null if nothing readable was kept. */
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

/** Empty if the run's last checkpoint is another turn's. */
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

// Memoised results by digest of their inputs; the first result wins.

export type MemoEntry = { key: string; kind: string; runId: string };

export async function readMemo(db: Queryable, key: string): Promise<string | null> {
  const [row] = await db
    .select({ text: sql<string>`${planningMemo.value} #>> '{}'` })
    .from(planningMemo)
    .where(eq(planningMemo.key, key));
  return row?.text ?? null;
}

/** A JSON string keeps NUL and lone surrogates, which jsonb refuses. @returns the stored result */
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
