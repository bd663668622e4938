// How a run was planned: its stored entries, its path through the stages, and totals.
import type { Queryable } from '#db/database.ts';
import { readTurnTrace } from '#db/planning-checkpoints.ts';
import type { RunRow } from '#db/runs.ts';
import { listOpenCalls } from '#db/spending.ts';
import type { TraceEntry } from '#domain/planning/run.ts';
import type { PlanningTrace } from '#domain/planning/trace-view.ts';
import { replayTrace } from '#planner/trace/replay.ts';
import { addUpTrace } from '#planner/trace/totals.ts';

/** Turns that are over are on the run; what one under way has done so far is in its last checkpoint. */
async function readEntries(db: Queryable, run: RunRow): Promise<TraceEntry[]> {
  if (run.planning_status !== 'running') return run.trace;
  return [...run.trace, ...(await readTurnTrace(db, run.id, run.turn))];
}

/** The trace of a run. */
export async function readRunTrace(db: Queryable, run: RunRow): Promise<PlanningTrace> {
  const entries = await readEntries(db, run);
  const { path, problem } = replayTrace(entries);
  return {
    run_id: run.id,
    planner: run.planner ?? '',
    reason: run.decision_reason,
    entries,
    path,
    problem,
    totals: addUpTrace(entries),
    open_calls: await listOpenCalls(db, run.id),
  };
}

/** The trace of a plan that no run has made. */
export function emptyTrace(planner: string): PlanningTrace {
  return {
    run_id: null,
    planner,
    reason: null,
    entries: [],
    path: [],
    problem: null,
    totals: addUpTrace([]),
    open_calls: [],
  };
}
