// Settles outcomes in batches, in a turn's transaction.
import { and, eq } from 'drizzle-orm';
import { recordAudit } from '#db/audit/audit.ts';
import type { Transaction } from '#db/database.ts';
import { notify } from '#db/notify.ts';
import {
  drawArtifactId,
  inlineOutputBytes,
  outputName,
  storeArtifact,
} from '#db/plans/artifacts.ts';
import type { PlanRow } from '#db/plans/plans.ts';
import { planSteps } from '#db/schema.ts';
import type { ClaimedStep } from '#db/sql/claim.ts';
import { findWaitingPlans, releaseReservations } from '#db/sql/resources.ts';
import {
  addToQuestions,
  findStored,
  type Outcome,
  type Settled,
  type StartTerms,
  type StoredOutcome,
  settleSteps,
} from '#db/sql/settle.ts';
import type { PlanProgress } from '#db/steps/accounting.ts';
import { touchPlan } from '#db/steps/events.ts';
import { readPositions } from '#db/steps/versions.ts';
import { system } from '#domain/people/actor.ts';
import type { PlanStatus } from '#domain/plan/plan.ts';
import { makeStorable, makeStorableText } from '#domain/text.ts';
import { shorten } from '#domain/words.ts';
import { raiseFindings } from '#plans/findings/raise.ts';
import { finishIfDone, stopDependents } from '#plans/lifecycle/ended-steps.ts';
import { wakeWatchers } from '#plans/lifecycle/lifecycle.ts';
import { isTerminal } from '#plans/lifecycle/lifecycle-table.ts';
import type { SharedContext } from './executor-context.ts';
import { stepOf } from './findings.ts';

export type SettleContext = Pick<SharedContext, 'enqueue' | 'clock' | 'random'> & {
  worker: string;
  settings: Pick<SharedContext['settings'], 'on_failure'>;
};

/** Characters of a worker's report in the question. */
const maxReport = 400;

function describeLate({ attempt_status, summary, error }: StoredOutcome): string | null {
  const came = 'Its worker came back later and says that';
  switch (attempt_status) {
    case 'succeeded':
      return `${came} it succeeded${summary === null ? '.' : `: ${shorten(summary, maxReport)}`}`;
    case 'failed':
      return `${came} it failed${error === null ? '.' : `: ${shorten(error.message, maxReport)}`}`;
    case 'unknown':
      return `${came} it does not know either.`;
    default:
      return null;
  }
}

/** For outcomes whose lease was lost; skips settled ones. Requires the plan's lock. */
async function refuseLate(
  { worker, enqueue }: Pick<SettleContext, 'worker' | 'enqueue'>,
  tx: Transaction,
  row: PlanRow,
  outcomes: StoredOutcome[],
  { taken }: Settled,
): Promise<void> {
  const known = new Set([...taken, ...(await findStored(tx, row.id, outcomes, worker))]);
  const refused = outcomes.filter(({ position }) => !known.has(position));
  if (refused.length === 0) return;
  await recordAudit(
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

const unstorable = /\\u0000|\\ud[89a-f][0-9a-f]{2}/;

function cleanOutcomes(outcomes: Outcome[]): Outcome[] {
  return unstorable.test(JSON.stringify(outcomes)) ? outcomes.map(cleanOutcome) : outcomes;
}

function cleanOutcome(outcome: Outcome): Outcome {
  return {
    ...outcome,
    summary: outcome.summary === null ? null : makeStorableText(outcome.summary),
    question: outcome.question === null ? null : makeStorableText(outcome.question),
    output: makeStorable(outcome.output),
    final_args: makeStorable(outcome.final_args),
    error:
      outcome.error === null
        ? null
        : { ...outcome.error, message: makeStorableText(outcome.error.message) },
    ...(outcome.findings === undefined
      ? {}
      : {
          findings: outcome.findings.map((one) => ({
            ...one,
            message: makeStorableText(one.message),
          })),
        }),
  };
}

function findLarge({ output }: Outcome): Buffer | null {
  if (output === null) return null;
  const text = JSON.stringify(output);
  if (text.length <= inlineOutputBytes / 4) return null;
  const content = Buffer.from(text);
  return content.length <= inlineOutputBytes ? null : content;
}

async function fitOutput(
  { random }: SettleContext,
  tx: Transaction,
  planId: string,
  outcome: Outcome,
): Promise<Outcome> {
  const content = findLarge(outcome);
  if (content === null) return outcome;
  const id = drawArtifactId(random);
  const [step] = await tx
    .select({ id: planSteps.step_id })
    .from(planSteps)
    .where(and(eq(planSteps.plan_id, planId), eq(planSteps.position, outcome.position)));
  await storeArtifact(tx, {
    id,
    planId,
    stepId: step?.id ?? null,
    name: outputName(outcome.position),
    mediaType: 'application/json',
    content,
  });
  return { ...outcome, output: { $artifact: id, size: content.length } };
}

/** An ended plan asks no questions; in a running one an uncalled step is handed back. */
function fitStatus(outcome: Outcome, plan: PlanStatus): StoredOutcome {
  const stored = { ...outcome, attempt_status: outcome.status };
  const over = isTerminal(plan);
  if (over && (outcome.status === 'unknown' || outcome.status === 'waiting')) {
    return { ...stored, status: 'cancelled', question: null };
  }
  if (over && outcome.status === 'ready')
    return { ...stored, status: 'cancelled', attempt_status: 'failed' };
  if (!over && outcome.status === 'cancelled') {
    return { ...stored, status: 'ready', attempt_status: 'cancelled', error: null };
  }
  if (outcome.status === 'ready') return { ...stored, attempt_status: 'failed' };
  return stored;
}

/** Attributed to the reporting step. @returns the counters if steps became stale */
async function raiseReported(
  context: SettleContext,
  tx: Transaction,
  row: PlanRow,
  outcomes: StoredOutcome[],
  { taken }: Settled,
): Promise<PlanProgress | null> {
  const reported = outcomes.filter(({ findings }) => findings !== undefined);
  if (reported.length === 0) return null;
  const known = new Set(taken);
  const findings = reported.flatMap(({ position, findings = [] }) =>
    known.has(position) ? findings : [],
  );
  const named = findings.flatMap(({ step_id }) => step_id ?? []);
  const there = await readPositions(tx, row.id, { ids: named });
  const sound = findings.map(({ step_id, ...finding }) => {
    const about = step_id === undefined || there.has(step_id) ? step_id : stepOf(finding.raisedBy);
    return about === undefined ? finding : { ...finding, step_id: about };
  });
  return (await raiseFindings(context, tx, row, sound)).progress;
}

export type Settlement = {
  progress: PlanProgress | null;
  taken: number[];
  ended: boolean;
  more: boolean;
  started: ClaimedStep[];
};

/** At most one outcome per step. Requires the plan's lock. @param start null to start no freed steps */
export async function settleOutcomes(
  context: SettleContext,
  tx: Transaction,
  row: PlanRow,
  outcomes: Outcome[],
  start: StartTerms | null,
): Promise<Settlement> {
  const fitted: StoredOutcome[] = [];
  for (const outcome of cleanOutcomes(outcomes)) {
    fitted.push(fitStatus(await fitOutput(context, tx, row.id, outcome), row.status));
  }
  const settled = await settleSteps(tx, row.id, context.worker, fitted, start);
  const stillRunning = new Set(
    fitted.flatMap((one) => (one.status === 'running' ? one.position : [])),
  );
  const left = settled.taken.filter((position) => !stillRunning.has(position));
  await releaseResources(tx, row, left);
  const allTaken = settled.taken.length === outcomes.length;
  if (!allTaken) await refuseLate(context, tx, row, fitted, settled);
  const stopped = await stopDependents(tx, row.id, settled.failed, context.settings.on_failure);
  const raised = await raiseReported(context, tx, row, fitted, settled);
  const progress = raised ?? stopped ?? settled.progress;
  const ended = await finishIfDone(context, tx, row, progress);
  const handedBack = fitted.some(({ status }) => status === 'ready');
  const freed = settled.ready > 0 || settled.nextAvailableAt !== null;
  const more = !ended && (!allTaken || handedBack || freed);
  return { progress, taken: settled.taken, ended, more, started: settled.started };
}

const plansWoken = 8;

/** Requires the plan's lock. */
export async function releaseResources(
  tx: Transaction,
  plan: Pick<PlanRow, 'id' | 'pools'>,
  positions: number[],
): Promise<void> {
  if (plan.pools.length === 0) return;
  const pools = await releaseReservations(tx, plan.id, plan.pools, positions);
  if (pools.length === 0) return;
  for (const id of await findWaitingPlans(tx, pools, plan.id, plansWoken)) {
    await notify(tx, `work:${id}`);
  }
}
