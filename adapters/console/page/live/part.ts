// Which steps of a plan are ticked. It is one state for all that decides here: the review bar, the steps, and the word that is written. Bound to the digest under which the steps were read: a new version begins with all of them again.
import type { CardPress } from '#domain/chat/card.ts';
import type { OnScreen } from '#domain/service.ts';
import { countOf } from '../plan/format.ts';
import type { Card, State } from './state.ts';
import { change } from './store.ts';

const none: ReadonlySet<string> = new Set();

/** Whether steps can be unticked now. */
export function mayTakeOff({ facts }: Card): boolean {
  const { status, revising } = facts.plan;
  return (status === 'proposed' || status === 'needs_review') && !revising;
}

/** What a review of the plan is bound to; null: nothing of it is to be decided. */
export function reviewedDigest(card: Card | undefined): string | null {
  return card !== undefined && mayTakeOff(card) ? card.facts.plan.digest : null;
}

/** The steps of a version that are unticked. */
export function takenOff(
  { off }: Pick<State, 'off'>,
  { plan_id: id, digest }: Pick<CardPress, 'plan_id' | 'digest'>,
): ReadonlySet<string> {
  const known = off.get(id);
  return known?.digest === digest ? known.steps : none;
}

/** The steps that are unticked of the plan as its card shows it. */
export function takenOffCard(state: Pick<State, 'off'>, card: Card): ReadonlySet<string> {
  const { id, digest } = card.facts.plan;
  return mayTakeOff(card) ? takenOff(state, { plan_id: id, digest }) : none;
}

/** What Approve says where some steps are unticked. */
export type PartialApproval = {
  words: string;
  /** Nothing is left to approve. */
  empty: boolean;
};

/** `Approve 3 of 4 steps`, `No steps selected`; null where all are ticked. */
export function describePart(state: Pick<State, 'off'>, card: Card): PartialApproval | null {
  const { size } = takenOffCard(state, card);
  const total = card.facts.plan.total_steps;
  if (size === 0) return null;
  if (size >= total) return { words: 'No steps selected', empty: true };
  const words = `Approve ${(total - size).toLocaleString()} of ${countOf(total, 'step')}`;
  return { words, empty: false };
}

/** Unticks a step, or ticks it again. */
export function toggleOff(card: Card, stepId: string): void {
  const { id, digest } = card.facts.plan;
  change((s) => {
    const steps = new Set(takenOff(s, { plan_id: id, digest }));
    if (!steps.delete(stepId)) steps.add(stepId);
    s.off.set(id, { digest, steps });
  });
}

const decidable = new Set([
  'outline',
  'roadmap',
  'schedule',
  'rfc',
  'budget',
  'escalation',
  'answer',
]);

/** What a word that is written now is about: the one card that waits in the conversation, with its ticks. */
export function readOnScreen(state: State): OnScreen {
  const spoken = new Set(state.messages.map(({ plan_id }) => plan_id));
  const plans = [...state.cards.values()].filter(
    (card) => spoken.has(card.facts.plan.id) && mayTakeOff(card),
  );
  const sessions = [...state.sessions.values()].filter(({ view }) => decidable.has(view.kind));
  const [plan] = plans;
  const [session] = sessions;
  if (plans.length + sessions.length !== 1) return {};
  if (session !== undefined) return { turn: session.turn, digest: session.digest };
  if (plan === undefined) return {};
  const { version, digest } = plan.facts.plan;
  const except = [...takenOffCard(state, plan)];
  return { version, digest, ...(except.length === 0 ? {} : { except }) };
}
