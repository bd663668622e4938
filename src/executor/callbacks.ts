// Callbacks report long-running work's outcome over HTTP; the first report wins.
import { recordAudit } from '#db/audit/audit.ts';
import { readManifests } from '#db/backends.ts';
import type { Transaction } from '#db/database.ts';
import { readTenantOf } from '#db/people/identities.ts';
import { lockPlan, type PlanRow } from '#db/plans/plans.ts';
import { type Callback, closeCallback, findCallback, storeCallback } from '#db/sql/callbacks.ts';
import { addToQuestions, type Outcome } from '#db/sql/settle.ts';
import { touchPlan } from '#db/steps/events.ts';
import { type CallbackResult, callbackPath } from '#domain/callback.ts';
import { passCrashPoint } from '#domain/crash-points.ts';
import { CountersignError } from '#domain/errors.ts';
import { system } from '#domain/people/actor.ts';
import { operationName } from '#domain/tool.ts';
import { shorten } from '#domain/words.ts';
import { wakeWatchers, wakeWorkers } from '#plans/lifecycle/lifecycle.ts';
import { digestJson } from '#tools/catalogue.ts';
import { nothingDone } from '#tools/failures.ts';
import { withoutSecrets } from '#tools/files/asked-secrets.ts';
import { limitOutput } from '#tools/limit-output.ts';
import { checkOutput } from '#tools/validate-arguments.ts';
import { askDatabase, type SharedContext, type StepRun } from './executor-context.ts';
import { longestSecondsOf } from './later.ts';
import { makeFailure, makeOutcome } from './outcomes.ts';
import { type SettleContext, settleOutcomes } from './settle.ts';

const tokenBytes = 32;

export type CallbackOffer = {
  /** Created on first use. @throws `tool_unavailable` without a public address, `lease_lost` */
  url(): Promise<string>;
  isMade(): boolean;
};

export function offerCallback(run: StepRun): CallbackOffer {
  const { context, step, lease } = run;
  const name = operationName(step.tool, step.operation);
  let made: Promise<string> | null = null;
  let isGivenOut = false;
  const make = async () => {
    const { publicUrl } = context;
    if (publicUrl === null)
      throw new CountersignError(
        'tool_unavailable',
        `${name} needs a callback URL. Set COUNTERSIGN_PUBLIC_URL for the workers and restart them.`,
        { details: nothingDone },
      );
    const token = context.random.hex(tokenBytes);
    const seconds = longestSecondsOf(context, name);
    const isStored = await askDatabase(run, () =>
      storeCallback(context.db.query, token, lease, context.worker, seconds),
    );
    if (!isStored)
      throw new CountersignError('lease_lost', `${name} was given up before it was called back.`);
    isGivenOut = true;
    return `${publicUrl}${callbackPath}${token}`;
  };
  return {
    url() {
      made ??= make();
      return made;
    },
    isMade: () => isGivenOut,
  };
}

type CallbackContext = Omit<SettleContext, 'worker'> & Pick<SharedContext, 'db' | 'catalogue'>;

function judge(callback: Callback, digest: string): 'open' | 'settled' | 'asked' {
  if (callback.result_digest === digest) return 'settled';
  if (callback.result_digest !== null)
    throw over('This step was settled with another result already.');
  if (callback.unknown) return 'asked';
  if (!callback.running) throw nobodyWaits();
  if (callback.expired) throw over('This result came after the time limit of its step.');
  return 'open';
}

function over(sentence: string): CountersignError {
  return new CountersignError('callback_over', `${sentence} Nothing was changed.`);
}

const nobodyWaits = () =>
  over('This step no longer accepts a result: it has ended, was stopped or was retried.');

/** @throws `tool_unavailable`, `invalid_arguments` */
async function readOutcome(
  { catalogue, db }: CallbackContext,
  callback: Callback,
  result: CallbackResult,
): Promise<Outcome> {
  if ('error' in result)
    return makeFailure(callback, new CountersignError('tool_failed', result.error));
  const name = operationName(callback.tool, callback.operation);
  await catalogue.refresh(() => readManifests(db.query));
  const own = catalogue.of(await readTenantOf(db.query, callback.plan_id));
  const operation = own.get(name);
  if (operation === undefined)
    throw new CountersignError(
      'tool_unavailable',
      `No worker offers ${name} at the moment, so its result cannot be checked. Send it again later.`,
    );
  const problems = operation.output === undefined ? [] : checkOutput(operation.output, result.data);
  if (problems.length > 0)
    throw new CountersignError(
      'invalid_arguments',
      `This is no result of ${name}: ${problems.join('; ')}. The step keeps waiting.`,
    );
  const { summary, data } = limitOutput({
    summary: result.summary ?? `${name} is done.`,
    data: result.data,
  });
  return makeOutcome(callback, { status: 'succeeded', summary, output: data });
}

async function settle(
  context: CallbackContext,
  tx: Transaction,
  row: PlanRow,
  { step_id, lease_owner }: Callback,
  outcome: Outcome,
): Promise<void> {
  const own = { ...context, worker: lease_owner ?? '' };
  const { taken, ended } = await settleOutcomes(own, tx, row, [outcome], null);
  if (taken.length === 0) throw nobodyWaits();
  const data = { step: step_id, attempt: outcome.attempt, outcome: outcome.status };
  const action = 'callback_taken';
  await recordAudit(tx, [{ planId: row.id, actor: system, action, version: row.version, data }]);
  if (ended) return;
  await wakeWorkers(tx, row.id);
  await wakeWatchers(tx, context.enqueue, row.id);
}

const reportedBefore = 'The other side reported later that it';
const maxReport = 400;

async function tellPerson(
  { enqueue }: CallbackContext,
  tx: Transaction,
  row: PlanRow,
  { position, attempt, step_id, question }: Callback,
  result: CallbackResult,
): Promise<void> {
  if (question?.includes(reportedBefore) === true) return;
  const message = 'error' in result ? result.error : (result.summary ?? '');
  const words = `${reportedBefore} ${'error' in result ? 'failed' : 'succeeded'}`;
  const text = message === '' ? `${words}.` : `${words}: ${shorten(message, maxReport)}`;
  await addToQuestions(tx, row.id, [{ position, attempt, text }]);
  await touchPlan(tx, row.id, 'late_outcome', `the other side of ${step_id} reported`);
  await wakeWatchers(tx, enqueue, row.id);
}

/** Idempotent. @throws `not_found`, `callback_over`, `invalid_arguments` (the step keeps waiting), `tool_unavailable` */
export async function answerCallback(
  context: CallbackContext,
  token: string,
  result: CallbackResult,
): Promise<void> {
  const find = async (db: Parameters<typeof findCallback>[0]) => {
    const callback = await findCallback(db, token);
    if (callback !== null) return callback;
    throw new CountersignError(
      'not_found',
      "This callback address doesn't exist, or its plan was deleted. Stop sending to it.",
    );
  };
  const digest = digestJson(result);
  const before = await find(context.db.query);
  // Without the plan's lock, so that used callbacks cost little.
  if (judge(before, digest) === 'settled') return;
  const cleaned = await withoutSecrets(async () => result);
  const outcome = await readOutcome(context, before, cleaned);
  const wasAsked = await context.db.transaction(async (tx) => {
    const row = await lockPlan(tx, before.plan_id);
    const callback = await find(tx);
    const now = judge(callback, digest);
    if (now === 'asked') await tellPerson(context, tx, row, callback, cleaned);
    if (now === 'open') {
      await settle(context, tx, row, callback, outcome);
      await closeCallback(tx, token, digest);
      passCrashPoint('in_settle');
    }
    return now === 'asked';
  });
  passCrashPoint('after_outcome');
  if (wasAsked)
    throw new CountersignError(
      'callback_over',
      'The outcome of this step is unknown and a person decides it; they are shown this result.',
    );
}
