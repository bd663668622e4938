// Plans as planners read them.
import type { StepCondition } from './condition.ts';
import type { Finding } from './finding.ts';
import type { PatchOutcome } from './patch-outcome.ts';
import type { ApproverPolicy, PlanStatus, StepStatus } from './plan.ts';

export type BriefStep = {
  label: string;
  id: string;
  status: StepStatus;
  description: string;
  operation: string;
  /** JSON, cut; templates as text. */
  args: string;
  /** With edge type and wait: `2 (1 day)`, `2 (SS)`. */
  after: string[];
  when?: StepCondition[];
  /** Duration and dates, ISO 8601. */
  takes?: string;
  starts_at?: string;
  ends_at?: string;
  deadline?: string;
  /** JSON, cut. */
  output?: string;
  error?: string;
  /** And who answers, if not the requester. */
  question?: string;
  asks?: string;
};

export type BriefPlan = {
  id: string;
  title: string;
  status: PlanStatus;
  people?: { asked_by: string; decided_by: string | null };
  /** Changes must name it. */
  revision: number;
  total_steps: number;
  waits?: { requester: string; approvers: ApproverPolicy };
  result: string | null;
  /** US dollars including planning, and the plan's limit. */
  cost_usd: number;
  budget_usd?: number;
  series?: {
    id: string;
    title: string;
    rrule: string;
    starts_at: string;
    timezone: string;
    until: string | null;
    steps: string[];
  }[];
  waiting_change?: Pick<PatchOutcome, 'proposed_by' | 'changes'>;
  findings?: Pick<
    Finding,
    'id' | 'severity' | 'category' | 'message' | 'step_id' | 'partition' | 'status' | 'stale_steps'
  >[];
  /** If large: failed, running, stale, waiting and first steps. */
  steps: BriefStep[];
};

/** `next`: next page, or null. */
export type BriefPage = BriefPlan & { next: number | null };
