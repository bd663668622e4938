// Puts planned steps together as a draft that can be proposed.
import type { PlanDraft, StepDraft } from '#contracts/plan.ts';
import {
  describeOutcome,
  describeRisks,
  describeStep,
  describeTitle,
  type RiskNote,
  readTarget,
} from './describe.ts';
import type { PlannedStep } from './planned-step.ts';

function draftStep(step: PlannedStep, timezone: string): StepDraft {
  const target = readTarget(step);
  return {
    id: step.id,
    description: describeStep(step, timezone),
    tool: step.spec.tool,
    operation: step.spec.operation,
    args: step.args,
    ...(target === undefined ? {} : { target: target.slice(0, 2000) }),
    ...(step.after.size === 0 ? {} : { after: [...step.after] }),
    ...(step.start === null ? {} : { not_before: step.start }),
  };
}

export function draftPlan(
  steps: PlannedStep[],
  cautions: RiskNote[],
  notes: string[],
  timezone: string,
): PlanDraft {
  const risks = describeRisks(steps, cautions);
  return {
    title: describeTitle(steps, timezone),
    summary: describeOutcome(steps, timezone),
    steps: steps.map((step) => draftStep(step, timezone)),
    ...(notes.length === 0 ? {} : { context: notes.join('\n').slice(0, 50_000) }),
    ...(risks.length === 0 ? {} : { risks }),
  };
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
    const [problem] = validate(step.spec.name, known, later);
    return problem === undefined ? [] : [{ step, problem }];
  });
}
