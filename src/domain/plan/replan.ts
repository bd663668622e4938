// Replanning while a plan runs: the steps that the system adds for it, and what a planner is asked where rules do not help.
import type { PayForCall } from '../text-model.ts';
import type { Finding } from './finding.ts';
import type { PlanPatch } from './patch.ts';

/** Automatic tries for one finding; then a person decides. */
export const maxReplans = 3;

/** Ids of the steps of a try. Only the system may use `#`. @param number from 1 on in each plan; '': what they begin with */
export function pairOf(number: number | ''): { replan: string; verify: string } {
  return { replan: `replan#${number}`, verify: `verify#${number}` };
}

export const replanOperation = 'replan_patch';
export const verifyOperation = 'verify_patch';

/** Whether the system added the step for replanning: nobody is asked before it runs, even if the plan asks before each step. */
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

/** What a planner is asked: a change of the plan that settles the finding. */
export type ReplanTask = {
  finding: Finding;
  /** `tenant`: the plan's organisation. */
  plan: { id: string; title: string; requester: string; revision: number; tenant: string | null };
  /** The step that asks; replies of a model are kept under it. */
  stepId: string;
  /** Why earlier changes were refused. */
  refused: string[];
  timezone: string;
  /** null: no model may be asked. */
  pay: PayForCall | null;
  signal: AbortSignal;
};

export type ReplanAnswer = { patch: PlanPatch } | { patch: null; why: string };

/** Never throws but for an abort. */
export type AskPlanner = (task: ReplanTask) => Promise<ReplanAnswer>;
