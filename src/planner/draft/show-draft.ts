// The draft as a model reads it: each step on a line, with the number that its card shows. Of a long one only what the feedback
// may be about; `show_steps` reads on.
import MiniSearch from 'minisearch';
import { conditionsOf } from '#domain/plan/condition.ts';
import { type PlanDraft, type StepDraft, toDependency } from '#domain/plan/plan.ts';
import { numberedAtMost, numberSteps } from '#domain/plan/step-numbers.ts';
import { writeTemplates } from '#domain/plan/templates.ts';
import { shorten } from '#domain/words.ts';

/** Steps of a draft that is shown whole, and of a longer one those that look likely and those it begins with. */
const wholeAtMost = 30;
const likelyAtMost = 12;
const firstAtMost = 3;
const argsAtMost = 160;
/** Characters of a step's description and of its arguments by which it is found. */
const indexedAtMost = 400;

type Line = { id: string; text: string };

/** @param most characters of a step's arguments */
function writeStep(step: StepDraft, label: string, most: number): Line {
  const {
    id = '',
    description,
    tool,
    operation,
    args = {},
    after = [],
    when,
    ask_before,
    not_before,
    notes,
  } = step;
  const waits = after.map((entry) => {
    const { id: before, type, lag_minutes } = toDependency(entry);
    return type === 'FS' && lag_minutes === 0
      ? before
      : JSON.stringify({ id: before, type, lag_minutes });
  });
  const conditions = conditionsOf(when);
  const parts = [
    `Step ${label} (id ${id}): ${shorten(description.replace(/\s+/g, ' '), 300)} | ${tool}_${operation} ${shorten(JSON.stringify(writeTemplates(args)), most)}`,
    ...(waits.length > 0 ? [`after ${waits.join(', ')}`] : []),
    ...(conditions.length > 0 ? [`when ${JSON.stringify(conditions)}`] : []),
    ...(ask_before === true ? ['asks before'] : []),
    ...(not_before === undefined ? [] : [`not before ${not_before}`]),
    ...(notes === undefined ? [] : [`notes ${shorten(JSON.stringify(notes), 120)}`]),
  ];
  return { id, text: parts.join(' | ') };
}

/** What each step is called on the plan's card: by its place in the order for small plans, by its position in long ones. */
function labelOf(steps: StepDraft[]): Map<string, string> {
  if (steps.length > numberedAtMost)
    return new Map(steps.map(({ id = '' }, index) => [id, String(index + 1)]));
  const numbered = numberSteps(
    steps.map(({ id = '', after = [] }) => ({ id, after: after.map(toDependency) })),
  );
  return new Map(numbered.map(({ step, label }) => [step.id, label]));
}

function findLikely(
  steps: StepDraft[],
  labels: Map<string, string>,
  words: string,
  most: number,
): StepDraft[] {
  const index = new MiniSearch<{ id: number; text: string }>({ fields: ['text'] });
  index.addAll(
    steps.map((step, id) => ({
      id,
      text: `${labels.get(step.id ?? '') ?? ''} ${step.id} ${step.description.slice(0, indexedAtMost)} ${JSON.stringify(step.args ?? {}).slice(0, indexedAtMost)}`,
    })),
  );
  return index
    .search(words.slice(0, 2000))
    .slice(0, most)
    .flatMap(({ id }) => steps[Number(id)] ?? []);
}

/** All steps of a draft, those that repeat included. */
function stepsOf({ steps, series = [] }: PlanDraft): StepDraft[] {
  return [...steps, ...series.flatMap((one) => one.steps)];
}

/** @param words what may say which steps matter: the person's feedback */
export function showDraft(draft: PlanDraft, words: string): string {
  const steps = stepsOf(draft);
  const labels = labelOf(draft.steps);
  const write = (step: StepDraft) =>
    writeStep(step, labels.get(step.id ?? '') ?? step.id ?? '', argsAtMost).text;
  const head = [
    `${draft.title}${draft.summary === undefined ? '' : `: ${draft.summary}`}`,
    ...(draft.series ?? []).map(
      ({ title, rrule, starts_at, timezone, steps: own }) =>
        `“${title}” repeats by ${rrule} from ${starts_at} (${timezone}): steps ${own.map(({ id }) => id).join(', ')}`,
    ),
  ];
  if (steps.length <= wholeAtMost) return [...head, ...steps.map(write)].join('\n');
  const likely = findLikely(steps, labels, words, likelyAtMost);
  const shown = [
    ...steps.slice(0, firstAtMost),
    ...likely.filter((step) => !steps.slice(0, firstAtMost).includes(step)),
  ];
  return [
    ...head,
    `${steps.length} steps. The first ${firstAtMost}, and those that may be meant; read others with "show_steps":`,
    ...shown.map(write),
  ].join('\n');
}

const pageAtMost = 40;
const pageCharacters = 16_000;

export type ShownSteps = { total: number; steps: string[]; next: number | null };

/** Steps by id, by words, or from a place on, with their arguments whole. */
export function pageSteps(
  draft: PlanDraft,
  { ids, query, from = 1 }: { ids?: string[]; query?: string; from?: number },
): ShownSteps {
  const all = stepsOf(draft);
  const labels = labelOf(draft.steps);
  const wanted = new Set(ids ?? []);
  const chosen =
    wanted.size > 0
      ? all.filter(({ id = '' }) => wanted.has(id))
      : query === undefined
        ? all.slice(from - 1)
        : findLikely(all, labels, query, pageAtMost);
  const steps: string[] = [];
  let length = 0;
  for (const step of chosen) {
    const { text } = writeStep(step, labels.get(step.id ?? '') ?? step.id ?? '', 4000);
    if (steps.length >= pageAtMost || (steps.length > 0 && length + text.length > pageCharacters))
      break;
    length += text.length;
    steps.push(text);
  }
  const plain = wanted.size === 0 && query === undefined;
  return {
    total: all.length,
    steps,
    next: plain && steps.length < chosen.length ? from + steps.length : null,
  };
}
