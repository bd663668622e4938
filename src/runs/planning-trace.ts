// A run's trace: its stored entries, stages and totals.
import { and, eq } from 'drizzle-orm';
import { writeCall } from '#cards/calls-to-action.ts';
import type { Queryable, Transaction } from '#db/database.ts';
import { readTurnTrace } from '#db/planning/checkpoints.ts';
import type { RunRow } from '#db/planning/runs.ts';
import { listOpenCalls } from '#db/planning/spending.ts';
import type { PlanRow } from '#db/plans/plans.ts';
import { planVersions } from '#db/schema.ts';
import type { Actor } from '#domain/people/actor.ts';
import type { TraceEntry } from '#domain/planning/trace.ts';
import {
  type PlanningTrace,
  type TraceTotals,
  TraceTransition,
} from '#domain/planning/trace-view.ts';
import type { ConversationContext } from '#messages/context.ts';
import { callOfPlan } from '#messages/store-message.ts';
import { readPolicyOf } from '#people/policy.ts';
import { statusWords } from '#plans/lifecycle/lifecycle-table.ts';

function isWork(entry: TraceEntry): boolean {
  return entry.event === undefined && entry.decision === undefined;
}

/** Concurrent calls count once. */
function measureWork(entries: TraceEntry[]): number {
  const spans = entries
    .map(({ at, duration_ms }) => {
      const start = Date.parse(at);
      return { start, end: start + Math.max(0, duration_ms) };
    })
    .filter(({ end }) => Number.isFinite(end))
    .sort((a, b) => a.start - b.start);
  let covered = 0;
  let until = Number.NEGATIVE_INFINITY;
  for (const { start, end } of spans) {
    covered += Math.max(0, end - Math.max(start, until));
    until = Math.max(until, end);
  }
  return covered;
}

export function addUpTrace(entries: TraceEntry[]): TraceTotals {
  const work = entries.filter(isWork);
  const billionths = entries.reduce((sum, { cost_delta }) => sum + Math.round(cost_delta * 1e9), 0);
  return {
    cost_usd: billionths / 1e9,
    duration_ms: measureWork(work),
    turns: entries.reduce((most, { turn = 1 }) => Math.max(most, turn), 0),
    calls: work.length,
    failed: work.filter(({ ok }) => !ok).length,
    remembered: work.filter(({ remembered }) => remembered === true).length,
  };
}

/** Ended turns are stored on the run; the current one in its last checkpoint. */
async function readEntries(db: Queryable, run: RunRow): Promise<TraceEntry[]> {
  if (run.planning_status !== 'running') return run.trace;
  return [...run.trace, ...(await readTurnTrace(db, run.id, run.turn))];
}

function readTransition({ turn = 1, stage, event, to }: TraceEntry): TraceTransition[] {
  const read = TraceTransition.safeParse({ turn, stage, event, to });
  return read.success ? [read.data] : [];
}

export async function readRunTrace(db: Queryable, run: RunRow): Promise<PlanningTrace> {
  const entries = await readEntries(db, run);
  return {
    run_id: run.id,
    planner: run.planner ?? '',
    reason: run.decision_reason,
    entries,
    path: entries.flatMap(readTransition),
    totals: addUpTrace(entries),
    open_calls: await listOpenCalls(db, run.id),
  };
}

export function emptyTrace(planner: string): PlanningTrace {
  return {
    run_id: null,
    planner,
    reason: null,
    entries: [],
    path: [],
    totals: addUpTrace([]),
    open_calls: [],
  };
}

export type TracedDecision = {
  word: 'approve' | 'reject' | 'propose changes' | 'cancel';
  actor: Actor;
};

/** A version counts as shown from its proposal or returning refusal. @param row the plan after the decision */
export async function traceDecision(
  { clock }: ConversationContext,
  tx: Transaction,
  run: RunRow,
  row: PlanRow,
  { word, actor }: TracedDecision,
): Promise<TraceEntry[]> {
  const { id, version } = row;
  const [stored] = await tx
    .select({ created_at: planVersions.created_at })
    .from(planVersions)
    .where(and(eq(planVersions.plan_id, id), eq(planVersions.version, version)));
  const refusals = row.rejection_history.filter((refusal) => refusal.version === version);
  const refusing = word === 'reject' || word === 'propose changes';
  const before = (refusing ? refusals.slice(0, -1) : refusals).at(-1);
  const now = clock.now();
  const shown = new Date(before?.at ?? stored?.created_at ?? now);
  const status = before !== undefined && !row.revising ? 'needs_review' : 'proposed';
  return [
    ...run.trace,
    {
      stage: 'SEEK_APPROVAL',
      tool: 'person',
      at: now.toISOString(),
      duration_ms: Math.max(0, now.getTime() - shown.getTime()),
      ok: true,
      confidence: null,
      cost_delta: 0,
      explanation: `${id}, version ${version}, is ${statusWords[row.status]}.`,
      turn: run.turn,
      decision: `${word} by ${actor.id}`,
      call_to_action: writeCall(callOfPlan({ id, status }, (await readPolicyOf(tx, run)).tone)),
    },
  ];
}
