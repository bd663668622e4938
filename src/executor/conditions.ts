// Decides whether a claimed step runs: evaluates its conditions on earlier outputs. A step that needs the output of a skipped one is
// skipped too.
import { readOutputs } from '#db/artifacts.ts';
import { readSteps, readStepsById } from '#db/step-pages.ts';
import type { Step } from '#domain/plan/plan.ts';
import { labelSteps, numberedAtMost } from '#domain/plan/step-numbers.ts';
import { explainCondition } from '#tools/explain-condition.ts';
import { askDatabase, type StepRun } from './executor-context.ts';

/** The steps of these ids, and what each is called wherever the plan is read. */
async function readNamed(
  { context, plan }: StepRun,
  ids: string[],
): Promise<{ steps: Step[]; labelOf: (id: string) => string }> {
  const { query } = context.db;
  const steps = await readStepsById(query, plan.id, ids);
  const labels =
    plan.total > numberedAtMost
      ? new Map(steps.map(({ id, position }) => [id, `${position}`]))
      : labelSteps(await readSteps(query, plan.id, {}, 0, numberedAtMost), plan.total);
  return { steps, labelOf: (id) => labels.get(id) ?? id };
}

/** Which of the claimed step's conditions does not hold, as a sentence; null: it runs. */
export async function findReasonToSkip(run: StepRun): Promise<string | null> {
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
    return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
  });
}

/** Which of the steps that have no output was skipped, as a sentence; null: none was. */
export async function findSkippedSource(run: StepRun, ids: string[]): Promise<string | null> {
  return askDatabase(run, async () => {
    const { steps, labelOf } = await readNamed(run, ids);
    const skipped = steps.find(({ status }) => status === 'skipped');
    return skipped === undefined
      ? null
      : `It needs the output of step ${labelOf(skipped.id)}, which was skipped.`;
  });
}
