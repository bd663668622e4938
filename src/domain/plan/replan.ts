// Replanning: steps the system adds, and the planner's task.
import type { PayForCall } from '../text-model.ts';
import type { Finding } from './finding.ts';
import type { PlanPatch } from './patch.ts';

/** Per finding; then a person decides. */
export const maxReplans = 3;

/** Only the system may use `#`. @param number from 1 per plan, or '' for the prefix */
export function pairOf(number: number | ''): { replan: string; verify: string } {
  return { replan: `replan#${number}`, verify: `verify#${number}` };
}

export const replanOperation = 'replan_patch';
export const verifyOperation = 'verify_patch';

/** Such steps are never confirmed. */
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

export type ReplanTask = {
  finding: Finding;
  plan: { id: string; title: string; requester: string; revision: number; tenant: string | null };
  /** Model replies are stored under it. */
  stepId: string;
  refused: string[];
  timezone: string;
  /** Null if no model may be used. */
  pay: PayForCall | null;
  signal: AbortSignal;
};

export type ReplanAnswer = { patch: PlanPatch } | { patch: null; why: string };

/** Throws only on abort. */
export type AskPlanner = (task: ReplanTask) => Promise<ReplanAnswer>;
