// Plans as a planner reads them to go on with them: where each stands, and of its steps what was called and what came of it, cut.
import type { Finding } from './finding.ts';
import type { PatchOutcome } from './patch-outcome.ts';
import type { PlanStatus, StepStatus } from './plan.ts';

export type BriefStep = {
  /** What it is called on the plan's card. */
  label: string;
  id: string;
  status: StepStatus;
  description: string;
  /** Its full name. */
  operation: string;
  /** JSON, cut where it is long. */
  args: string;
  /** Ids of the steps that it waits for. */
  after: string[];
  /** What it gave, as JSON, cut where it is long. */
  output?: string;
  error?: string;
  /** What it asks a person. */
  question?: string;
};

export type BriefPlan = {
  id: string;
  title: string;
  status: PlanStatus;
  /** What a change of the plan names, so that it is refused where its steps have gone on since. */
  revision: number;
  total_steps: number;
  result: string | null;
  /** The change that waits for approval. */
  waiting_change?: Pick<PatchOutcome, 'proposed_by' | 'changes'>;
  /** What nobody has settled; left out where there is nothing. */
  findings?: Pick<
    Finding,
    'id' | 'severity' | 'category' | 'message' | 'step_id' | 'partition' | 'status' | 'stale_steps'
  >[];
  /** Of a plan with more, those that failed, run, are stale or wait for a person, and the first. */
  steps: BriefStep[];
};

/** `next`: where the page after this one begins; null: this is the last. */
export type BriefPage = BriefPlan & { next: number | null };
