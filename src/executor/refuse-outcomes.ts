// Outcomes that are refused: the audit says so, and whoever is asked what became of a step reads what its worker says.
import { system } from '#contracts/actor.ts';
import { shorten } from '#contracts/words.ts';
import { wakeWatchers } from '#plans/wake.ts';
import { recordDeeds } from '#store/audit.ts';
import type { Transaction } from '#store/database.ts';
import { touchPlan } from '#store/events.ts';
import type { PlanRow } from '#store/plans.ts';
import { addToQuestions } from '#store/sql/late-outcomes.ts';
import { findStanding, type Settled, type StoredOutcome } from '#store/sql/settle.ts';
import type { ExecutorContext } from './executor-context.ts';

/** What is asked shows so much of what a worker says. */
const saidAtMost = 400;

/** What a worker that came too late knows of its call; null: nothing that helps. */
function describeLate({ attempt_status, summary, error }: StoredOutcome): string | null {
  const came = 'Its worker came back later and says that';
  switch (attempt_status) {
    case 'succeeded':
      return `${came} it succeeded${summary === null ? '.' : `: ${shorten(summary, saidAtMost)}`}`;
    case 'failed':
      return `${came} it failed${error === null ? '.' : `: ${shorten(error.message, saidAtMost)}`}`;
    case 'unknown':
      return `${came} it does not know either.`;
    default:
      return null;
  }
}

/** Outcomes whose lease was lost. The caller holds the plan's lock. What `settled` took, and what stood already, is left alone. */
export async function refuseLate(
  { worker, enqueue }: Pick<ExecutorContext, 'worker' | 'enqueue'>,
  tx: Transaction,
  row: PlanRow,
  outcomes: StoredOutcome[],
  { taken }: Settled,
): Promise<void> {
  const known = new Set([...taken, ...(await findStanding(tx, row.id, outcomes, worker))]);
  const refused = outcomes.filter(({ position }) => !known.has(position));
  if (refused.length === 0) return;
  await recordDeeds(
    tx,
    refused.map(({ position, attempt, status }) => ({
      planId: row.id,
      actor: system,
      action: 'settle_refused',
      version: row.version,
      reason: 'The lease of this attempt was lost before its outcome came.',
      data: { position, attempt, status, worker },
    })),
  );
  const words = refused.flatMap((outcome) => {
    const text = describeLate(outcome);
    return text === null ? [] : [{ position: outcome.position, attempt: outcome.attempt, text }];
  });
  const [first, ...others] = await addToQuestions(tx, row.id, words);
  if (first === undefined) return;
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  await touchPlan(tx, row.id, 'late_outcome', `the worker of ${first}${more} came back`);
  await wakeWatchers(tx, enqueue, row.id);
}
