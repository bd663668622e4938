// Outcomes go back in batches, each one transaction: recorded, counted, successors freed, the plan ended if it was the last.

import { system } from '#contracts/actor.ts';
import { systemRandom } from '#contracts/clock.ts';
import type { Json } from '#contracts/text.ts';
import { finishIfDone } from '#plans/finish.ts';
import { storeArtifact } from '#store/artifacts.ts';
import { recordDeeds } from '#store/audit.ts';
import { changeSteps } from '#store/change-steps.ts';
import type { Transaction } from '#store/database.ts';
import { notify } from '#store/notify.ts';
import { inlineOutputBytes } from '#store/outputs.ts';
import { lockPlan, type PlanRow } from '#store/plans.ts';
import { type Outcome, type Settled, settleSteps, skipDependents } from '#store/sql/settle.ts';
import { passCrashPoint } from './crash-points.ts';
import type { ExecutorContext } from './executor-context.ts';

/** `value` without what jsonb refuses: NUL and lone surrogates become the replacement character. */
function cleanText(value: Json): Json {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\u0000', '\ufffd');
  if (Array.isArray(value)) return value.map(cleanText);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [String(cleanText(key)), cleanText(item)]),
  );
}

const unstorable = /\\u0000|\\ud[89a-f][0-9a-f]{2}/;

/** The outcome as Postgres can store it; what a tool sent may hold anything. */
function cleanOutcome(outcome: Outcome): Outcome {
  if (!unstorable.test(JSON.stringify(outcome))) return outcome;
  return {
    ...outcome,
    summary: outcome.summary === null ? null : String(cleanText(outcome.summary)),
    question: outcome.question === null ? null : String(cleanText(outcome.question)),
    output: cleanText(outcome.output),
    final_args: cleanText(outcome.final_args),
    error:
      outcome.error === null
        ? null
        : { code: outcome.error.code, message: String(cleanText(outcome.error.message)) },
  };
}

/** Moves an output that is too large for a row into an artifact and leaves a pointer. */
async function fitOutput(tx: Transaction, planId: string, outcome: Outcome): Promise<Outcome> {
  const text = JSON.stringify(outcome.output);
  if (text.length <= inlineOutputBytes / 4) return outcome;
  const content = Buffer.from(text);
  if (content.length <= inlineOutputBytes) return outcome;
  const id = `art-${systemRandom.hex(8)}`;
  await storeArtifact(tx, {
    id,
    planId,
    stepId: String(outcome.position),
    name: `output-${outcome.position}.json`,
    mediaType: 'application/json',
    content,
  });
  return { ...outcome, output: { $artifact: id, size: content.length } };
}

/** Outcomes whose lease was lost are refused, and the audit says so. */
async function recordRefused(
  { worker }: ExecutorContext,
  tx: Transaction,
  row: PlanRow,
  outcomes: Outcome[],
  { taken }: Settled,
): Promise<void> {
  const known = new Set(taken);
  await recordDeeds(
    tx,
    outcomes
      .filter(({ position }) => !known.has(position))
      .map(({ position, attempt, status }) => ({
        planId: row.id,
        actor: system,
        action: 'settle_refused',
        version: row.version,
        reason: 'The lease of this attempt was lost before its outcome came.',
        data: { position, attempt, status, worker },
      })),
  );
}

/** Settles `outcomes` of one plan. @returns how many successors can be claimed now */
export async function settleOutcomes(
  context: ExecutorContext,
  planId: string,
  outcomes: Outcome[],
): Promise<number> {
  const ready = await context.db.transaction(async (tx) => {
    const row = await lockPlan(tx, planId);
    const fitted: Outcome[] = [];
    for (const outcome of outcomes) {
      fitted.push(await fitOutput(tx, planId, cleanOutcome(outcome)));
    }
    const settled = await settleSteps(tx, planId, context.worker, fitted);
    if (settled.taken.length < outcomes.length) {
      await recordRefused(context, tx, row, outcomes, settled);
    }
    let progress = settled.progress;
    if (settled.failed.length > 0) {
      const skipped =
        context.settings.on_failure === 'stop_all'
          ? await changeSteps(tx, planId, {
              from: ['pending', 'ready'],
              to: 'skipped',
              kind: 'step_skipped',
              detail: 'another step failed',
            })
          : await skipDependents(tx, planId, settled.failed);
      progress = skipped ?? progress;
    }
    const ended = await finishIfDone(context, tx, row, progress);
    if (!ended) {
      await context.enqueue(tx, 'card', { plan_id: planId }, { key: planId });
      await notify(tx, `plan:${planId}`);
    }
    passCrashPoint('in_settle');
    return settled.ready;
  });
  passCrashPoint('after_outcome');
  return ready;
}
