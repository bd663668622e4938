// Plans as planners read them to continue: status, and each step's call and result, cut.
import type { Finding } from './finding.ts';
import type { PatchOutcome } from './patch-outcome.ts';
import type { ApproverPolicy, PlanStatus, StepStatus } from './plan.ts';

export type BriefStep = {
  /** The label on the plan's card. */
  label: string;
  id: string;
  status: StepStatus;
  description: string;
  /** Its full name. */
  operation: string;
  /** JSON, cut if long. */
  args: string;
  /** Prerequisite IDs, with the kind of edge and the wait if there are: `2 (1 day)`, `2 (SS)`. */
  after: string[];
  /** How long it takes and when, if that is known; ISO 8601. */
  takes?: string;
  starts_at?: string;
  ends_at?: string;
  deadline?: string;
  /** Output as JSON, cut if long. */
  output?: string;
  error?: string;
  /** The question to a person, and who has to answer it if not the requester. */
  question?: string;
  asks?: string;
};

export type BriefPlan = {
  id: string;
  title: string;
  status: PlanStatus;
  /** Named where several people take part. */
  people?: { asked_by: string; decided_by: string | null };
  /** Sent with a change, which is refused if its steps have moved on. */
  revision: number;
  total_steps: number;
  /** While it waits for its approval: who asked for it, and by whose approval it runs. */
  waits?: { requester: string; approvers: ApproverPolicy };
  result: string | null;
  /** US dollars of its model calls so far, planning included, and its own limit. */
  cost_usd: number;
  budget_usd?: number;
  /** Steps that repeat. */
  series?: {
    id: string;
    title: string;
    rrule: string;
    starts_at: string;
    timezone: string;
    until: string | null;
    steps: string[];
  }[];
  /** The pending change. */
  waiting_change?: Pick<PatchOutcome, 'proposed_by' | 'changes'>;
  /** Open findings, if any. */
  findings?: Pick<
    Finding,
    'id' | 'severity' | 'category' | 'message' | 'step_id' | 'partition' | 'status' | 'stale_steps'
  >[];
  /** For larger plans: failed, running, stale and waiting steps, and the first ones. */
  steps: BriefStep[];
};

/** `next`: start of the next page, or null. */
export type BriefPage = BriefPlan & { next: number | null };
