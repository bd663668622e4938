// Whether a claimed step runs, and the arguments of its call.
import { isDeepStrictEqual } from 'node:util';
import { showName } from '#db/people/identities.ts';
import { readRun } from '#db/planning/runs.ts';
import { loadArtifacts, readContent, readOutputs } from '#db/plans/artifacts.ts';
import { readPredecessors } from '#db/sql/predecessors.ts';
import { readStepsById } from '#db/steps/pages.ts';
import { CountersignError } from '#domain/errors.ts';
import { isRuntime } from '#domain/plan/argument-kinds.ts';
import { artifactsOf, hasRuntime, referencesOf } from '#domain/plan/arguments.ts';
import { asksForValues } from '#domain/plan/call.ts';
import { answeredNo, decidesItself } from '#domain/plan/human-task.ts';
import { fillIn } from '#domain/plan/open-values.ts';
import type { Step } from '#domain/plan/plan.ts';
import { isReplanning } from '#domain/plan/replan.ts';
import { isObject, type Json, type JsonObject } from '#domain/text.ts';
import type { Operation } from '#domain/tool.ts';
import { capitalise } from '#domain/words.ts';
import type { Decided } from '#models/decide-arguments.ts';
import { formatMoment, toLocalIso } from '#timeline/recurrence.ts';
import { describeCall } from '#tools/describe-call.ts';
import { explainCondition } from '#tools/explain-condition.ts';
import { resolveReferences } from '#tools/resolve-arguments.ts';
import { payOnPlan } from './budget.ts';
import { askDatabase, type StepRun, toolsOf } from './executor-context.ts';

/** `values` were not in the approved plan, or `each` call asks. */
export type Confirmation = 'values' | 'each';

/** `confirm` null: call. `skip`: an input was skipped. `undecided`: a person chooses the values. */
type Ready =
  | { kind: 'call'; args: JsonObject; confirm: Confirmation | null }
  | { kind: 'skip'; reason: string }
  | { kind: 'undecided'; reason: string };

/** Run-time values, if the call is guarded, destructive or external, or they name a change's target. Human tasks already ask. */
function whyConfirm(
  { context, plan, step }: StepRun,
  operation: Operation,
  final: JsonObject,
): Confirmation | null {
  if (operation.human === true || isReplanning({ ...step, id: step.step_id })) return null;
  if (plan.confirm_each || step.ask_before) return 'each';
  const { name } = operation;
  const guarded = step.guarded || context.guardedTools.includes(name);
  const describe = (args: JsonObject) => describeCall(name, operation, args);
  return asksForValues(step.args, guarded, describe(step.args), describe(final)) ? 'values' : null;
}

/** Confirmed values are reused unless their context changed. @throws `invalid_…`, `budget_exhausted` or the model's failure */
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

async function readReferred(run: StepRun): Promise<Map<string, Json>> {
  const ids = [...new Set(artifactsOf(run.step.args).map(({ $artifact }) => $artifact))];
  if (ids.length === 0) return new Map();
  const found = await askDatabase(run, () => loadArtifacts(run.context.db.query, run.plan.id, ids));
  return new Map([...found].map(([id, artifact]) => [id, readContent(artifact)]));
}

const maxOutputs = 50;

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

/** `Thu, 26 Nov 2026, 09:30 in Europe/Berlin (2026-11-26T09:30:00+01:00)` */
async function tellNow(run: StepRun): Promise<string> {
  const { context, plan } = run;
  const { run_id } = plan;
  const decision =
    run_id === null
      ? null
      : (await askDatabase(run, () => readRun(context.db.query, run_id))).decision;
  const timezone = decision?.timezone ?? context.timezone;
  const now = context.clock.now();
  return `${formatMoment(now, timezone)} in ${timezone} (${toLocalIso(now, timezone)})`;
}

/** @throws `invalid_arguments` */
function requireFit(run: StepRun, operation: Operation, args: JsonObject): JsonObject {
  const problems = toolsOf(run).validate(operation.name, args);
  if (problems.length === 0) return args;
  throw new CountersignError('invalid_arguments', `${problems.join('; ')}.`);
}

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
      `The output of step ${id} holds a "$decide" of its own, which looks like the plan's own. Propose this step with fixed arguments.`,
    );
  }
}

export type Skip = {
  reason: string;
  /** Steps answered with No; steps that wait for this one are skipped too. */
  questions?: string[];
};

async function readNamed(
  { context, plan }: StepRun,
  ids: string[],
): Promise<{ steps: Step[]; labelOf: (id: string) => string }> {
  const { query } = context.db;
  const steps = await readStepsById(query, plan.id, ids);
  const labels = new Map(steps.map(({ id, label }) => [id, label]));
  return { steps, labelOf: (id) => labels.get(id) ?? id };
}

/** `answered No to step 1`; `said no to step 1`: a call not made; `skipped step 1`: a question left out. */
async function tellNo(run: StepRun, question: string): Promise<string> {
  const { steps, labelOf } = await readNamed(run, [question]);
  const output = steps[0]?.output ?? null;
  const by = isObject(output) && typeof output.by === 'string' ? output.by : '';
  const name = by === '' ? 'A person' : await showName(run.context.db.query, by);
  const isLeftOut = isObject(output) && output.answer === undefined;
  const skipped = isLeftOut ? 'skipped' : 'said no to';
  const verb = steps[0]?.status === 'skipped' ? skipped : 'answered No to';
  return `${name} ${verb} step ${labelOf(question)}`;
}

async function findNo(run: StepRun): Promise<Skip | null> {
  const { context, plan, step } = run;
  const { query } = context.db;
  const before = await readPredecessors(query, plan.id, step.position);
  const refused = before.filter((one) => answeredNo(one, one.output));
  const fails = (question: (typeof before)[number]) =>
    step.when.some(
      (condition) =>
        condition.step === question.id && explainCondition(condition, question.output, '') !== null,
    );
  const asked = refused.find((one) => !decidesItself(step, one) || fails(one));
  if (asked !== undefined) {
    return { reason: `${await tellNo(run, asked.id)}.`, questions: [asked.id] };
  }
  const own = new Set(step.when.map((condition) => condition.step));
  for (const { id, error } of before) {
    // A condition on a question that was skipped itself can't hold.
    const questions = error?.questions?.filter((one) => one === id || !own.has(one)) ?? [];
    if (questions.length === 0) continue;
    const [first = ''] = questions;
    const why = await tellNo(run, first);
    if (first === id) return { reason: `It waits for what was not done: ${why}.`, questions };
    const { labelOf } = await readNamed(run, [id]);
    return { reason: `It waits for step ${labelOf(id)}, which was skipped: ${why}.`, questions };
  }
  return null;
}

const asking = ['human_confirm', 'human_task'];

export async function findReasonToSkip(run: StepRun): Promise<Skip | null> {
  const { tools_required, skipped } = run.plan;
  // A refused call is skipped before anything that waits for it is claimed.
  const mayBeRefused = skipped > 0 || asking.some((name) => tools_required.includes(name));
  const refused = mayBeRefused ? await askDatabase(run, () => findNo(run)) : null;
  return refused ?? (await findFailedCondition(run));
}

async function findFailedCondition(run: StepRun): Promise<Skip | null> {
  const { context, plan, step } = run;
  if (step.when.length === 0) return null;
  const ids = [...new Set(step.when.map((condition) => condition.step))];
  return askDatabase(run, async () => {
    const outputs = await readOutputs(context.db.query, plan.id, ids);
    const failed = step.when.find(
      (condition) => explainCondition(condition, outputs.get(condition.step), '') !== null,
    );
    if (failed === undefined) return null;
    const { labelOf } = await readNamed(run, ids);
    const label = labelOf(failed.step);
    const reason = explainCondition(failed, outputs.get(failed.step), label) ?? '';
    return { reason: `${capitalise(reason)}.` };
  });
}

async function findSkippedSource(run: StepRun, ids: string[]): Promise<string | null> {
  return askDatabase(run, async () => {
    const { steps, labelOf } = await readNamed(run, ids);
    const skipped = steps.find(({ status }) => status === 'skipped');
    return skipped === undefined
      ? null
      : `It needs the output of step ${labelOf(skipped.id)}, which was skipped.`;
  });
}
