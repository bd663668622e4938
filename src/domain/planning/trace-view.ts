// A planning run for people and programs: its trace entries, its path through the stages, and totals.
import { z } from 'zod';
import { Stage, StageEvent } from './stages.ts';
import { TraceEntry } from './trace.ts';

/** One transition of the session, in the order they happened. */
export const TraceTransition = z.strictObject({
  turn: z.number().int(),
  stage: Stage,
  event: StageEvent,
  to: Stage,
});
export type TraceTransition = z.infer<typeof TraceTransition>;

export const TraceTotals = z.strictObject({
  /** US dollars that the entries say. */
  cost_usd: z.number(),
  /** Time in which something worked; what ran side by side counts once, waiting for people not at all. */
  duration_ms: z.number(),
  turns: z.number().int(),
  /** Tool and model calls, those that failed included. */
  calls: z.number().int(),
  failed: z.number().int(),
  /** Calls that a stored result stood in for. */
  remembered: z.number().int(),
});
export type TraceTotals = z.infer<typeof TraceTotals>;

export const PlanningTrace = z.strictObject({
  run_id: z.string().nullable(),
  planner: z.string(),
  /** Why a plan was or was not made. */
  reason: z.string().nullable(),
  entries: z.array(TraceEntry),
  /** The transitions among the entries; empty for planners without stages. */
  path: z.array(TraceTransition),
  totals: TraceTotals,
  /** Model calls that never came back, or have not yet: they count towards budgets as their estimates. */
  open_calls: z.array(
    z.strictObject({
      stage: z.string(),
      model: z.string(),
      estimate_usd: z.number(),
      began_at: z.string(),
    }),
  ),
});
export type PlanningTrace = z.infer<typeof PlanningTrace>;
