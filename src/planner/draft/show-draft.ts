// Renders the draft for a model; long drafts show likely steps only.
import MiniSearch from 'minisearch';
import { describeLength } from '#cards/times.ts';
import { sayLag } from '#domain/length.ts';
import { toDependency } from '#domain/plan/dependency.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import { contentOfDraft, type StepDraft } from '#domain/plan/step-content.ts';
import { maxNumbered, numberSteps } from '#domain/plan/step-numbers.ts';
import { boundsIn } from '#domain/plan/step-words.ts';
import { writeTemplates } from '#domain/plan/templates.ts';
import type { OutlineNode, PlanOutline } from '#domain/planning/outline.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { countOf, shorten } from '#domain/words.ts';
import { toLocalIso } from '#timeline/recurrence.ts';
import { describeRepetition } from '#timeline/repetition.ts';
import type { Interval } from '#timeline/working-time.ts';
import { readTree } from '../outline/outline-tree.ts';
import { sayPeriod } from '../schedule/time-words.ts';
import { draftPlan } from './draft-plan.ts';

const maxWhole = 30;
const maxLikely = 8;
const maxFirst = 3;
const maxArgs = 160;
const wholeCharacters = 6000;
const maxGroup = 1200;
const maxIndexed = 400;

type View = {
  draft: PlanDraft;
  steps: StepDraft[];
  labels: Map<string, string>;
  places: Map<string, { phase: string | null; deadline: string | null; dates: string | null }>;
  timezone: string;
};

export type DraftDates = { places: ReadonlyMap<string, Interval>; timezone: string; now: Date };

function viewDraft(
  outline: PlanOutline,
  current: PlanDraft | null,
  { places: dated, timezone, now }: DraftDates,
): View {
  const draft = draftPlan(outline, null, null);
  const { nodes, parents } = readTree(outline.nodes);
  const phaseOf = (place: number): string | null => {
    for (let at = parents[place] ?? -1; at !== -1; at = parents[at] ?? -1) {
      const node = nodes[at];
      if (node !== undefined && node.structure !== 'goal') return node.title;
    }
    return null;
  };
  const places = nodes.flatMap(({ id: node, steps, deadline }, place) => {
    const span = dated.get(node);
    const dates = span === undefined ? null : sayPeriod(span, timezone, now);
    return steps.map(({ id = '' }) => [id, { phase: phaseOf(place), deadline, dates }] as const);
  });
  return {
    draft,
    steps: [...draft.steps, ...(draft.series ?? []).flatMap((one) => one.steps)],
    labels: labelOf((current ?? draft).steps),
    places: new Map(places),
    timezone,
  };
}

function writeStep(step: StepDraft, { labels, places, timezone }: View, most: number): string {
  const { id = '', description, tool, operation, args = {}, after = [], notes } = step;
  const length = describeLength(step, null);
  const { when, ...others } = contentOfDraft(step);
  const waits = after.map((entry) => {
    const { id: before, type, lag_minutes } = toDependency(entry);
    return type === 'FS' && lag_minutes === 0
      ? before
      : JSON.stringify({ id: before, type, lag: sayLag(lag_minutes) });
  });
  const { phase = null, deadline = null, dates = null } = places.get(id) ?? {};
  const local = (moment: string) => toLocalIso(new Date(moment), timezone).slice(0, 16);
  const parts = [
    `Step ${labels.get(id) ?? id} (id ${id}): ${shorten(description.replace(/\s+/g, ' '), 300)} | ${tool}_${operation} ${shorten(JSON.stringify(writeTemplates(args)), most)}`,
    ...(phase === null ? [] : [`phase ${shorten(phase.replace(/\s+/g, ' '), 80)}`]),
    ...(waits.length > 0 ? [`after ${waits.join(', ')}`] : []),
    ...(when.length > 0 ? [`when ${JSON.stringify(when)}`] : []),
    ...boundsIn(others, { step: (other) => other, time: local }),
    ...(length === null ? [] : [`takes ${length}`]),
    ...(dates === null ? [] : [dates]),
    ...(deadline === null ? [] : [`by ${local(deadline)}`]),
    ...(notes === undefined ? [] : [`notes ${shorten(JSON.stringify(notes), 120)}`]),
  ];
  return parts.join(' | ');
}

/** Small plans use the order, long ones the position. */
function labelOf(steps: StepDraft[]): Map<string, string> {
  if (steps.length > maxNumbered)
    return new Map(steps.map(({ id = '' }, index) => [id, String(index + 1)]));
  const numbered = numberSteps(
    steps.map(({ id = '', after = [] }) => ({ id, after: after.map(toDependency) })),
  );
  return new Map(numbered.map(({ step, label }) => [step.id, label]));
}

function findLikely({ steps, labels }: View, words: string, most: number): StepDraft[] {
  const index = new MiniSearch<{ id: number; text: string }>({ fields: ['text'] });
  index.addAll(
    steps.map((step, id) => ({
      id,
      text: `${labels.get(step.id ?? '') ?? ''} ${step.id} ${step.description.slice(0, maxIndexed)} ${JSON.stringify(step.args ?? {}).slice(0, maxIndexed)}`,
    })),
  );
  return index
    .search(words.slice(0, 2000))
    .slice(0, most)
    .flatMap(({ id }) => steps[Number(id)] ?? []);
}

/** @param words feedback that may tell which steps matter */
export function showDraft(
  outline: PlanOutline,
  current: PlanDraft | null,
  dates: DraftDates,
  words: string,
): string {
  const view = viewDraft(outline, current, dates);
  const { draft } = view;
  const write = (step: StepDraft) => writeStep(step, view, maxArgs);
  const groups = outline.nodes.filter(({ each }) => each !== undefined);
  const grouped = new Set(groups.flatMap(({ steps }) => steps.map(({ id }) => id)));
  const steps = view.steps.filter(({ id }) => !grouped.has(id));
  const head = [
    `${draft.title}${draft.summary === undefined ? '' : `: ${draft.summary}`}`,
    ...(draft.series ?? []).map(
      ({ title, rrule, steps: own, ...one }) =>
        `${quoteWords(title, 200)} repeats by ${rrule}, ${describeRepetition({ rrule, ...one }, dates.now)}: steps ${own.map(({ id }) => id).join(', ')}`,
    ),
    ...groups.map(writeGroup),
  ];
  const lines = steps.map(write);
  const length = lines.reduce((sum, line) => sum + line.length, 0);
  const isWhole = steps.length <= maxWhole && length <= wholeCharacters;
  if (isWhole && groups.length === 0) return [...head, ...lines].join('\n');
  const first = isWhole ? steps : steps.slice(0, maxFirst);
  const likely = findLikely(view, words, maxLikely).filter((step) => !first.includes(step));
  return [
    ...head,
    `${countOf(view.steps.length, 'step')}. ${isWhole ? 'Those of no group' : `The first ${maxFirst}`}, and those that may be meant; read others with "show_steps":`,
    ...[...first, ...likely].map(write),
  ].join('\n');
}

/** As the call that would change it: the ID and what differs. */
function writeGroup({ id, title, steps, each = {} }: OutlineNode): string {
  const line = shorten(JSON.stringify({ ...each, id }), maxGroup);
  return `${quoteWords(title, 200)}: steps ${id}-1 to ${id}-${steps.length} by for_each ${line}`;
}

const maxPage = 40;
const pageCharacters = 16_000;

export type ShownSteps = { total: number; steps: string[]; next: number | null };

export function pageSteps(
  outline: PlanOutline,
  current: PlanDraft | null,
  dates: DraftDates,
  { ids, query, from = 1 }: { ids?: string[]; query?: string; from?: number },
): ShownSteps {
  const view = viewDraft(outline, current, dates);
  const { steps: all } = view;
  const wanted = new Set(ids ?? []);
  const chosen =
    wanted.size > 0
      ? all.filter(({ id = '' }) => wanted.has(id))
      : query === undefined
        ? all.slice(from - 1)
        : findLikely(view, query, maxPage);
  const steps: string[] = [];
  let length = 0;
  for (const step of chosen) {
    const text = writeStep(step, view, 4000);
    if (steps.length >= maxPage || (steps.length > 0 && length + text.length > pageCharacters))
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
