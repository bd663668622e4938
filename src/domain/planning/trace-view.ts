// A planning run's trace, path and totals.
import { z } from 'zod';
import { Stage, StageEvent } from './stages.ts';
import { TraceEntry } from './trace.ts';

export const TraceTransition = z.strictObject({
  turn: z.number().int(),
  stage: Stage,
  event: StageEvent,
  to: Stage,
});
export type TraceTransition = z.infer<typeof TraceTransition>;

export const TraceTotals = z.strictObject({
  /** US dollars. */
  cost_usd: z.number(),
  /** Concurrent work counts once, waiting for people not at all. */
  duration_ms: z.number(),
  turns: z.number().int(),
  calls: z.number().int(),
  failed: z.number().int(),
  /** Answered by a stored result. */
  remembered: z.number().int(),
});
export type TraceTotals = z.infer<typeof TraceTotals>;

export const PlanningTrace = z.strictObject({
  run_id: z.string().nullable(),
  planner: z.string(),
  reason: z.string().nullable(),
  entries: z.array(TraceEntry),
  /** Empty without stages. */
  path: z.array(TraceTransition),
  totals: TraceTotals,
  /** Without a result; budgets count their estimates. */
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
