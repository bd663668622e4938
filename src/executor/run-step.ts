// Runs one claimed step. Never throws: every ending is an Outcome.
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Outcome } from '#db/sql/settle.ts';
import { readStepsById } from '#db/steps/pages.ts';
import { readWorkDone } from '#db/steps/steps.ts';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import { isSameState, SeenState } from '#domain/plan/seen.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { isObject, type JsonObject } from '#domain/text.ts';
import { type Operation, operationName } from '#domain/tool.ts';
import { contentArguments, meet, touchesOf } from '#plans/content/touches.ts';
import { describeCall } from '#tools/describe-call.ts';
import { nothingDone } from '#tools/failures.ts';
import { callOperation, guardCall } from './call-operation.ts';
import { askForValues } from './choose-values.ts';
import { askDatabase, type StepRun, toolsOf } from './executor-context.ts';
import { findDrifted } from './findings.ts';
import { startStopwatch } from './leases.ts';
import { askToConfirm, makeFailure, makeSkipped, reportNotCalled } from './outcomes.ts';
import { type Confirmation, findReasonToSkip, prepareArguments } from './prepare-arguments.ts';
import { failOrRetry } from './retry-policy.ts';
import { LeftQueue } from './slots.ts';

/** As shown or confirmed, and now; null if not looked up. */
type Drift = { was: SeenState | null; now: SeenState | null };

const Asked = z.looseObject({ confirm: z.literal(true), looked: SeenState.nullable() });

/** Undefined if there is none or a retry dropped it. */
async function readConfirmed(run: StepRun): Promise<SeenState | null | undefined> {
  const { context, plan, step } = run;
  if (step.final_args === null) return undefined;
  const [stored] = await askDatabase(run, () =>
    readStepsById(context.db.query, plan.id, [step.step_id]),
  );
  const asked = Asked.safeParse(stored?.output);
  return asked.success ? asked.data.looked : undefined;
}

/** The plan itself made the last change: during a step, at a target of one. */
async function isPlansWork(
  run: StepRun,
  args: JsonObject,
  now: SeenState | null,
): Promise<boolean> {
  const { context, plan, step } = run;
  const at = now?.modified_at ?? null;
  if (now === null || (at === null && now.state === 'exists')) return false;
  const work = await askDatabase(run, () =>
    readWorkDone(context.db.query, plan.id, at, contentArguments),
  );
  // Other tools' calls may take long, and people make changes meanwhile.
  if (at !== null && !work.some(({ then, tool }) => then && tool === step.tool)) return false;
  const places = touchesOf({ ...step, id: step.step_id, args });
  return work.some((one) => meet(touchesOf(one), places));
}

/** Servers' tools count as destructive by default: without `inspect` only guarded ones ask, against approval fatigue. */
function isUnchecked({ context, step }: StepRun, operation: Operation, args: JsonObject): boolean {
  if (step.seen != null || step.effect === 'read') return false;
  const { name, source, inspect } = operation;
  const isGuarded = step.guarded || context.guardedTools.includes(name);
  if (inspect === undefined && source !== 'builtin' && !isGuarded) return false;
  return describeCall(name, operation, args, null).destructive;
}

/** Null if nothing differs or the call only reads. An unchecked target differs if it may exist. */
async function findDrift(
  run: StepRun,
  operation: Operation,
  args: JsonObject,
): Promise<Drift | null> {
  const { context, step } = run;
  if (step.effect === 'read') return null;
  const seen = step.seen ?? null;
  const unchecked = isUnchecked(run, operation, args);
  if (seen === null && !unchecked) return null;
  const now = (await operation.inspect?.(args, run.signal)) ?? null;
  const confirmed = isDeepStrictEqual(step.final_args, args) ? await readConfirmed(run) : undefined;
  const mayExist = now === null ? context.guardMode !== 'log' : now.state === 'exists';
  if (unchecked && confirmed === undefined && !mayExist) return null;
  if (seen !== null && isSameState(seen, now)) return null;
  const after = now?.fingerprint ?? null;
  if (after !== null && operation.fingerprintAfter?.(args) === after) return null;
  if (confirmed !== undefined && isSameState(confirmed, now)) return null;
  // A retried or later step finds what the plan itself has left.
  if (await isPlansWork(run, args, now)) return null;
  return { was: confirmed ?? seen, now };
}

function describe(state: SeenState): string {
  if (state.text !== undefined) return quoteWords(state.text, 2000);
  if (state.state === 'missing') return 'missing';
  const size = state.size === null ? [] : [`${state.size.toLocaleString('en-US')} bytes`];
  const edited = state.modified_at === null ? [] : [`edited ${state.modified_at}`];
  if (state.state === 'new') return 'not there';
  return [...size, ...edited].join(', ') || 'there';
}

function askAboutDrift(
  { step }: StepRun,
  name: string,
  { args, confirm }: { args: JsonObject; confirm: Confirmation | null },
  { was, now }: Drift,
): Outcome {
  const asked = askToConfirm(step, name, args, confirm ?? 'values');
  const target = step.target ?? 'What this step touches';
  const after = now === null ? 'cannot be looked up' : `is ${describe(now)}`;
  if (was === null && step.seen == null) {
    const warning = `${target} was not checked before the plan was approved. It ${after}.`;
    const output = { confirm: true, unchecked: true, looked: now };
    return { ...asked, question: `${warning} ${asked.question ?? ''}`, output };
  }
  const before = was === null ? 'could not be looked up' : `was ${describe(was)}`;
  const changed = now === null ? 'may have changed' : 'changed';
  // A target that never existed can't go missing: its source did.
  const warning =
    was?.state === 'new' && now?.state === 'missing'
      ? `What ${target} is made from is missing. It was there when the plan was approved.`
      : `${target} ${changed} after the plan was approved. It ${before}; now it ${after}.`;
  const question = `${warning} ${asked.question ?? ''}`;
  const findings = [findDrifted(step, warning)];
  return { ...asked, question, output: { confirm: true, drift: now, looked: now }, findings };
}

async function askAboutValues(
  run: StepRun,
  operation: Operation,
  { args, confirm }: { args: JsonObject; confirm: Confirmation },
): Promise<Outcome> {
  const asked = askToConfirm(run.step, operation.name, args, confirm);
  if (!isUnchecked(run, operation, args) || !isObject(asked.output)) return asked;
  const looked = (await operation.inspect?.(args, run.signal)) ?? null;
  return { ...asked, output: { ...asked.output, looked } };
}

/** Age at which lease and plan are checked again before calling. */
const freshMs = 250;
/** A step that only waits at least this long takes no slot. */
const idleFromMs = 1000;

export async function runStep(run: StepRun): Promise<Outcome> {
  const { context, step } = run;
  const name = operationName(step.tool, step.operation);
  const passedMs = startStopwatch(context.clock);
  try {
    await guardCall(run, name);
    const skip = await findReasonToSkip(run);
    if (skip !== null) return makeSkipped(step, skip);
    const operation = toolsOf(run).get(name);
    if (operation === undefined) {
      throw new CountersignError(
        'tool_unavailable',
        `${name} is not available on this worker. See what \`countersign doctor\` says, then retry.`,
        { details: nothingDone, passesAfterMs: 0 },
      );
    }
    const ready = await prepareArguments(run, operation);
    if (ready.kind === 'skip') return makeSkipped(step, ready);
    if (ready.kind === 'undecided') return askForValues(step, operation, ready.reason);
    const drift = await findDrift(run, operation, ready.args);
    // If its values are asked about anyway, the target's state is shown with them.
    const first = ready.confirm === 'values' && step.seen == null && drift?.was === null;
    if (drift !== null && !first) return askAboutDrift(run, name, ready, drift);
    if (ready.confirm !== null)
      return await askAboutValues(run, operation, { ...ready, confirm: ready.confirm });
    const queued = performance.now();
    const begin = async () => {
      const waited = performance.now() - queued > freshMs;
      // The target may have changed while the step waited for a slot.
      const later = waited ? await findDrift(run, operation, ready.args) : null;
      if (later !== null) return askAboutDrift(run, name, ready, later);
      return callOperation(run, operation, ready.args, passedMs() > freshMs);
    };
    const isIdle = (operation.expectedSeconds?.(ready.args) ?? 0) * 1000 >= idleFromMs;
    return await context.slots.run(begin, run.signal, isIdle ? run.letGo : undefined);
  } catch (error) {
    if (error instanceof LeftQueue) return reportNotCalled(step, error.message);
    if (run.signal.aborted) return reportNotCalled(step, errorMessage(run.signal.reason));
    if (error instanceof CountersignError) return failOrRetry(run, error, 'read');
    context.warn(`Could not prepare step ${step.step_id} of ${run.plan.id}.`, error);
    return makeFailure(
      step,
      new CountersignError('internal', `${name} couldn't be prepared. See the log.`),
    );
  }
}
