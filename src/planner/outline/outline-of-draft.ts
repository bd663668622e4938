// Converts a flat plan to an outline with a task per step.
import { toDependency } from '#domain/plan/dependency.ts';
import type { PatternSpec } from '#domain/plan/pattern.ts';
import type { PlanContext, PlanDraft, Risk, Series } from '#domain/plan/plan.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import type { OutlineNode, PlanOutline } from '#domain/planning/outline.ts';
import { shorten } from '#domain/words.ts';
import { patternOf, readFeatures } from '../patterns/fit.ts';
import { makeNode } from './make-node.ts';
import { takeId } from './outline-tree.ts';

const maxTasks = 4999;
/** Per node; further edges stay with the step. */
const maxEdges = 1000;

/** @param pattern null to infer */
export function outlineOfDraft(draft: PlanDraft, pattern: PatternSpec | null): PlanOutline {
  const steps = nameSteps(draft.steps);
  const series = draft.series ?? [];
  const groups = typeof draft.context === 'object' ? (draft.context.groups ?? {}) : {};
  const ids = new Set([...steps.map(({ id }) => id), ...Object.keys(groups)]);
  const goal = takeId('goal', ids);
  const runs = runsOf(steps, groups);
  const tasks =
    runs.length + series.length <= maxTasks
      ? runs.map(({ group, steps: own }) => taskOfRun(own, goal, group))
      : [taskOfAll(steps, goal, takeId('all', ids), draft.title)];
  const repeated = series.map((item) => taskOfSeries(item, goal, takeId(item.id, ids)));
  const { title, summary, context, risks = [] } = draft;
  const nodes = [makeNode({ id: goal, title, structure: 'goal' }), ...tasks, ...repeated];
  return {
    title,
    summary: summary ?? title,
    pattern: pattern ?? patternOf(readFeatures({ nodes })),
    nodes,
    risks: risks.map((risk): Risk => (typeof risk === 'string' ? { text: risk } : risk)),
    assumptions: [],
    ...(context === undefined ? {} : { context }),
  };
}

function nameSteps(steps: StepDraft[]): Named[] {
  const taken = new Set(steps.flatMap(({ id }) => (id === undefined ? [] : [id])));
  return steps.map((step, index) => {
    if (step.id !== undefined) return { ...step, id: step.id };
    let id = String(index + 1);
    while (taken.has(id)) id = `step-${id}`;
    taken.add(id);
    return { ...step, id };
  });
}

type Named = StepDraft & { id: string };
type Groups = NonNullable<PlanContext['groups']>;
type Run = { group: (Groups[string] & { id: string }) | null; steps: Named[] };

/** Consecutive steps of a known group (`id-1`, `id-2`) together. */
function runsOf(steps: Named[], groups: Groups): Run[] {
  const runs: Run[] = [];
  const seen = new Set<string>();
  for (const step of steps) {
    const [, stem = ''] = /^(.+)-\d{1,6}$/.exec(step.id) ?? [];
    const id = Object.hasOwn(groups, stem) ? stem : undefined;
    const last = runs.at(-1);
    if (id !== undefined && last?.group?.id === id) {
      last.steps.push(step);
      continue;
    }
    const group = id === undefined || seen.has(id) ? undefined : groups[id];
    if (id !== undefined) seen.add(id);
    runs.push({
      group: id === undefined || group === undefined ? null : { id, ...group },
      steps: [step],
    });
  }
  return runs;
}

function taskOfRun(steps: Named[], goal: string, group: Run['group']): OutlineNode {
  const [first] = steps;
  if (group === null && first !== undefined) return taskOf(first, goal);
  const { id = '', title = '', each = {} } = group ?? {};
  return { ...taskOfAll(steps, goal, id, title), each };
}

function taskOf(step: Named, goal: string): OutlineNode {
  const { after = [], ...rest } = step;
  const edges = after.map(toDependency);
  const fits = edges.length <= maxEdges;
  return makeNode({
    id: step.id,
    title: step.description,
    structure: 'task',
    parent: goal,
    level: 2,
    after: fits ? edges : [],
    steps: [fits ? rest : step],
    duration_minutes: step.duration_minutes ?? null,
    not_before: step.not_before ?? null,
  });
}

/** For plans too large for a node per step. */
function taskOfAll(steps: StepDraft[], goal: string, id: string, title: string): OutlineNode {
  return makeNode({ id, title, structure: 'task', parent: goal, level: 2, steps });
}

function taskOfSeries(series: Series, goal: string, id: string): OutlineNode {
  const { title, rrule, starts_at, timezone, until, steps } = series;
  return makeNode({
    id,
    title: shorten(title, 3000),
    structure: 'task',
    rhythm: 'recurring',
    parent: goal,
    level: 2,
    steps,
    recurs: { rrule, starts_at, timezone, until },
  });
}
