// A person's inbox: every plan in one of five groups.
import { z } from 'zod';
import { PlanSummary } from './plan.ts';
import type { PlanScope } from './scope.ts';

/**
 * `needs_you`: waits for the reader; `running`: approved, executing or being revised; `others`: waits for others; `failed`: or
 * stalled.
 */
export const InboxGroup = z.enum(['needs_you', 'running', 'failed', 'others', 'done']);
export type InboxGroup = z.infer<typeof InboxGroup>;

export const InboxWait = z.enum(['approval', 'change', 'task', 'outcome', 'problem']);
export type InboxWait = z.infer<typeof InboxWait>;

export const InboxPlan = PlanSummary.extend({
  /** Null outside `needs_you`, as the next one. */
  waits: InboxWait.nullable(),
  waits_since: z.iso.datetime().nullable(),
  /** `3a`, or null for the whole plan. */
  waits_step: z.string().nullable(),
  may_approve: z.boolean(),
});
export type InboxPlan = z.infer<typeof InboxPlan>;

export const InboxPage = z.object({
  group: InboxGroup,
  /** Ended plans up to 1,000. */
  total: z.int(),
  counted: z.boolean(),
  plans: z.array(InboxPlan),
  next_cursor: z.string().nullable(),
});
export type InboxPage = z.infer<typeof InboxPage>;

export const Inbox = z.object({ groups: z.array(InboxPage) });
export type Inbox = z.infer<typeof Inbox>;

/** `plans`: null if any may have changed. `moved`: by more than progress. */
export const InboxChange = z.object({
  plans: z.array(z.object({ id: z.string(), moved: z.boolean() })).nullable(),
});
export type InboxChange = z.infer<typeof InboxChange>;

/** Without `group`: the first page of each. */
export type InboxQuery = {
  user: string;
  /** All in title, summary, ID or requester. */
  words?: string;
  /** Requester, approver or assignee; `me`: the reader. */
  person?: string;
  tool?: string;
  group?: InboxGroup;
  cursor?: string;
  limit: number;
  within?: PlanScope;
};
