// Plans by status, and unmet requests.
import { z } from 'zod';
import { PlanStatus } from './plan/plan.ts';

/** No tool could meet it. */
const ToolGap = z.object({
  /** Follows "I can't": `book flights`. */
  wanted: z.string(),
  times: z.int().min(1),
  people: z.int().min(1),
  last_at: z.iso.datetime(),
});

export const PlanStats = z.object({
  /** Without empty statuses. */
  plans: z.partialRecord(PlanStatus, z.int().min(1)),
  /** Most frequent first. */
  gaps: z.array(ToolGap),
  /** For `gaps`. */
  gap_days: z.int().min(1),
});
export type PlanStats = z.infer<typeof PlanStats>;
