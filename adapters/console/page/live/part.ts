// A plan's ticked steps, bound to the digest they were read under.
import { waitsForDecision } from '#cards/words.ts';
import type { CardPress } from '#domain/chat/card.ts';
import type { StepChain } from '#domain/plan/views.ts';
import type { OnScreen } from '#domain/service.ts';
import { countOf, listOf } from '#domain/words.ts';
import { findChain, toggleClosed, withStep } from '../plan/closure.ts';
import { describeError, get } from './api.ts';
import type { Card, State } from './state.ts';
import { change, changeNow, state } from './store.ts';

const maxNamed = 6;
const none: ReadonlySet<string> = new Set();

function mayTakeOff({ facts }: Card): boolean {
  const { status, revising } = facts.plan;
  return (status === 'proposed' || status === 'needs_review') && !revising;
}

/** Null if nothing can be decided. */
export function reviewedDigest(card: Card | undefined): string | null {
  return card !== undefined && mayTakeOff(card) ? card.facts.plan.digest : null;
}

export function takenOff(
  { off }: Pick<State, 'off'>,
  { plan_id: id, digest }: Pick<CardPress, 'plan_id' | 'digest'>,
): ReadonlySet<string> {
  const known = off.get(id);
  return known?.digest === digest ? known.steps : none;
}

export function takenOffCard(state: Pick<State, 'off'>, card: Card): ReadonlySet<string> {
  const { id, digest } = card.facts.plan;
  return mayTakeOff(card) ? takenOff(state, { plan_id: id, digest }) : none;
}

/** Approval with steps unticked. */
export type PartialApproval = {
  words: string;
  empty: boolean;
};

/** `Approve 3 of 4 steps`, `No steps selected`; null if all are ticked. */
export function describePart(state: Pick<State, 'off'>, card: Card): PartialApproval | null {
  const { size } = takenOffCard(state, card);
  const total = card.facts.plan.total_steps;
  if (size === 0) return null;
  if (size >= total) return { words: 'No steps selected', empty: true };
  const words = `Approve ${(total - size).toLocaleString()} of ${countOf(total, 'step')}`;
  return { words, empty: false };
}

/** Computed here if the page has the whole plan. @throws ApiError */
async function readChain({ facts }: Card, stepId: string): Promise<StepChain> {
  const { id, total_steps: total } = facts.plan;
  if (facts.steps.length === total) return { ...findChain(facts.steps, stepId), more: false };
  return get<StepChain>(
    `/api/plans/${encodeURIComponent(id)}/steps/${encodeURIComponent(stepId)}/chain`,
  );
}

/** Keeps the approved set closed. The step counts at once, before dependent ones are known. */
export async function toggleOff(card: Card, stepId: string): Promise<void> {
  const { id, digest } = card.facts.plan;
  const about = { plan_id: id, digest };
  const wasOff = takenOff(state, about).has(stepId);
  changeNow((s) => {
    s.off.set(id, { digest, steps: withStep(takenOff(s, about), stepId, !wasOff), last: null });
  });
  // Pressed again, or another version.
  const isOver = (s: State) =>
    s.off.get(id)?.digest !== digest || takenOff(s, about).has(stepId) === wasOff;
  const takeBack = (words: string) =>
    change((s) => {
      s.notices.set(id, words);
      if (isOver(s)) return;
      s.off.set(id, { digest, steps: withStep(takenOff(s, about), stepId, wasOff), last: null });
    });
  try {
    const chain = await readChain(card, stepId);
    if (chain.more)
      return takeBack(
        'Too many steps depend on this one to leave it out here. Propose changes instead.',
      );
    change((s) => {
      if (isOver(s)) return;
      const before = withStep(takenOff(s, about), stepId, wasOff);
      const { off, also } = toggleClosed(before, stepId, chain);
      s.off.set(id, { digest, steps: off, last: { step: stepId, also } });
      s.notices.delete(id);
    });
  } catch (error) {
    takeBack(describeError(error));
  }
}

/** `Also leaves out 3 and 4, which need it.` */
export function describeAlso(
  state: Pick<State, 'off'>,
  card: Card,
  stepId: string,
  nameStep: (id: string) => string,
): string {
  const { id, digest } = card.facts.plan;
  const known = state.off.get(id);
  if (known?.digest !== digest || known.last?.step !== stepId) return '';
  const { also } = known.last;
  const [first] = also;
  if (first === undefined) return '';
  const byName = new Intl.Collator('en', { numeric: true });
  const shown = also.map(nameStep).toSorted(byName.compare).slice(0, maxNamed);
  const names = listOf(
    also.length > shown.length ? [...shown, `${also.length - shown.length} more`] : shown,
  );
  const one = also.length === 1;
  return known.steps.has(stepId)
    ? `Also leaves out ${names}, which ${one ? 'needs' : 'need'} it.`
    : `Also selects ${names}, which it needs.`;
}

/** Subject of a typed decision: the conversation's one waiting card. */
export function readOnScreen(state: State): OnScreen {
  const spoken = new Set(state.messages.map(({ plan_id }) => plan_id));
  const plans = [...state.cards.values()].filter(
    (card) => spoken.has(card.facts.plan.id) && mayTakeOff(card),
  );
  const sessions = [...state.sessions.values()].filter(({ view }) => waitsForDecision(view));
  const [plan] = plans;
  const [session] = sessions;
  if (plans.length + sessions.length !== 1) return {};
  if (session !== undefined) return { turn: session.turn, digest: session.digest };
  if (plan === undefined) return {};
  const { version, digest } = plan.facts.plan;
  const except = [...takenOffCard(state, plan)];
  return { version, digest, ...(except.length === 0 ? {} : { except }) };
}
