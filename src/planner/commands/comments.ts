// Turns comments on single steps into changes of those steps only: each is read as a change of a plan with that one step.
// What cannot be kept to its step is asked about.
import type { PlanDraft, StepComment, StepDraft } from '#domain/plan/plan.ts';
import type { Json } from '#domain/text.ts';
import {
  askForChange,
  type Changes,
  labelDraft,
  noChange,
  type ReadChanges,
  readChanges,
} from './changes.ts';

type Setting = { now: Date; timezone: string };

const leavesOut =
  /^(?:please\s+)?(?:leave (?:it|this|this step) out|(?:leave out|skip|drop|omit|remove|delete) (?:it|this|this step)|(?:it is |it's |this is )?not needed)[.!]*$/i;

function listTexts(value: Json | undefined): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(listTexts);
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listTexts) : [];
}

/** The files that a step no longer names. */
function findLeft(before: StepDraft, after: StepDraft | undefined): string[] {
  const kept = new Set(listTexts(after?.args));
  return listTexts(before.args).filter((text) => /^\S+\.\p{L}+$/u.test(text) && !kept.has(text));
}

type Said = { at: number; text: string };

/** The steps with one comment taken in, or what is asked about it. */
function readComment(
  { at, text }: Said,
  steps: StepDraft[],
  previous: PlanDraft,
  setting: Setting,
): ReadChanges {
  const step = steps[at];
  if (step === undefined)
    return askForChange('There is no such step any more. What should change?');
  const gone = leavesOut.test(text.trim());
  const read = gone
    ? readChanges(`leave out step "${step.id}"`, { ...previous, steps }, setting)
    : readChanges(text, { ...previous, series: [], steps: [step] }, setting);
  if (read.kind === 'question')
    return askForChange(
      `About step ${labelDraft(steps).get(step.id ?? '')}, “${step.description}”: ${read.question.text}`,
    );
  return gone
    ? read
    : {
        kind: 'changes',
        changes: { ...read.changes, steps: steps.toSpliced(at, 1, ...read.changes.steps) },
      };
}

/** One set of changes out of two; null: they cannot be made together. */
function merge(one: Changes | null, other: Changes): Changes | null {
  if (one === null) return other;
  const twice =
    (one.move !== null && other.move !== null) || (one.rule !== null && other.rule !== null);
  if (one.gate !== other.gate || twice) return null;
  const [move, rule] = [other.move ?? one.move, other.rule ?? one.rule];
  const addition = other.addition ?? one.addition;
  return { ...other, edges: [...one.edges, ...other.edges], move, rule, addition };
}

const bySubject = (a: StepComment, b: StepComment) =>
  Number(a.step_id === null) - Number(b.step_id === null);

/** The changes of all comments together; a comment on no single step is read last, as a change of the whole plan. */
export function readComments(
  comments: StepComment[],
  previous: PlanDraft,
  setting: Setting,
): ReadChanges {
  const given = previous.steps.map((one, index) => ({ ...one, id: one.id ?? String(index + 1) }));
  const commented = new Set(comments.map(({ step_id }) => step_id));
  let steps: StepDraft[] = given;
  let changes: Changes | null = null;
  for (const { step_id, text } of comments.toSorted(bySubject)) {
    const at = steps.findIndex(({ id }) => id === step_id);
    const read =
      step_id === null
        ? readChanges(text, { ...previous, steps }, setting)
        : readComment({ at, text }, steps, previous, setting);
    if (read.kind === 'question') return read;
    const merged = merge(changes, read.changes);
    if (merged === null)
      return askForChange(
        'These comments change what steps do and when they run, and I can change one of the two at a time. Which change comes first?',
      );
    const [before] = step_id === null ? [] : steps.slice(at, at + 1);
    steps = merged.steps;
    changes = merged;
    const after = steps.find(({ id }) => id === step_id);
    const left = before === undefined || after === undefined ? [] : findLeft(before, after);
    const user = steps.findIndex(
      ({ id = '', args }) =>
        !commented.has(id) && listTexts(args).some((one) => left.includes(one)),
    );
    if (user >= 0)
      return askForChange(
        `Step ${labelDraft(steps).get(steps[user]?.id ?? '')}, “${steps[user]?.description}”, names ${left[0]} too, and nobody asked to change it. Say “use … instead of ${left[0]}” to change both.`,
      );
  }
  return { kind: 'changes', changes: changes ?? { ...noChange, steps, gate: 'outline' } };
}
