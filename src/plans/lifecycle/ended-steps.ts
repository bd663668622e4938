// Consequences of ended steps: readiness, skips, the plan's end.
import { sql } from 'drizzle-orm';
import type { Transaction } from '#db/database.ts';
import { findWaitingPatch } from '#db/plans/patches.ts';
import type { PlanRow } from '#db/plans/plans.ts';
import { hasMoreOccurrences, stopAllSeries } from '#db/plans/series.ts';
import { countersign } from '#db/schema.ts';
import { skipDependents } from '#db/sql/settle.ts';
import { changeSteps, openSteps, type PlanProgress } from '#db/steps/accounting.ts';
import { stepsOf } from '#db/steps/blocks.ts';
import { isSkippedByCondition } from '#db/steps/conditions.ts';
import type { Clock } from '#domain/clock.ts';
import type { Enqueue } from '#domain/jobs.ts';
import { type Actor, system } from '#domain/people/actor.ts';
import type { StepCounts, StepError } from '#domain/plan/plan.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { countOf, endSentence } from '#domain/words.ts';
import type { OnFailure } from '../plans-context.ts';
import { transition } from './lifecycle.ts';

type FinishContext = { enqueue: Enqueue<Transaction>; clock: Clock };

const maxMessage = 1000;

/** `failure`: the first failed step, as on the card. */
function summariseRun(
  counts: StepCounts,
  failure: { label: string; message: string } | null,
  skipped: { total: number; sentences: string[] },
): string {
  const notStarted = counts.skipped - skipped.total;
  const parts = [
    skipped.total > 0 ? `${countOf(skipped.total, 'step')} skipped` : '',
    notStarted > 0 ? `${countOf(notStarted, 'step')} not started` : '',
    counts.cancelled > 0 ? `${countOf(counts.cancelled, 'step')} not run` : '',
  ].filter((part) => part !== '');
  const done =
    counts.succeeded === 0 ? 'Nothing was done' : `${countOf(counts.succeeded, 'step')} done`;
  const run = `${[done, ...parts].join(', ')}.`;
  if (failure === null) return [run, ...skipped.sentences].join(' ');
  const others =
    counts.failed > 1 ? ` (and ${countOf(counts.failed - 1, 'other step')} failed)` : '';
  const why = endSentence(quoteWords(failure.message, maxMessage));
  return `Step ${failure.label} failed${others}: ${why} ${run}`;
}

type FailedStep = { label: string; error: StepError | null };

/** For row `s` of `step_states`. */
const labelOf = sql`(select coalesce(c.label, c.position::text) from ${countersign}.plan_steps c
  where c.plan_id = s.plan_id and c.position = s.position) as label`;

async function findFirstFailed(tx: Transaction, planId: string): Promise<FailedStep | undefined> {
  const { rows } = await tx.execute<FailedStep>(sql`
    select ${labelOf}, s.error from ${stepsOf(planId, ['failed'])} order by s.position limit 1`);
  return rows[0];
}

/** In a summary. */
const maxShownSkipped = 3;

async function findSkipped(
  tx: Transaction,
  row: PlanRow,
): Promise<{ total: number; sentences: string[] }> {
  const { rows } = await tx.execute<FailedStep & { n: number }>(sql`
    select ${labelOf}, s.error, count(*) over ()::int as n
    from ${stepsOf(row.id, ['skipped'], isSkippedByCondition('s'))}
    order by s.position limit ${maxShownSkipped}`);
  const sentences = rows.map(
    ({ label, error }) => `Step ${label} was skipped: ${error?.message ?? ''}`,
  );
  const total = rows[0]?.n ?? 0;
  if (total > rows.length) sentences.push(`And ${total - rows.length} more.`);
  return { total, sentences };
}

/** If nothing is open. Under the lock, with the latest counters. @returns whether it ended */
export async function finishIfDone(
  { enqueue, clock }: FinishContext,
  tx: Transaction,
  row: PlanRow,
  counts: StepCounts | null,
  actor: Actor = system,
): Promise<boolean> {
  if (counts === null || row.status !== 'executing' || openSteps(counts) > 0) return false;
  // Upcoming occurrences and a waiting change come first.
  if (row.open_until !== null && (await hasMoreOccurrences(tx, row.id))) return false;
  if ((await findWaitingPatch(tx, row.id)) !== null) return false;
  const failed = counts.failed === 0 ? undefined : await findFirstFailed(tx, row.id);
  const failure =
    failed === undefined
      ? null
      : {
          label: failed.label,
          message: failed.error?.message ?? 'A person marked it failed',
        };
  const skipped = counts.skipped === 0 ? { total: 0, sentences: [] } : await findSkipped(tx, row);
  await transition(
    tx,
    enqueue,
    row,
    failure === null ? 'complete' : 'fail',
    { actor },
    {
      execution_ended_at: clock.now(),
      paused_at: null,
      result_summary: summariseRun(counts, failure, skipped),
    },
  );
  return true;
}

/** Without open prerequisites. Under the lock. */
export function readyTheFree(tx: Transaction, planId: string): Promise<PlanProgress | null> {
  return changeSteps(tx, planId, {
    from: ['pending'],
    to: 'ready',
    kind: 'step_ready',
    where: sql`s.unmet = 0`,
    set: sql`, available_at = greatest(s.available_at, clock_timestamp())`,
  });
}

/** Except by conditions or behind failed steps. Under the lock. @returns null if unchanged */
export async function reviveSkipped(
  tx: Transaction,
  planId: string,
  onFailure: OnFailure,
): Promise<PlanProgress | null> {
  const { rows: failed } = await tx.execute<{ position: number }>(
    sql`select position from ${stepsOf(planId, ['failed'])}`,
  );
  // Else steps a person just made ready would stop with the rest.
  if (onFailure === 'stop_all' && failed.length > 0) return null;
  const revived = await changeSteps(tx, planId, {
    from: ['skipped'],
    to: 'pending',
    kind: 'step_pending',
    where: sql`not ${isSkippedByCondition('s')}`,
    set: sql`, ended_at = null`,
  });
  const positions = failed.map(({ position }) => position);
  const skipped = await stopDependents(tx, planId, positions, onFailure);
  return (await readyTheFree(tx, planId)) ?? skipped ?? revived;
}

/** Under the lock. @returns null if nothing was stopped */
export async function stopDependents(
  tx: Transaction,
  planId: string,
  failed: number[],
  onFailure: OnFailure,
): Promise<PlanProgress | null> {
  if (failed.length === 0) return null;
  switch (onFailure) {
    case 'continue_independent':
      return skipDependents(tx, planId, failed);
    case 'stop_all':
      await stopAllSeries(tx, planId);
      return changeSteps(tx, planId, {
        from: ['pending', 'ready'],
        to: 'skipped',
        kind: 'step_skipped',
        detail: 'another step failed',
      });
    default:
      return onFailure satisfies never;
  }
}
