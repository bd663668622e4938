// One claimed step: guard, conditions, arguments, call, outcome. Never throws; every way it can end is an Outcome.
import { CountersignError, errorMessage } from '#contracts/errors.ts';
import { operationName } from '#contracts/tool.ts';
import type { Outcome } from '#store/sql/settle.ts';
import { nothingDone } from '#tools/failures.ts';
import { callOperation } from './call-operation.ts';
import { findReasonToSkip } from './conditions.ts';
import { askAboutDrift, findDrift } from './drift.ts';
import { failOrRetry } from './fail-or-retry.ts';
import { guardCall } from './guard-call.ts';
import { askToConfirm, makeFailure, makeSkipped, reportNotCalled } from './outcomes.ts';
import { prepareArguments } from './prepare-arguments.ts';
import { LeftQueue } from './slots.ts';
import type { StepRun } from './step-run.ts';

/** A step that has waited longer for a slot (milliseconds) asks whether its plan still goes on. */
const freshMs = 250;
/** A step that only waits takes no slot when it waits at least so long (milliseconds). */
const idleFromMs = 1000;

export async function runStep(run: StepRun): Promise<Outcome> {
  const { context, step } = run;
  const name = operationName(step.tool, step.operation);
  try {
    await guardCall(run, name);
    const reason = await findReasonToSkip(run);
    if (reason !== null) return makeSkipped(step, reason);
    const operation = context.registry.get(name);
    if (operation === undefined) {
      throw new CountersignError(
        'tool_unavailable',
        `${name} is not available on this worker. See what \`countersign doctor\` says, then retry.`,
        { details: nothingDone, passesAfterMs: 0 },
      );
    }
    const ready = await prepareArguments(run, operation);
    if (ready.kind === 'skip') return makeSkipped(step, ready.reason);
    const drift = await findDrift(run, operation, ready.args);
    if (drift !== null) return askAboutDrift(run, name, ready, drift);
    if (ready.confirm !== null) return askToConfirm(step, name, ready.args, ready.confirm);
    const queued = performance.now();
    const begin = () => {
      const waited = performance.now() - queued > freshMs;
      return callOperation(run, operation, ready.args, waited);
    };
    const isIdle = (operation.expectedSeconds?.(ready.args) ?? 0) * 1000 >= idleFromMs;
    return await context.slots.run(begin, run.signal, isIdle ? run.letGo : undefined);
  } catch (error) {
    if (error instanceof LeftQueue) return reportNotCalled(step, error.message);
    if (run.signal.aborted) return reportNotCalled(step, errorMessage(run.signal.reason));
    // Nothing has been called yet, so that trying again repeats nothing, whatever the operation does.
    if (error instanceof CountersignError) return failOrRetry(run, error, 'read');
    context.warn(`Step ${step.step_id} of ${run.plan.id} could not be prepared.`, error);
    return makeFailure(
      step,
      new CountersignError('internal', `${name} could not be prepared; the log says why.`),
    );
  }
}
