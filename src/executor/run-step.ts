// One claimed step: guard, arguments, call, outcome. Never throws; every way it can end is an Outcome.
import { system } from '#contracts/actor.ts';
import { CountersignError, errorMessage } from '#contracts/errors.ts';
import { operationName } from '#contracts/tool.ts';
import { recordDeeds } from '#store/audit.ts';
import type { Outcome } from '#store/sql/settle.ts';
import { decideCall } from '#tools/guard.ts';
import { callOperation } from './call-operation.ts';
import { askToConfirm, makeFailure, reportNotCalled } from './outcomes.ts';
import { prepareArguments } from './prepare-arguments.ts';
import { askDatabase, type StepRun } from './step-run.ts';

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
  await askDatabase(run, () => recordDeeds(context.db.query, [deed]));
  if (decision.kind === 'refuse') throw new CountersignError(decision.code, decision.reason);
}

export async function runStep(run: StepRun): Promise<Outcome> {
  const { context, step } = run;
  const name = operationName(step.tool, step.operation);
  try {
    await guardCall(run, name);
    const operation = context.registry.get(name);
    if (operation === undefined) {
      throw new CountersignError(
        'tool_unavailable',
        `${name} is not available on this worker. See what \`countersign doctor\` says, then retry.`,
      );
    }
    const ready = await prepareArguments(run, operation);
    if (ready.kind === 'confirm') return askToConfirm(step, name, ready.args);
    return await context.slots.run(() => callOperation(run, operation, ready.args));
  } catch (error) {
    if (run.signal.aborted) return reportNotCalled(step, errorMessage(run.signal.reason));
    if (error instanceof CountersignError) return makeFailure(step, error);
    context.warn(`Step ${step.step_id} of ${run.plan.id} could not be prepared.`, error);
    return makeFailure(
      step,
      new CountersignError('internal', `${name} could not be prepared; the log says why.`),
    );
  }
}
