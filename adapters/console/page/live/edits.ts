// Unsent edits of a waiting plan's steps, proposed as one change.
import type { PatchOutcome } from '#domain/plan/patch-outcome.ts';
import type { StepEdit } from '../plan/step-edit.ts';
import { describeError, post } from './api.ts';
import { moveComments } from './comments.ts';
import { loadCard, refreshPlan } from './plans.ts';
import type { Card } from './state.ts';
import { change, state } from './store.ts';
import { keepUnsent } from './unsent.ts';

export const edits = keepUnsent<StepEdit>(
  'edits',
  (s) => s.edits,
  ({ lines, operations }) => Array.isArray(lines) && Array.isArray(operations),
);

/** Unsent comments stay with their steps. */
export async function proposeEdits(card: Card): Promise<void> {
  const { id, digest, revision } = card.facts.plan;
  const { current } = edits.split(card);
  if (current.length === 0 || state.pressing.has(id)) return;
  change((s) => {
    s.pressing.add(id);
    s.notices.delete(id);
  });
  try {
    const operations = current.flatMap((one) => one.operations);
    await post<PatchOutcome>(`/api/plans/${encodeURIComponent(id)}/patches`, {
      base_revision: revision,
      operations,
    });
    edits.keep(
      id,
      edits.allOf(id).filter((one) => one.digest !== digest),
    );
    await loadCard(id);
    const now = state.cards.get(id)?.facts.plan;
    if (now !== undefined) moveComments(id, digest, now);
    await refreshPlan();
  } catch (error) {
    change((s) => s.notices.set(id, describeError(error)));
  } finally {
    change((s) => s.pressing.delete(id));
  }
}
