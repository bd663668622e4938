// One claimed step: guard, arguments, mark, call, outcome. Never throws; every way it can end is an Outcome.

import { system } from '#contracts/actor.ts';
import { hasRuntime, referencesOf } from '#contracts/arguments.ts';
import { CountersignError, errorMessage } from '#contracts/errors.ts';
import type { Json, JsonObject } from '#contracts/text.ts';
import { type Operation, operationName, type ToolContext } from '#contracts/tool.ts';
import { recordDeeds } from '#store/audit.ts';
import { readOutputs } from '#store/outputs.ts';
import type { PlanRow } from '#store/plans.ts';
import type { ClaimedStep } from '#store/sql/claim.ts';
import type { Lease } from '#store/sql/leases.ts';
import type { Outcome } from '#store/sql/settle.ts';
import { isOutcomeUnknown } from '#tools/failures.ts';
import { decideCall } from '#tools/guard.ts';
import { resolveReferences } from '#tools/resolve-arguments.ts';
import { passCrashPoint } from './crash-points.ts';
import type { ExecutorContext } from './executor-context.ts';
import { patiently } from './patiently.ts';

export type StepRun = {
  context: ExecutorContext;
  plan: PlanRow;
  step: ClaimedStep;
  lease: Lease;
  /** Aborts when the lease is lost, the plan is cancelled or the process stops. */
  signal: AbortSignal;
  mark: (lease: Lease) => Promise<boolean>;
  /** False: the process stops, and what has not been called is handed back. */
  mayBegin: () => boolean;
};

function outcome(step: ClaimedStep, rest: Partial<Outcome> & Pick<Outcome, 'status'>): Outcome {
  return {
    position: step.position,
    attempt: step.attempt,
    summary: null,
    output: null,
    error: null,
    question: null,
    final_args: null,
    ...rest,
  };
}

function failure(step: ClaimedStep, error: CountersignError): Outcome {
  return outcome(step, {
    status: 'failed',
    error: { code: error.code, message: error.message },
  });
}

/** Nothing was called: the step is cancelled with its plan, or handed back if the plan goes on. */
function notCalled(step: ClaimedStep, why: string): Outcome {
  return outcome(step, {
    status: 'cancelled',
    error: { code: 'cancelled', message: `Nothing was called: ${why}.` },
  });
}

/** Asks the database, however long it stays away, as long as the step is ours. */
function ask<T>({ context, step, plan, signal }: StepRun, work: () => Promise<T>): Promise<T> {
  const warn = (error: unknown) =>
    context.warn(`Step ${step.step_id} of ${plan.id} waits for the database.`, error);
  return patiently(work, warn, signal);
}

/** Refuses what is out of scope; in log mode records what would have been refused. @throws `out_of_scope` */
async function guardCall(run: StepRun, name: string): Promise<void> {
  const { context, plan, step } = run;
  const decision = decideCall({
    operation: name,
    scope: plan.tools_required,
    guarded: context.guardedTools,
    approved: true,
    mode: context.guardMode,
  });
  if (decision.kind === 'allow') return;
  const deed = {
    planId: plan.id,
    actor: system,
    action: decision.kind === 'refuse' ? 'call_refused' : 'call_would_be_refused',
    version: plan.version,
    reason: decision.reason,
    data: { step: step.step_id, operation: name },
  };
  await ask(run, () => recordDeeds(context.db.query, [deed]));
  if (decision.kind === 'refuse') throw new CountersignError(decision.code, decision.reason);
}

type Ready = { kind: 'call'; args: JsonObject } | { kind: 'confirm'; args: JsonObject };

/** The final arguments: references filled in, run-time values decided, checked against the schema. */
async function prepareArguments(run: StepRun, operation: Operation): Promise<Ready> {
  const { context, plan, step, signal } = run;
  if (step.final_args !== null) return { kind: 'call', args: step.final_args };
  const references = [...new Set(referencesOf(step.args).map(({ $from }) => $from))];
  const outputs = await ask(run, () => readOutputs(context.db.query, plan.id, references));
  let args = resolveReferences(step.args, outputs);
  const validate = (candidate: JsonObject) => context.registry.validate(operation.name, candidate);
  // Only what was approved decides; what a tool answered is data, whatever it looks like.
  const decides = hasRuntime(step.args);
  if (decides) {
    requireData(outputs);
    if (context.decide === null) {
      throw new CountersignError(
        'model_failed',
        'This step decides its arguments when it runs, and no model is configured. Set OPENAI_API_KEY or propose it with fixed arguments.',
      );
    }
    const decided = await context.decide({
      operation,
      args,
      description: step.description,
      outputs: Object.fromEntries(outputs),
      validate,
      signal,
    });
    args = decided.args;
  }
  const problems = validate(args);
  if (problems.length > 0)
    throw new CountersignError('invalid_arguments', `${problems.join('; ')}.`);
  return { kind: decides && step.guarded ? 'confirm' : 'call', args };
}

/** @throws `invalid_reference` when an output would pass for an argument that is still to be decided */
function requireData(outputs: Map<string, Json>): void {
  for (const [id, output] of outputs) {
    if (!hasRuntime(output)) continue;
    throw new CountersignError(
      'invalid_reference',
      `The output of step ${id} holds a "$decide" of its own, which cannot be told from the plan's. Propose this step with fixed arguments.`,
    );
  }
}

function toolContext({ context, plan, step, signal }: StepRun): ToolContext {
  return {
    planId: plan.id,
    stepId: step.step_id,
    idempotencyKey: `${plan.id}:${plan.version}:${step.step_id}`,
    user: plan.requester,
    conversation: plan.conversation,
    timezone: context.timezone,
    signal,
  };
}

/** Resolves as `work` does, or rejects as soon as `signal` aborts, whether or not `work` heeds it. */
function abandonOn<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/**
 * What became of a call that was cut off. A read or an idempotent operation simply failed; a write may have taken
 * effect, so its outcome is unknown and a person is asked.
 */
function cutOff(run: StepRun, why: 'timed_out' | 'cancelled', message: string): Outcome {
  const { step } = run;
  if (step.effect !== 'write') {
    const status = why === 'cancelled' ? 'cancelled' : 'failed';
    return outcome(step, { status, error: { code: why, message } });
  }
  return outcome(step, {
    status: 'unknown',
    question: `${message} It may or may not have taken effect.`,
    error: { code: why, message },
  });
}

async function call(run: StepRun, operation: Operation, args: JsonObject): Promise<Outcome> {
  const { context, step, lease } = run;
  if (!run.mayBegin()) return notCalled(step, 'this worker stops');
  if (step.effect === 'write') {
    if (!(await run.mark(lease))) return notCalled(step, 'its lease ran out or its plan stopped');
    passCrashPoint('before_call');
  }
  if (run.signal.aborted) return notCalled(step, errorMessage(run.signal.reason));
  const expected = operation.expectedSeconds?.(args) ?? 0;
  const seconds = context.settings.step_timeout_seconds + expected;
  const timeout = new AbortController();
  const timer = setTimeout(
    () => timeout.abort(new DOMException('', 'TimeoutError')),
    seconds * 1000,
  );
  const signal = AbortSignal.any([run.signal, timeout.signal]);
  try {
    const result = await abandonOn(operation.call(args, { ...toolContext(run), signal }), signal);
    passCrashPoint('after_call');
    if ('waitFor' in result) {
      return outcome(step, {
        status: 'waiting',
        question: result.question,
        output: { form: result.form, assignee: result.assignee },
      });
    }
    return outcome(step, { status: 'succeeded', summary: result.summary, output: result.data });
  } catch (error) {
    if (timeout.signal.aborted) {
      return cutOff(run, 'timed_out', `${operation.name} did not answer within ${seconds} s.`);
    }
    if (run.signal.aborted) {
      return cutOff(
        run,
        'cancelled',
        `${operation.name} was stopped: ${errorMessage(run.signal.reason).replace(/\.$/, '')}.`,
      );
    }
    if (step.effect === 'write' && isOutcomeUnknown(error)) {
      return outcome(step, {
        status: 'unknown',
        question: `${errorMessage(error)} It may or may not have taken effect.`,
        error: { code: 'tool_failed', message: errorMessage(error) },
      });
    }
    return failure(
      step,
      error instanceof CountersignError
        ? error
        : new CountersignError('tool_failed', errorMessage(error)),
    );
  } finally {
    clearTimeout(timer);
  }
}

function askToConfirm(step: ClaimedStep, name: string, args: JsonObject): Outcome {
  const values = Object.entries(args)
    .map(([key, value]: [string, Json]) => `${key} = ${JSON.stringify(value)}`)
    .join(', ');
  return outcome(step, {
    status: 'waiting',
    question: `Run ${name} with ${values}?`,
    final_args: args,
    output: { confirm: true },
  });
}

export async function runStep(run: StepRun): Promise<Outcome> {
  const { context, step } = run;
  const name = operationName(step.tool, step.operation);
  try {
    await guardCall(run, name);
    const operation = context.registry.get(name);
    if (operation === undefined) {
      throw new CountersignError('tool_unavailable', `${name} is not available on this worker.`);
    }
    const ready = await prepareArguments(run, operation);
    if (ready.kind === 'confirm') return askToConfirm(step, name, ready.args);
    return await context.slots.run(() => call(run, operation, ready.args));
  } catch (error) {
    if (run.signal.aborted) return notCalled(step, errorMessage(run.signal.reason));
    if (error instanceof CountersignError) return failure(step, error);
    context.warn(`Step ${step.step_id} of ${run.plan.id} could not be prepared.`, error);
    return failure(
      step,
      new CountersignError('internal', `${name} could not be prepared; the log says why.`),
    );
  }
}
