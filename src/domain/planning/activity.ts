// A planner's current activity, as facts for `cards/activity-words.ts`.
import { z } from 'zod';

export const Activity = z.discriminatedUnion('kind', [
  /** No worker is available to plan. */
  z.object({ kind: z.literal('waiting') }),
  /** The planner or its model is at work. */
  z.object({ kind: z.literal('thinking') }),
  /** A read-only tool call; `what`: the path, address or query, in a short line. */
  z.object({ kind: z.literal('reading'), operation: z.string(), what: z.string().nullable() }),
  /** Steps drafted so far. */
  z.object({ kind: z.literal('drafting'), steps: z.int() }),
  /** Parts planned so far, by their own planners. */
  z.object({ kind: z.literal('parts'), planned: z.int(), total: z.int() }),
]);
export type Activity = z.infer<typeof Activity>;

/** Reports activity. Returns at once and never throws. */
export type ReportActivity = (activity: Activity) => void;

/** The planning in progress in a conversation, by run and turn. */
export const PlanningActivity = z.object({
  run_id: z.string(),
  turn: z.int(),
  activity: Activity,
});
export type PlanningActivity = z.infer<typeof PlanningActivity>;
