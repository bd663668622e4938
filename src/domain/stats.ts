// Plans by status, and requests that no tool could do.
import { z } from 'zod';
import { PlanStatus } from './plan/plan.ts';

/** Something that people asked for and nothing could do, however often. */
const ToolGap = z.object({
  /** What it was, as it follows "I can't": `book flights`, as it was said last. */
  wanted: z.string(),
  times: z.int().min(1),
  /** How many people asked for it. */
  people: z.int().min(1),
  last_at: z.iso.datetime(),
});

export const PlanStats = z.object({
  /** Statuses in which no plan is are left out. */
  plans: z.partialRecord(PlanStatus, z.int().min(1)),
  /** The most frequent first. */
  gaps: z.array(ToolGap),
  /** How many days back `gaps` look. */
  gap_days: z.int().min(1),
});
export type PlanStats = z.infer<typeof PlanStats>;
