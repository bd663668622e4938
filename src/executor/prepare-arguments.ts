// Turns approved arguments into those of the call: resolves references, decides run-time values, validates the result.
import { isDeepStrictEqual } from 'node:util';
import { readRun } from '#db/planning/runs.ts';
import { loadArtifacts, readContent, readOutputs } from '#db/plans/artifacts.ts';
import { readStepsById } from '#db/steps/pages.ts';
import { CountersignError } from '#domain/errors.ts';
import {
  artifactsOf,
  hasRuntime,
  isRuntime,
  openArguments,
  referencesOf,
} from '#domain/plan/arguments.ts';
import { fillIn } from '#domain/plan/open-values.ts';
import { isReplanning } from '#domain/plan/replan.ts';
import type { Json, JsonObject } from '#domain/text.ts';
import type { Operation } from '#domain/tool.ts';
import type { Decided } from '#models/decide-arguments.ts';
import { formatMoment, toLocalIso } from '#timeline/recurrence.ts';
import { describeCall } from '#tools/describe-call.ts';
import { resolveReferences } from '#tools/resolve-arguments.ts';
import { payOnPlan } from './budget.ts';
import { findSkippedSource } from './conditions.ts';
import { askDatabase, type StepRun, toolsOf } from './executor-context.ts';

/** Why a person confirms the arguments: `values` were not in the approved plan, or `each` call asks. */
export type Confirmation = 'values' | 'each';

/**
 * `confirm` is null if the call may be made. `skip`: an input was skipped. `undecided`: a person has to choose the open values.
 */
type Ready =
  | { kind: 'call'; args: JsonObject; confirm: Confirmation | null }
  | { kind: 'skip'; reason: string }
  | { kind: 'undecided'; reason: string };

/**
 * Values decided at run time are confirmed if the call is guarded, destructive or external with its final arguments, or if they
 * name the target of a change. Human tasks already ask.
 */
function whyConfirm(
  { context, plan, step }: StepRun,
  operation: Operation,
  final: JsonObject,
): Confirmation | null {
  if (operation.human === true || isReplanning({ ...step, id: step.step_id })) return null;
  if (plan.confirm_each || step.ask_before) return 'each';
  if (openArguments(step.args).length === 0) return null;
  const { name } = operation;
  if (step.guarded || context.guardedTools.includes(name)) return 'values';
  const call = describeCall(name, operation, final);
  if (call.destructive || call.class === 'outside') return 'values';
  const approved = describeCall(name, operation, step.args);
  const names = approved.headline.some((word) => typeof word !== 'string' && word.later);
  return call.class === 'changes' && names ? 'values' : null;
}

/**
 * Prepares the arguments. The cost of a model's decision is stored before this returns or throws. Confirmed values are reused
 * unless their context changed; then they are decided and confirmed again.
 * @throws CountersignError `invalid_reference`, `invalid_arguments`, `budget_exhausted` or the model's failure
 */
export async function prepareArguments(run: StepRun, operation: Operation): Promise<Ready> {
  const { context, plan, step } = run;
  const references = [...new Set(referencesOf(step.args).map(({ $from }) => $from))];
  const outputs =
    references.length === 0
      ? new Map<string, Json>()
      : await askDatabase(run, () => readOutputs(context.db.query, plan.id, references));
  const missing = references.filter((id) => !outputs.has(id));
  const reason = missing.length === 0 ? null : await findSkippedSource(run, missing);
  if (reason !== null) return { kind: 'skip', reason };
  const whole = operation.effect !== 'read';
  const args = resolveReferences(step.args, outputs, await readReferred(run), { whole });
  // Only approved arguments decide; a tool's output is always just data.
  const decides = hasRuntime(step.args);
  if (decides) requireData(outputs);
  const confirmed = step.final_args;
  if (
    confirmed !== null &&
    (decides ? agrees(args, confirmed) : isDeepStrictEqual(args, confirmed))
  )
    return { kind: 'call', args: requireFit(run, operation, confirmed), confirm: null };
  const decided = decides ? await decide(run, operation, args) : { args };
  if ('undecided' in decided) return { kind: 'undecided', reason: decided.undecided };
  const final = requireFit(run, operation, decided.args);
  return { kind: 'call', args: final, confirm: whyConfirm(run, operation, final) };
}

/** Reads the artifacts that the step refers to. */
async function readReferred(run: StepRun): Promise<Map<string, Json>> {
  const ids = [...new Set(artifactsOf(run.step.args).map(({ $artifact }) => $artifact))];
  if (ids.length === 0) return new Map();
  const found = await askDatabase(run, () => loadArtifacts(run.context.db.query, run.plan.id, ids));
  return new Map([...found].map(([id, artifact]) => [id, readContent(artifact)]));
}

/** Maximum outputs shown to the model, in the order they are referenced. */
const maxOutputs = 50;

/** Open values: a person's choice if there is one, else the model's. */
async function decide(run: StepRun, operation: Operation, args: JsonObject): Promise<Decided> {
  const { context, plan, step, signal } = run;
  const tools = toolsOf(run);
  const { query } = context.db;
  const stored = await askDatabase(run, async () => {
    const [one] = await readStepsById(query, plan.id, [step.step_id]);
    return one;
  });
  const filled = fillIn(args, stored?.output);
  if (filled !== null) {
    const problems = tools.validate(operation.name, filled);
    if (problems.length === 0) return { args: filled };
    return { undecided: `What was filled in does not fit: ${problems.join('; ')}.` };
  }
  if (context.decide === null) {
    throw new CountersignError(
      'model_failed',
      'This step decides its arguments when it runs, and no model is configured. Set OPENAI_API_KEY or propose it with fixed arguments.',
    );
  }
  const before = [
    ...referencesOf(step.args).map(({ $from }) => $from),
    ...step.when.map((condition) => condition.step),
    ...(stored?.after ?? []).map(({ id }) => id),
  ];
  const ids = [...new Set(before)].slice(0, maxOutputs);
  const outputs = await askDatabase(run, () => readOutputs(query, plan.id, ids));
  return context.decide(plan.executor_model, {
    operation,
    args,
    description: step.description,
    outputs: Object.fromEntries(ids.flatMap((id) => pairOf(outputs, id))),
    now: await tellNow(run),
    validate: (candidate) => tools.validate(operation.name, candidate),
    pay: payOnPlan(run),
    signal,
  });
}

function pairOf(outputs: ReadonlyMap<string, Json>, id: string): [string, Json][] {
  const output = outputs.get(id);
  return output === undefined ? [] : [[id, output]];
}

/** `Thu, 26 Nov 2026, 09:30 in Europe/Berlin (2026-11-26T09:30:00+01:00)`, in the time zone of the plan's person. */
async function tellNow(run: StepRun): Promise<string> {
  const { context, plan } = run;
  const { run_id } = plan;
  const said =
    run_id === null
      ? null
      : (await askDatabase(run, () => readRun(context.db.query, run_id))).decision;
  const timezone = said?.timezone ?? context.timezone;
  const now = context.clock.now();
  return `${formatMoment(now, timezone)} in ${timezone} (${toLocalIso(now, timezone)})`;
}

/** @throws `invalid_arguments` if the operation's current schema rejects them */
function requireFit(run: StepRun, operation: Operation, args: JsonObject): JsonObject {
  const problems = toolsOf(run).validate(operation.name, args);
  if (problems.length === 0) return args;
  throw new CountersignError('invalid_arguments', `${problems.join('; ')}.`);
}

/** Whether `final` differs from `args` only in its open values. */
function agrees(args: Json, final: Json | undefined): boolean {
  if (final === undefined) return false;
  if (isRuntime(args)) return true;
  if (typeof args !== 'object' || args === null) return args === final;
  if (typeof final !== 'object' || final === null) return false;
  if (Array.isArray(args)) {
    if (!Array.isArray(final) || args.length !== final.length) return false;
    return args.every((item, index) => agrees(item, final[index]));
  }
  if (Array.isArray(final) || Object.keys(args).length !== Object.keys(final).length) return false;
  return Object.entries(args).every(
    ([key, item]) => Object.hasOwn(final, key) && agrees(item, final[key]),
  );
}

/** @throws `invalid_reference` if an output could pass for an undecided argument */
function requireData(outputs: Map<string, Json>): void {
  for (const [id, output] of outputs) {
    if (!hasRuntime(output)) continue;
    throw new CountersignError(
      'invalid_reference',
      `The output of step ${id} holds a "$decide" of its own, which cannot be told from the plan's. Propose this step with fixed arguments.`,
    );
  }
}
