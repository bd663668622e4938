// A person's inbox: every plan in exactly one of five groups.
import { z } from 'zod';
import { PlanSummary } from './plan.ts';
import type { PlanScope } from './scope.ts';

/**
 * `needs_you`: waits for the reader; others by status. `running`: approved, executing or being revised; `others`: waits for
 * others; `failed`: failed or stalled; `done`: ended.
 */
export const InboxGroup = z.enum(['needs_you', 'running', 'failed', 'others', 'done']);
export type InboxGroup = z.infer<typeof InboxGroup>;

/**
 * Kinds of things that wait for the reader: approval of the plan or a change, a task, a step's or stalled plan's outcome, a
 * finding.
 */
export const InboxWait = z.enum(['approval', 'change', 'task', 'outcome', 'problem']);
export type InboxWait = z.infer<typeof InboxWait>;

export const InboxPlan = PlanSummary.extend({
  /** Null outside `needs_you`. */
  waits: InboxWait.nullable(),
  /** Since when it waits; null outside `needs_you`. */
  waits_since: z.iso.datetime().nullable(),
  /** The step's label (`3a`), or null for the whole plan. */
  waits_step: z.string().nullable(),
  /** Whether the reader's approval of the plan or change would count now. */
  may_approve: z.boolean(),
});
export type InboxPlan = z.infer<typeof InboxPlan>;

export const InboxPage = z.object({
  group: InboxGroup,
  /** Total on all pages; ended plans are counted up to 1,000. */
  total: z.int(),
  /** Whether `total` is exact. */
  counted: z.boolean(),
  plans: z.array(InboxPlan),
  next_cursor: z.string().nullable(),
});
export type InboxPage = z.infer<typeof InboxPage>;

export const Inbox = z.object({ groups: z.array(InboxPage) });
export type Inbox = z.infer<typeof Inbox>;

/** Changed plans, or null if any may have. `moved`: by more than step progress. */
export const InboxChange = z.object({
  plans: z.array(z.object({ id: z.string(), moved: z.boolean() })).nullable(),
});
export type InboxChange = z.infer<typeof InboxChange>;

/** Without `group`: the first page of each. All conditions must hold. */
export type InboxQuery = {
  /** The reader. */
  user: string;
  /** Each word must be in the title, summary, ID or requester's name; case-insensitive. */
  words?: string;
  /** The requester, an approver or an assignee; `me` is the reader. */
  person?: string;
  /** A tool or operation in the plan. */
  tool?: string;
  group?: InboxGroup;
  cursor?: string;
  limit: number;
  /** Restricts to one organisation. */
  within?: PlanScope;
};
