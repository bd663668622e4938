// Work that continues after its call; any worker with the operation polls it.
import { z } from 'zod';
import { lockPlan } from '#db/plans/plans.ts';
import type { ClaimedStep } from '#db/sql/claim.ts';
import { askAgainLater, type LaterStep, laterOwner, takeLaterSteps } from '#db/sql/later.ts';
import type { Outcome } from '#db/sql/settle.ts';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import { PlanStatus } from '#domain/plan/plan.ts';
import {
  type LaterHandover,
  type LaterState,
  type Operation,
  operationName,
  type ToolOutput,
} from '#domain/tool.ts';
import { wakeWatchers, wakeWorkers } from '#plans/lifecycle/lifecycle.ts';
import { isTerminal } from '#plans/lifecycle/lifecycle-table.ts';
import type { SharedContext } from './executor-context.ts';
import { reportedBy } from './findings.ts';
import { makeFailure, makeOutcome, makeUnknown, reportCutOff } from './outcomes.ts';
import { settleOutcomes } from './settle.ts';

/** The step's output meanwhile. `caller`: the back end. */
const HandedOver = z.object({ later: z.string(), caller: z.string() });

const longestSeconds = 24 * 3600;
const seldomMs = 60_000;
const oftenMs = 500;
const usualMs = 5_000;
const askWithinMs = 5_000;
/** Must exceed polling plus stopping. */
const holdSeconds = 60;
const stepsATurn = 100;

export function longestSecondsOf(
  { operations }: Pick<SharedContext, 'operations'>,
  name: string,
): number {
  const own = Object.hasOwn(operations, name) ? operations[name] : undefined;
  return own?.timeout_seconds ?? longestSeconds;
}

const within = (ms: number) => Math.min(seldomMs, Math.max(oftenMs, ms));

export function makeLater(
  step: ClaimedStep,
  { later, checkAfterMs }: LaterHandover,
  caller: string,
): Outcome {
  const output = { later, caller };
  const retry_in_ms = within(checkAfterMs ?? usualMs);
  return makeOutcome(step, { status: 'running', output, retry_in_ms });
}

function succeed(step: LaterStep, output: ToolOutput): Outcome {
  const { summary, data, findings = [] } = output;
  const reported = findings.length === 0 ? {} : { findings: reportedBy(step, findings) };
  return makeOutcome(step, { status: 'succeeded', summary, output: data, ...reported });
}

/** Unknown for a write; else failed, which a person can retry. */
function giveUp(step: LaterStep, code: 'tool_failed' | 'timed_out', message: string): Outcome {
  return step.effect === 'write'
    ? makeUnknown(step, code, message)
    : makeFailure(step, new CountersignError(code, message));
}

async function stopWork(
  context: SharedContext,
  step: LaterStep,
  operation: Operation | undefined,
  handle: string,
): Promise<void> {
  try {
    await operation?.cancelLater?.(handle, AbortSignal.timeout(askWithinMs));
  } catch (error) {
    context.warn(`${step.step_id} of ${step.plan_id} could not be stopped.`, error);
  }
}

async function readState(
  context: SharedContext,
  step: LaterStep,
  operation: Operation | undefined,
  handle: string,
): Promise<LaterState | null> {
  if (operation?.checkLater === undefined) return null;
  try {
    return await operation.checkLater(handle, AbortSignal.timeout(askWithinMs));
  } catch (error) {
    context.warn(
      `Could not ask a person for ${step.step_id} of ${step.plan_id}: ${errorMessage(error)}`,
      error,
    );
    return null;
  }
}

/** @param ownIds this process's back ends @returns an outcome, or milliseconds until the next poll */
async function judge(
  context: SharedContext,
  step: LaterStep,
  ownIds: ReadonlySet<string>,
): Promise<Outcome | number> {
  const name = operationName(step.tool, step.operation);
  const kept = HandedOver.safeParse(step.output);
  if (!kept.success) return giveUp(step, 'tool_failed', `No platform can reach ${name}.`);
  const { later: handle, caller } = kept.data;
  const operation = context.registry.of(step.tenant).get(name);
  const state = await readState(context, step, operation, handle);
  if (state?.state === 'done') return succeed(step, state.output);
  if (state?.state === 'failed')
    return makeFailure(step, new CountersignError('tool_failed', state.message));
  if (state?.state === 'lost') return giveUp(step, 'tool_failed', state.message);
  const isElsewhere = state?.state === 'elsewhere' && step.caller_alive && !ownIds.has(caller);
  if (state?.state === 'elsewhere' && !isElsewhere)
    return giveUp(step, 'tool_failed', `The process that ran ${name} is gone, and no result came.`);
  const seconds = longestSecondsOf(context, name);
  const late = step.waited > seconds;
  if (isElsewhere && !late) return 0;
  if (!step.over && !late) {
    if (operation !== undefined && operation.checkLater === undefined)
      return within((seconds - step.waited) * 1000);
    if (state?.state === 'running' && 'dueInMs' in state) return within(state.dueInMs);
    const wanted = state?.state === 'running' ? (state.checkAfterMs ?? usualMs) : 0;
    return within(Math.max(wanted, step.waited * 100));
  }
  await stopWork(context, step, operation, handle);
  if (step.over) return reportCutOff(step, `${name} was told to stop because its plan has ended.`);
  return giveUp(step, 'timed_out', `${name} did not come to an end within ${seconds} s.`);
}

async function settle(context: SharedContext, planId: string, outcome: Outcome): Promise<void> {
  const { db, enqueue } = context;
  await db.transaction(async (tx) => {
    const row = await lockPlan(tx, planId);
    const own = { ...context, worker: laterOwner };
    const { ended } = await settleOutcomes(own, tx, row, [outcome], null);
    if (ended) return;
    await wakeWorkers(tx, planId);
    await wakeWatchers(tx, enqueue, planId);
  });
}

export async function askForLater(
  context: SharedContext,
  backends: { id: string }[],
): Promise<void> {
  const { db, registry } = context;
  const terms = {
    operations: registry.list().map(({ name }) => name),
    over: PlanStatus.options.filter(isTerminal),
    holdSeconds,
    orphanSeconds: holdSeconds,
    // A worker that has the operation applies its limit.
    longestSeconds: longestSeconds + 3600,
  };
  const ownIds = new Set(backends.map(({ id }) => id));
  const ask = async (step: LaterStep) => {
    const result = await judge(context, step, ownIds);
    if (typeof result === 'number') await askAgainLater(db.query, step, result);
    else await settle(context, step.plan_id, result);
  };
  const asked = await Promise.allSettled(
    (await takeLaterSteps(db.query, terms, stepsATurn)).map(ask),
  );
  for (const one of asked)
    if (one.status === 'rejected') context.warn('Could not read the current activity.', one.reason);
}
