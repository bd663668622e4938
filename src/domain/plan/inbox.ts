// The inbox of a person: every plan in exactly one of five groups.
import { z } from 'zod';
import { PlanSummary } from './plan.ts';
import type { PlanScope } from './scope.ts';

/**
 * `needs_you`: something waits for the reader; the others are by status. `running`: approved, executing, or a new version is
 * being drafted; `others`: proposed, and waiting for somebody else; `failed`: failed or stalled; `done`: over.
 */
export const InboxGroup = z.enum(['needs_you', 'running', 'failed', 'others', 'done']);
export type InboxGroup = z.infer<typeof InboxGroup>;

/**
 * What waits for the reader: their approval of the plan, their approval of a change, a task of theirs, a step or a stalled
 * plan that they may decide about, a finding that they may decide about.
 */
export const InboxWait = z.enum(['approval', 'change', 'task', 'outcome', 'problem']);
export type InboxWait = z.infer<typeof InboxWait>;

export const InboxPlan = PlanSummary.extend({
  /** null outside `needs_you`. */
  waits: InboxWait.nullable(),
  /** Since when it waits; null outside `needs_you`. */
  waits_since: z.iso.datetime().nullable(),
  /** The label of the step it is about (`3a`); null: the plan as a whole. */
  waits_step: z.string().nullable(),
  /** Whether an approval by the reader would count now: of the plan, or of the change that waits. */
  may_approve: z.boolean(),
});
export type InboxPlan = z.infer<typeof InboxPlan>;

export const InboxPage = z.object({
  group: InboxGroup,
  /** Plans of the group on all pages; of ended plans up to 1,000 are counted. */
  total: z.int(),
  /** Whether `total` is exact. */
  counted: z.boolean(),
  plans: z.array(InboxPlan),
  next_cursor: z.string().nullable(),
});
export type InboxPage = z.infer<typeof InboxPage>;

export const Inbox = z.object({ groups: z.array(InboxPage) });
export type Inbox = z.infer<typeof Inbox>;

/** Plans that changed. `moved`: by more than the progress of steps. null: any may have. */
export const InboxChange = z.object({
  plans: z.array(z.object({ id: z.string(), moved: z.boolean() })).nullable(),
});
export type InboxChange = z.infer<typeof InboxChange>;

/** Without `group`: the first page of each group, in their order. All conditions hold together. */
export type InboxQuery = {
  /** The reader. */
  user: string;
  /** Each word is in the title, the summary, the id or the name of the requester, in any case. */
  words?: string;
  /** Who asked for it, may approve or has approved it, or has a task in it. */
  person?: string;
  /** A tool or an operation that the plan uses. */
  tool?: string;
  group?: InboxGroup;
  cursor?: string;
  limit: number;
  /** Only what somebody of one organisation sees. */
  within?: PlanScope;
};
