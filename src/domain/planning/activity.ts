// What a planner is doing while people wait for its answer: facts, which `cards/activity-words.ts` puts into words.
import { z } from 'zod';

export const Activity = z.discriminatedUnion('kind', [
  /** No worker is there that could plan. */
  z.object({ kind: z.literal('waiting') }),
  /** The planner was asked, or its model is. */
  z.object({ kind: z.literal('thinking') }),
  /** It calls a tool that only reads; `what`: the path, address or query, cut to one short line. */
  z.object({ kind: z.literal('reading'), operation: z.string(), what: z.string().nullable() }),
  /** The plan has so many steps by now. */
  z.object({ kind: z.literal('drafting'), steps: z.int() }),
  /** Planners of their own plan its parts; so many have been planned. */
  z.object({ kind: z.literal('parts'), planned: z.int(), total: z.int() }),
]);
export type Activity = z.infer<typeof Activity>;

/** Tells people what the planner is doing. Returns at once and never throws. */
export type ReportActivity = (activity: Activity) => void;

/** What is being planned in a conversation now, by the turn of the run that works on it. */
export const PlanningActivity = z.object({
  run_id: z.string(),
  turn: z.int(),
  activity: Activity,
});
export type PlanningActivity = z.infer<typeof PlanningActivity>;
