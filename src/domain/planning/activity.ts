// A planner's activity, for `cards/activity-words.ts`.
import { z } from 'zod';

export const Activity = z.discriminatedUnion('kind', [
  /** For a free worker. */
  z.object({ kind: z.literal('waiting') }),
  z.object({ kind: z.literal('thinking') }),
  /** `what`: path, address or query, shortened. */
  z.object({ kind: z.literal('reading'), operation: z.string(), what: z.string().nullable() }),
  z.object({ kind: z.literal('drafting'), steps: z.int() }),
  z.object({ kind: z.literal('parts'), planned: z.int(), total: z.int() }),
]);
export type Activity = z.infer<typeof Activity>;

/** Returns at once; never throws. */
export type ReportActivity = (activity: Activity) => void;

export const PlanningActivity = z.object({
  run_id: z.string(),
  turn: z.int(),
  activity: Activity,
});
export type PlanningActivity = z.infer<typeof PlanningActivity>;
