// Applies typed changes of times.
import { z } from 'zod';
import { sayInHours } from '#domain/length.ts';
import type { OutlineNode, PlanOutline } from '#domain/planning/outline.ts';
import type { Adaptation } from '#domain/planning/trace.ts';
import { printMoment, sayMoment } from './time-words.ts';

/** Null leaves a value. */
export const DateChange = z.strictObject({
  node: z.string().min(1).max(200).describe('Id of the node, or of one of its steps.'),
  not_before: z.iso.datetime({ offset: true }).nullable().describe('It begins then, or later.'),
  exact: z.boolean().nullable().describe('true: it begins exactly at not_before.'),
  deadline: z.iso.datetime({ offset: true }).nullable().describe('It ends then, or earlier.'),
  duration_minutes: z.number().min(0).max(5_256_000).nullable(),
  duration: z.string().exactOptional(),
  drop: z
    .array(z.enum(['not_before', 'deadline', 'duration_minutes']))
    .max(3)
    .nullable()
    .describe('What no longer holds.'),
});
export type DateChange = z.infer<typeof DateChange>;

export type ChangedOutline = {
  outline: PlanOutline;
  /** Nodes with a fixed start. */
  exact: Set<string>;
  /** Nodes whose fixed start became the earliest. */
  loose: Set<string>;
  adaptations: Adaptation[];
  problems: string[];
};

/** Rewrites texts with the old moment too. */
export function applyChanges(
  outline: PlanOutline,
  changes: readonly DateChange[],
  timezone: string,
  introducedBy: Adaptation['introduced_by'],
): ChangedOutline {
  const places = new Map<string, number>();
  outline.nodes.forEach((node, place) => {
    for (const { id } of node.steps) if (id !== undefined) places.set(id, place);
  });
  outline.nodes.forEach((node, place) => {
    places.set(node.id, place);
  });
  const result: ChangedOutline = {
    outline,
    exact: new Set(),
    loose: new Set(),
    adaptations: [],
    problems: [],
  };
  const nodes = [...outline.nodes];
  const moved = new Map<string, string>();
  for (const change of changes) {
    const place = places.get(change.node);
    const node = nodes[place ?? -1];
    if (place === undefined || node === undefined) {
      result.problems.push(`There is no ${change.node} in the outline.`);
      continue;
    }
    const drops = (what: 'not_before' | 'deadline' | 'duration_minutes') =>
      change.drop?.includes(what) === true;
    const next = { ...node, steps: node.steps };
    if (change.not_before !== null || drops('not_before')) {
      const old = node.not_before;
      next.not_before = change.not_before;
      next.steps = node.steps.map(({ not_before, ...step }) => {
        if (
          not_before === undefined ||
          (old !== null && Date.parse(not_before) !== Date.parse(old))
        )
          return not_before === undefined ? step : { ...step, not_before };
        return change.not_before === null ? step : { ...step, not_before: change.not_before };
      });
      if (old !== null && change.not_before !== null)
        noteMoved(moved, old, change.not_before, timezone);
      (change.exact === true ? result.exact : result.loose).add(node.id);
    }
    if (change.deadline !== null || drops('deadline')) next.deadline = change.deadline;
    if (change.duration_minutes !== null || drops('duration_minutes'))
      Object.assign(next, setLength(next, change));
    nodes[place] = next;
    result.adaptations.push({
      what: 'rescheduled',
      node: node.id,
      introduced_by: introducedBy,
      why: describeChange(change, timezone),
    });
  }
  if (result.adaptations.length > 0) result.outline = reword({ ...outline, nodes }, moved);
  return result;
}

/** Applies to its only step too. */
function setLength(
  node: OutlineNode,
  { duration_minutes, duration }: DateChange,
): Pick<OutlineNode, 'duration_minutes' | 'steps'> {
  const [only] = node.steps;
  if (only === undefined || node.steps.length > 1) return { duration_minutes, steps: node.steps };
  const { duration: _, duration_minutes: __, ...step } = only;
  const minutes = duration_minutes === null ? {} : { duration_minutes };
  const words = duration === undefined ? {} : { duration };
  return { duration_minutes, steps: [{ ...step, ...minutes, ...words }] };
}

const dropped = {
  not_before: 'begins when it can',
  deadline: 'no deadline',
  duration_minutes: 'takes as long as it takes',
};

function describeChange(change: DateChange, timezone: string): string {
  const say = (iso: string) => sayMoment(Date.parse(iso), timezone);
  const parts = [
    ...(change.not_before === null
      ? []
      : [`${change.exact === true ? 'begins' : 'not before'} ${say(change.not_before)}`]),
    ...(change.deadline === null ? [] : [`done by ${say(change.deadline)}`]),
    ...(change.duration_minutes === null
      ? []
      : [`takes ${change.duration ?? sayInHours(change.duration_minutes)}`]),
    ...(change.drop ?? []).map((what) => dropped[what]),
  ];
  return parts.join(', ') || 'as it was';
}

/** Plain plans write a moment in two ways. */
function noteMoved(moved: Map<string, string>, old: string, next: string, timezone: string): void {
  const [before, after] = [printMoment(old, timezone), printMoment(next, timezone)];
  moved.set(before, after);
  moved.set(before.replace(' ', ' at '), after.replace(' ', ' at '));
}

function reword(outline: PlanOutline, moved: ReadonlyMap<string, string>): PlanOutline {
  if (moved.size === 0) return outline;
  const pattern = new RegExp([...moved.keys()].map(RegExp.escape).join('|'), 'g');
  const say = (text: string) => text.replace(pattern, (found) => moved.get(found) ?? found);
  return {
    ...outline,
    title: say(outline.title),
    summary: say(outline.summary),
    nodes: outline.nodes.map((node) => ({
      ...node,
      title: say(node.title),
      steps: node.steps.map((step) => ({ ...step, description: say(step.description) })),
    })),
  };
}
