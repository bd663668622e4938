// Puts planned steps together as a draft that can be proposed.
import type { PlanDraft, StepDraft } from '#contracts/plan.ts';
import {
  describeOutcome,
  describeRisks,
  describeStep,
  describeTitle,
  describeWait,
  type RiskNote,
  readTarget,
} from './describe.ts';
import { findTouched } from './order-steps.ts';
import type { PlannedStep } from './planned-step.ts';
import { formatMoment } from './times.ts';

function draftStep(step: PlannedStep, timezone: string): StepDraft {
  const target = readTarget(step);
  return {
    id: step.id,
    description: describeStep(step, timezone) + describeWait(step.start, timezone),
    tool: step.spec.tool,
    operation: step.spec.operation,
    args: step.args,
    ...(target === undefined ? {} : { target: target.slice(0, 2000) }),
    ...(step.after.size === 0 ? {} : { after: [...step.after] }),
    ...(step.start === null ? {} : { not_before: step.start }),
    ...(step.when === undefined ? {} : { when: step.when }),
  };
}

export function draftPlan(
  steps: PlannedStep[],
  cautions: RiskNote[],
  notes: string[],
  timezone: string,
): PlanDraft {
  const risks = describeRisks(steps, cautions);
  const title = describeTitle(steps, timezone);
  const when = describeStart(steps, timezone);
  return {
    title: when === '' ? title : `${title.replace(/[.?!]+$/, '')}, ${when}`,
    summary: `${when === '' ? '' : `Not before ${when.replace(/^on /, '')}: `}${describeOutcome(steps, timezone)}`,
    steps: steps.map((step) => draftStep(step, timezone)),
    ...(notes.length === 0 ? {} : { context: notes.join('\n').slice(0, 50_000) }),
    ...(risks.length === 0 ? {} : { risks }),
  };
}

/** "on 2026-03-05 at 09:00" when the whole plan waits for one moment; '' when it does not. */
function describeStart(steps: PlannedStep[], timezone: string): string {
  const starts = new Set(steps.map((step) => step.start));
  const [start] = starts;
  if (starts.size !== 1 || start === null || start === undefined) return '';
  return `on ${formatMoment(start, timezone).replace(' ', ' at ')}`;
}

/** Problems of each step's known arguments against its schema. What comes later counts as present. */
export function findProblems(
  steps: PlannedStep[],
  validate: (name: string, args: PlannedStep['args'], unknown?: string[]) => string[],
): { step: PlannedStep; problem: string }[] {
  return steps.flatMap((step) => {
    const later = Object.entries(step.args)
      .filter(([, value]) => typeof value === 'object' && value !== null && '$from' in value)
      .map(([name]) => name);
    const known = Object.fromEntries(
      Object.entries(step.args).filter(([name]) => !later.includes(name)),
    );
    const { reads, writes } = findTouched(step);
    const home = [...reads, ...writes].find((path) => /^(?:~\/|[A-Za-z]:[\\/])/.test(path));
    const [problem] =
      home === undefined
        ? validate(step.spec.name, known, later)
        : [`The path "${String(home)}" leads outside the workspace.`];
    return problem === undefined ? [] : [{ step, problem }];
  });
}
