// Builds the proposed draft from outline, roadmap and schedule.
import { type Dependency, fromDependency } from '#domain/plan/dependency.ts';
import type { PlanContext, PlanDraft, Risk, Series } from '#domain/plan/plan.ts';
import { dependenciesOf, type StepDraft } from '#domain/plan/step-content.ts';
import type { PlanOutline } from '#domain/planning/outline.ts';
import type { Roadmap } from '#domain/planning/roadmap.ts';
import type { Schedule } from '#domain/planning/schedule.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { isObject, type Json } from '#domain/text.ts';
import { collectEdges } from '../order/collect-edges.ts';
import { timeSteps } from '../order/durations.ts';
import { titleOf } from '../order/name-nodes.ts';
import { lowerEdges, type StepEdges } from '../order/step-edges.ts';
import { indexOutline, type OutlineIndex, seriesOf } from '../outline/outline-tree.ts';
import { findEnds } from '../outline/precedence.ts';
import { stepsNamed } from './edit-draft.ts';

type DraftOptions = {
  confirmEach?: boolean;
};

const maxRisks = 50;
const maxTemplates = 20_000;

/** In tree order; recurring ones are in `series`. */
export function draftPlan(
  outline: PlanOutline,
  roadmap: Roadmap | null,
  schedule: Schedule | null,
  { confirmEach = false }: DraftOptions = {},
): PlanDraft {
  const index = indexOutline(outline);
  const edges = roadmap?.edges ?? collectEdges(outline).edges;
  const lowered = lowerEdges(index, edges);
  const times = timeSteps(index, schedule, lowered.first);
  const steps = index.steps.map(({ id, draft }, step): StepDraft => {
    const { after, duration_minutes, not_before, ...rest } = draft;
    const own = orderOf(index, step, lowered);
    const minutes = duration_minutes ?? times.durations.get(step);
    const start = times.starts.get(step) ?? not_before;
    return {
      ...rest,
      id,
      ...(own === undefined ? {} : { after: own }),
      ...(minutes === undefined ? {} : { duration_minutes: minutes }),
      ...(start === undefined ? {} : { not_before: start }),
    };
  });
  const series = draftSeries(index, steps, lowered.joints);
  const plain = namePrerequisites(outline, steps).filter(
    (_, step) => seriesOf(index, index.steps[step]?.node ?? -1) === -1,
  );
  const risks = collectRisks(outline, index, edges);
  return {
    title: outline.title,
    summary: outline.summary,
    steps: insertJoints(index, plain, lowered.joints),
    context: withTerms(outline),
    ...(risks.length === 0 ? {} : { risks }),
    ...(confirmEach ? { step_approval: 'each' } : {}),
    ...(series.length === 0 ? {} : { series }),
  };
}

/** The step's own first, then the longer lag. */
function orderOf(
  index: OutlineIndex,
  step: number,
  { after }: StepEdges,
): StepDraft['after'] | undefined {
  const found = index.steps[step];
  if (found === undefined) return undefined;
  const series = seriesOf(index, found.node);
  const given = found.draft.after;
  const kept = given?.filter((entry) => {
    const before = index.steps[index.stepPlaces.get(idOf(entry)) ?? -1];
    // Nothing waits for recurring steps.
    return before === undefined || seriesOf(index, before.node) === series;
  });
  const merged = new Map(
    dependenciesOf({ ...found.draft, after: kept }).map((one) => [`${one.id}\n${one.type}`, one]),
  );
  const before = merged.size;
  let changed = false;
  for (const one of after.get(step) ?? []) {
    const key = `${one.id}\n${one.type}`;
    const other = merged.get(key);
    if (other !== undefined && other.lag_minutes >= one.lag_minutes) continue;
    merged.set(key, one);
    changed = true;
  }
  if (!changed) return kept?.length === 0 && given?.length !== 0 ? undefined : kept;
  if (before === 0 || kept === undefined) return [...merged.values()].map(fromDependency);
  return [...merged.values()].map(
    (one) => kept.find((entry) => isSame(entry, one)) ?? fromDependency(one),
  );
}

function idOf(entry: string | Dependency): string {
  return typeof entry === 'string' ? entry : entry.id;
}

function isSame(entry: string | Dependency, { id, type, lag_minutes }: Dependency): boolean {
  if (typeof entry === 'string') return entry === id && type === 'FS' && lag_minutes === 0;
  return entry.id === id && entry.type === type && entry.lag_minutes === lag_minutes;
}

function insertJoints(
  index: OutlineIndex,
  steps: StepDraft[],
  joints: StepEdges['joints'],
): StepDraft[] {
  if (joints.length === 0) return steps;
  const behind = Map.groupBy(joints, (joint) => index.steps[joint.behind]?.id ?? '');
  return steps.flatMap((step) => [
    step,
    ...(behind.get(step.id ?? '') ?? []).map((joint) => joint.step),
  ]);
}

function withTerms({ context, pattern, preferences, nodes }: PlanOutline): PlanContext {
  const { groups: _, ...base } =
    typeof context === 'object' ? context : { tool_outputs: {}, artifacts: [], groups: {} };
  const notes = typeof context === 'object' ? context.notes : (context ?? '');
  const budget_usd = preferences?.budget_usd;
  let length = 0;
  const groups = nodes.flatMap(({ id, title, each }) => {
    length += JSON.stringify(each ?? '').length;
    return each === undefined || length > maxTemplates ? [] : [[id, { title, each }] as const];
  });
  return {
    ...base,
    notes,
    pattern,
    ...(budget_usd === undefined ? {} : { budget_usd }),
    ...(groups.length === 0 ? {} : { groups: Object.fromEntries(groups) }),
  };
}

function collectRisks(
  { gaps = [], risks, assumptions }: PlanOutline,
  index: OutlineIndex,
  edges: Roadmap['edges'],
): Risk[] {
  const lacking = gaps.map(({ text }) => ({ text }));
  const taken = [...assumptions, ...tellLostOrder(index, edges)].map((text) => ({ text }));
  const all = new Map<string, Risk>();
  for (const risk of [...lacking, ...risks, ...taken])
    if (!all.has(risk.text)) all.set(risk.text, risk);
  return [...all.values()].slice(0, maxRisks);
}

/** Recurring work has no edges. */
function tellLostOrder(index: OutlineIndex, edges: Roadmap['edges']): string[] {
  const lost = edges.find((edge) => {
    const ends = findEnds(index, edge);
    return ends !== null && seriesOf(index, ends.from) !== seriesOf(index, ends.to);
  });
  if (lost === undefined) return [];
  const [later, earlier] = [titleOf(index, lost.to), titleOf(index, lost.from)];
  return [
    `${quoteWords(later, 200)} does not wait for ${quoteWords(earlier, 200)}: one of them comes again by its own rule.`,
  ];
}

/** @param steps by number */
function draftSeries(
  index: OutlineIndex,
  steps: StepDraft[],
  joints: StepEdges['joints'],
): Series[] {
  const byNode = Map.groupBy(steps.keys(), (step) =>
    seriesOf(index, index.steps[step]?.node ?? -1),
  );
  return index.order.flatMap((place): Series[] => {
    const node = index.nodes[place];
    const own = (byNode.get(place) ?? []).flatMap((step) => steps[step] ?? []);
    const template = insertJoints(index, own, joints);
    if (node?.recurs == null || template.length === 0) return [];
    const { rrule, starts_at, timezone, until } = node.recurs;
    return [
      {
        id: node.id.slice(0, 100),
        title: node.title.slice(0, 300),
        rrule,
        starts_at,
        timezone,
        until,
        steps: template,
      },
    ];
  });
}

const fold = (title: string): string => title.normalize('NFC').trim().toLowerCase();

function titlesOf({ nodes }: PlanOutline): Map<string, string> {
  const described = new Set(
    nodes.flatMap(({ steps }) => steps.map((one) => fold(one.description))),
  );
  return new Map(
    nodes
      .filter(({ steps, title }) => steps.length !== 1 && !described.has(fold(title)))
      .map(({ title }) => [fold(title), title]),
  );
}

const listOf = (value: Json | undefined): Json[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value];

function namePrerequisites(outline: PlanOutline, steps: StepDraft[]): StepDraft[] {
  const noted = (notes: Json | undefined) => isObject(notes) && notes.prereq_titles !== undefined;
  if (!steps.some(({ notes }) => noted(notes))) return steps;
  const titles = titlesOf(outline);
  return steps.map((step): StepDraft => {
    const { notes } = step;
    if (!isObject(notes) || !noted(notes)) return step;
    const listed: Json[] = listOf(notes.prereq_titles);
    const wholes = listed.flatMap((title) => {
      const known = typeof title === 'string' ? titles.get(fold(title)) : undefined;
      return known === undefined ? [] : [{ title, known }];
    });
    if (wholes.length === 0) return step;
    const named = new Set(wholes.map(({ title }) => title));
    const left = listed.filter((title) => !named.has(title));
    const ids = stepsNamed(
      outline,
      wholes.map(({ known }) => known),
    ).filter((id) => id !== step.id);
    const { prereq_titles: _, prereq_step_ids: own, ...others } = notes;
    return {
      ...step,
      notes: {
        ...others,
        ...(left.length === 0 ? {} : { prereq_titles: left }),
        prereq_step_ids: [...listOf(own), ...ids],
      },
    };
  });
}
