// Plans by status, and requests that no tool could meet.
import { z } from 'zod';
import { PlanStatus } from './plan/plan.ts';

/** A request that no tool could meet. */
const ToolGap = z.object({
  /** To follow "I can't": `book flights`, as last requested. */
  wanted: z.string(),
  times: z.int().min(1),
  /** Number of people who asked for it. */
  people: z.int().min(1),
  last_at: z.iso.datetime(),
});

export const PlanStats = z.object({
  /** Without empty statuses. */
  plans: z.partialRecord(PlanStatus, z.int().min(1)),
  /** The most frequent first. */
  gaps: z.array(ToolGap),
  /** The period of `gaps` in days. */
  gap_days: z.int().min(1),
});
export type PlanStats = z.infer<typeof PlanStats>;
