// A planning run for people and programs: its trace entries, its path through the stages, and totals.
import { z } from 'zod';
import { Stage, StageEvent } from './stages.ts';
import { TraceEntry } from './trace.ts';

/** One transition of the session, in order. */
export const TraceTransition = z.strictObject({
  turn: z.number().int(),
  stage: Stage,
  event: StageEvent,
  to: Stage,
});
export type TraceTransition = z.infer<typeof TraceTransition>;

export const TraceTotals = z.strictObject({
  /** US dollars, summed over entries. */
  cost_usd: z.number(),
  /** Working time; concurrent work counts once, waiting for people not at all. */
  duration_ms: z.number(),
  turns: z.number().int(),
  /** Tool and model calls, including failed ones. */
  calls: z.number().int(),
  failed: z.number().int(),
  /** Calls answered by a stored result. */
  remembered: z.number().int(),
});
export type TraceTotals = z.infer<typeof TraceTotals>;

export const PlanningTrace = z.strictObject({
  run_id: z.string().nullable(),
  planner: z.string(),
  /** Why a plan was or was not made. */
  reason: z.string().nullable(),
  entries: z.array(TraceEntry),
  /** The transitions; empty for planners without stages. */
  path: z.array(TraceTransition),
  totals: TraceTotals,
  /** Model calls without a result, counted towards budgets by their estimates. */
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
