// Reads step comments, each as a change of that step only.
import type { PlanDraft, StepComment } from '#domain/plan/plan.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { textsIn } from '#domain/text.ts';
import type { Setting } from '../commands/answers.ts';
import {
  askForChange,
  type Changes,
  labelDraft,
  noChange,
  type ReadChanges,
  readChanges,
  withIds,
} from '../commands/changes.ts';

function findLeft(before: StepDraft | undefined, after: StepDraft | undefined): string[] {
  if (before === undefined || after === undefined) return [];
  const kept = new Set(textsIn(after.args));
  return textsIn(before.args).filter((text) => /^\S+\.\p{L}+$/u.test(text) && !kept.has(text));
}

/** Null if they conflict. */
function merge(one: Changes | null, other: Changes): Changes | null {
  if (one === null) return other;
  const kinds = ['move', 'rule', 'addition'] as const;
  if (kinds.some((kind) => one[kind] !== null && other[kind] !== null)) return null;
  return {
    ...other,
    move: other.move ?? one.move,
    rule: other.rule ?? one.rule,
    addition: other.addition ?? one.addition,
    order: other.order ?? one.order,
  };
}

export function readComments(
  comments: StepComment[],
  previous: PlanDraft,
  setting: Setting,
): ReadChanges {
  const commented = new Set(comments.map(({ step_id }) => step_id));
  let steps = withIds(previous);
  const labels = labelDraft(steps);
  let changes: Changes | null = null;
  for (const { step_id, text } of comments.toSorted(
    (a, b) => Number(a.step_id === null) - Number(b.step_id === null),
  )) {
    const before = steps.find(({ id }) => id === step_id);
    if (step_id !== null && before === undefined)
      return askForChange('That step no longer exists. What should change?');
    const read = readChanges(text, { ...previous, steps }, setting, step_id, labels);
    if (read.kind === 'question')
      return step_id === null
        ? read
        : askForChange(
            `About step ${labels.get(step_id)}, ${quoteWords(before?.description ?? '', 200)}: ${read.question.text}`,
          );
    const merged = merge(changes, read.changes);
    if (merged === null)
      return askForChange(
        'I can only make one change of times, one of a repetition and one addition at a time. Which comes first?',
      );
    ({ steps } = merged);
    changes = merged;
    const left = findLeft(
      before,
      steps.find(({ id }) => id === step_id),
    );
    const user = steps.find(
      ({ id = '', args }) => !commented.has(id) && textsIn(args).some((one) => left.includes(one)),
    );
    if (user !== undefined)
      return askForChange(
        `Step ${labels.get(user.id ?? '')}, ${quoteWords(user.description, 200)}, also uses ${left[0]}, and no comment asks to change it. Say “use … instead of ${left[0]}” to change both.`,
      );
  }
  return { kind: 'changes', changes: changes ?? { ...noChange, steps } };
}
