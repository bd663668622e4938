// Converts the lengths of an outline's steps from words to minutes. Pure.
import type { StepDraft } from '#domain/plan/step-content.ts';
import type { OutlineNode } from '#domain/planning/outline.ts';
import type { StrategyProfile } from '#domain/planning/schedule.ts';
import { type OperationSpec, operationName } from '#domain/tool.ts';
import { parseDuration } from '#timeline/durations.ts';

type AsksPerson = (step: StepDraft) => boolean;

/** Whether a step's operation asks a person. */
export function findHuman(manifest: OperationSpec[]): AsksPerson {
  const human = new Set(manifest.flatMap(({ name, human }) => (human === true ? [name] : [])));
  return ({ tool, operation }) => human.has(operationName(tool, operation));
}

/** With a sentence for each length that can't be meant. */
export function measureLengths(
  nodes: OutlineNode[],
  asksPerson: AsksPerson,
  profile: StrategyProfile,
): { nodes: OutlineNode[]; problems: string[] } {
  const problems: string[] = [];
  const measured = nodes.map((node): OutlineNode => {
    if (node.steps.every(({ duration }) => duration === undefined)) return node;
    const steps = node.steps.map((step) => {
      if (step.duration === undefined) return step;
      const of = asksPerson(step) ? 'person' : 'clock';
      const read = parseDuration(step.duration, profile, of);
      if (!read.ok) problems.push(`Step ${step.id ?? ''}: ${read.message}`);
      return read.ok
        ? { ...step, duration: read.text ?? step.duration, duration_minutes: read.minutes }
        : step;
    });
    const [only] = steps;
    const own = steps.length === 1 ? only?.duration_minutes : undefined;
    return { ...node, steps, ...(own === undefined ? {} : { duration_minutes: own }) };
  });
  return { nodes: measured, problems };
}
