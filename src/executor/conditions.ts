// Decides whether a claimed step runs: evaluates its conditions, and skips it if an input was skipped or a person said No.
import { showName } from '#db/people/identities.ts';
import { readOutputs } from '#db/plans/artifacts.ts';
import { readPredecessors } from '#db/sql/predecessors.ts';
import { readStepsById } from '#db/steps/pages.ts';
import type { Step } from '#domain/plan/plan.ts';
import { answeredNo, decidesItself } from '#domain/plan/yes-no.ts';
import { isObject } from '#domain/text.ts';
import { explainCondition } from '#tools/explain-condition.ts';
import { askDatabase, type StepRun } from './executor-context.ts';

export type Skip = {
  reason: string;
  /** IDs of the steps answered with No; steps that wait for this one are skipped too. */
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

/** `Ana answered No to step 1`, or `Ana said no to step 1` for a call that was not made. */
async function tellNo(run: StepRun, question: string): Promise<string> {
  const { steps, labelOf } = await readNamed(run, [question]);
  const output = steps[0]?.output ?? null;
  const by = isObject(output) && typeof output.by === 'string' ? output.by : '';
  const name = by === '' ? 'A person' : await showName(run.context.db.query, by);
  const said = steps[0]?.status === 'skipped' ? 'said no' : 'answered No';
  return `${name} ${said} to step ${labelOf(question)}`;
}

/** The questions answered with No that this step waits for, or null if there are none. */
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
    const questions = error?.questions?.filter((question) => !own.has(question)) ?? [];
    if (questions.length === 0) continue;
    const [first = ''] = questions;
    const why = await tellNo(run, first);
    if (first === id) return { reason: `It waits for what was not done: ${why}.`, questions };
    const { labelOf } = await readNamed(run, [id]);
    return { reason: `It waits for step ${labelOf(id)}, which was skipped: ${why}.`, questions };
  }
  return null;
}

/** Operations whose questions can be answered with No. */
const asking = ['human_confirm', 'human_task'];

/** Why the step is skipped, or null if it runs. */
export async function findReasonToSkip(run: StepRun): Promise<Skip | null> {
  const { tools_required, skipped } = run.plan;
  // A refused call is skipped before anything that waits for it is claimed.
  const mayBeRefused = skipped > 0 || asking.some((name) => tools_required.includes(name));
  const refused = mayBeRefused ? await askDatabase(run, () => findNo(run)) : null;
  return refused ?? (await findFailedCondition(run));
}

/** The first condition that does not hold, or null if all do. */
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
    return { reason: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.` };
  });
}

/** A sentence naming the skipped step among those without output, or null if none was skipped. */
export async function findSkippedSource(run: StepRun, ids: string[]): Promise<string | null> {
  return askDatabase(run, async () => {
    const { steps, labelOf } = await readNamed(run, ids);
    const skipped = steps.find(({ status }) => status === 'skipped');
    return skipped === undefined
      ? null
      : `It needs the output of step ${labelOf(skipped.id)}, which was skipped.`;
  });
}
