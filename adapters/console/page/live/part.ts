// Which steps a person takes off before they approve the rest. Bound to the digest they were read under: a new version
// begins with all of them again.
import { carryOut } from './press.ts';
import { planPart } from './presses.ts';
import type { Card, PlanView } from './state.ts';
import { change, state } from './store.ts';

/** Whether steps can be taken off now. */
export function mayTakeOff({ facts }: Card): boolean {
  const { status, revising } = facts.plan;
  return (status === 'proposed' || status === 'needs_review') && !revising;
}

/** The steps that are taken off. */
export function takenOff(view: PlanView, { facts }: Card): ReadonlySet<string> {
  return view.off?.digest === facts.plan.digest ? view.off.steps : new Set();
}

/** Takes a step off, or puts it back. */
export function toggleOff(view: PlanView, card: Card, stepId: string): void {
  const steps = new Set(takenOff(view, card));
  if (!steps.delete(stepId)) steps.add(stepId);
  change((s) => {
    if (s.plan?.id === view.id)
      s.plan = { ...s.plan, off: { digest: card.facts.plan.digest, steps } };
  });
}

/** Approves all but the steps that are taken off. */
export async function approveRest(view: PlanView, card: Card): Promise<void> {
  const { id, version, digest } = card.facts.plan;
  if (state.pressing.has(id)) return;
  await carryOut(id, planPart({ id, version, digest }, [...takenOff(view, card)]));
}
