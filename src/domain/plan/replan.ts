// Replanning during execution: the steps the system adds, and the planner's task if rules don't help.
import type { PayForCall } from '../text-model.ts';
import type { Finding } from './finding.ts';
import type { PlanPatch } from './patch.ts';

/** Automatic attempts per finding; then a person decides. */
export const maxReplans = 3;

/** Step IDs of an attempt. Only the system may use `#`. @param number from 1 per plan, or '' for the prefix */
export function pairOf(number: number | ''): { replan: string; verify: string } {
  return { replan: `replan#${number}`, verify: `verify#${number}` };
}

export const replanOperation = 'replan_patch';
export const verifyOperation = 'verify_patch';

/** Whether the system added the step for replanning: never confirmed, even if the plan asks before each step. */
export function isReplanning({
  id,
  tool,
  operation,
}: {
  id: string;
  tool: string;
  operation: string;
}): boolean {
  return (
    tool === 'plan' &&
    id.includes('#') &&
    (operation === replanOperation || operation === verifyOperation)
  );
}

/** Asks a planner for a change that settles the finding. */
export type ReplanTask = {
  finding: Finding;
  /** `tenant`: the plan's organisation. */
  plan: { id: string; title: string; requester: string; revision: number; tenant: string | null };
  /** The asking step, under which model replies are stored. */
  stepId: string;
  /** Why earlier changes were refused. */
  refused: string[];
  timezone: string;
  /** Null if no model may be used. */
  pay: PayForCall | null;
  signal: AbortSignal;
};

export type ReplanAnswer = { patch: PlanPatch } | { patch: null; why: string };

/** Throws only on abort. */
export type AskPlanner = (task: ReplanTask) => Promise<ReplanAnswer>;
