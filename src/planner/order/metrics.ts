// Metrics and scores of roadmap options.
import type { InteractionPolicy } from '#domain/people/policy.ts';
import { canonicalPattern, type PatternSpec } from '#domain/plan/pattern.ts';
import type { RoadmapEdge, RoadmapMetrics, RoadmapWay } from '#domain/planning/roadmap.ts';
import { sortTopologically, successorsOf } from '#graph/digraph.ts';
import type { OutlineIndex } from '../outline/outline-tree.ts';
import { buildEvents, eventsOf, findEnds, findWaves } from '../outline/precedence.ts';
import { findDurations, type Operations } from './durations.ts';

/** Critical path method over generalised precedence, O(n log n); must be acyclic. */
export function measureRoadmap(
  index: OutlineIndex,
  edges: RoadmapEdge[],
  operations: Operations,
): RoadmapMetrics {
  const durations = findDurations(index, operations);
  const times = findEarliest(index, edges, durations);
  const size = index.nodes.length;
  const marks = index.nodes.map((_, place) => readMarks(index, place, operations));
  return {
    makespan_minutes: times.subarray(size).reduce((latest, end) => Math.max(latest, end), 0),
    width: findWidth(times, durations),
    unchecked_writes: countUnchecked(index, edges, marks),
    unguarded: countUnguarded(index, edges, marks),
    checkpoints: marks.filter(({ checks }) => checks).length,
  };
}

export type Marks = { changes: boolean; delicate: number; checks: boolean };

/** Own steps only. Asking a person makes a checkpoint too. */
export function readMarks(index: OutlineIndex, place: number, operations: Operations): Marks {
  const own = (index.ownSteps[place] ?? []).flatMap((step) => index.steps[step]?.draft ?? []);
  const asksOnly = own.length > 0 && own.every((step) => operations.asksPerson(step));
  return {
    changes: !asksOnly && own.some((step) => operations.changes(step)),
    delicate: own.filter((step) => operations.isDelicate(step)).length,
    checks: asksOnly || index.nodes[place]?.structure === 'checkpoint',
  };
}

/** Starts by node number, then finishes. Leads may be negative. */
function findEarliest(
  index: OutlineIndex,
  edges: RoadmapEdge[],
  durations: Float64Array,
): Float64Array {
  const size = index.nodes.length;
  const { graph } = buildEvents(index, edges);
  const incoming = new Map<number, { from: number; lag: number }[]>();
  for (const edge of edges) {
    const ends = findEnds(index, edge);
    if (ends === null) continue;
    const { from, to } = eventsOf(index, ends, edge.type);
    const arc = { from, lag: edge.lag_minutes };
    const arcs = incoming.get(to);
    if (arcs) arcs.push(arc);
    else incoming.set(to, [arc]);
  }
  const times = new Float64Array(2 * size);
  for (const v of sortTopologically(graph)) {
    let time = times[v] ?? 0;
    for (const { from, lag } of incoming.get(v) ?? [])
      time = Math.max(time, (times[from] ?? 0) + lag);
    if (v < size) {
      const parent = index.parents[v] ?? -1;
      times[v] = parent === -1 ? time : Math.max(time, times[parent] ?? 0);
      continue;
    }
    const place = v - size;
    const end = Math.max(time, (times[place] ?? 0) + (durations[place] ?? 0));
    times[v] = end;
    const parent = index.parents[place] ?? -1;
    if (parent !== -1) times[size + parent] = Math.max(times[size + parent] ?? 0, end);
  }
  return times;
}

function findWidth(times: Float64Array, durations: Float64Array): number {
  const moments: { at: number; change: number }[] = [];
  durations.forEach((minutes, place) => {
    if (minutes <= 0) return;
    const end = times[durations.length + place] ?? 0;
    moments.push({ at: end - minutes, change: 1 }, { at: end, change: -1 });
  });
  moments.sort((a, b) => a.at - b.at || a.change - b.change);
  let open = 0;
  return moments.reduce((most, { change }) => {
    open += change;
    return Math.max(most, open);
  }, 0);
}

/** A wave's first change may be watched; parallel ones begin before it succeeds. */
function countUnchecked(index: OutlineIndex, edges: RoadmapEdge[], marks: Marks[]): number {
  return findWaves(index, edges).reduce((sum, wave) => {
    const changes = wave.filter((place) => marks[place]?.changes).length;
    return sum + Math.max(0, changes - 1);
  }, 0);
}

function countUnguarded(index: OutlineIndex, edges: RoadmapEdge[], marks: Marks[]): number {
  const { graph } = buildEvents(index, edges);
  const size = index.nodes.length;
  const checked = new Uint8Array(graph.size);
  let unguarded = 0;
  for (const v of sortTopologically(graph)) {
    const mark = marks[v % size];
    if (v < size && checked[v] !== 1) unguarded += mark?.delicate ?? 0;
    const seen = checked[v] === 1 || (v >= size && mark?.checks === true);
    if (seen) for (const to of successorsOf(graph, v)) checked[to] = 1;
  }
  return unguarded;
}

type Weights = { fidelity: number; speed: number; safety: number };

const weights: Record<InteractionPolicy['autonomy'], Weights> = {
  high: { fidelity: 0.5, speed: 0.45, safety: 0.05 },
  medium: { fidelity: 0.5, speed: 0.25, safety: 0.25 },
  low: { fidelity: 0.35, speed: 0.1, safety: 0.55 },
};

/** Weight moved from speed to safety. */
const strategic = 0.1;
/** A stated preference outweighs the policy. */
const preferredFidelity = 0.7;
const addsOrder = 0.25;
/** Weight of irreversible changes in safety; unwatched ones have the rest. */
const delicateShare = 0.65;

type Measured = { name: RoadmapWay; metrics: RoadmapMetrics };

function weigh(
  policy: InteractionPolicy,
  pattern: PatternSpec,
  preferred: RoadmapWay | null,
): Weights {
  const base = weights[policy.autonomy];
  const shift =
    canonicalPattern(pattern) === 'strategic_transformation' && policy.autonomy === 'medium'
      ? strategic
      : 0;
  const { fidelity, speed, safety } = {
    ...base,
    speed: base.speed - shift,
    safety: base.safety + shift,
  };
  if (preferred === null) return { fidelity, speed, safety };
  const rest = (1 - preferredFidelity) / (speed + safety);
  return { fidelity: preferredFidelity, speed: speed * rest, safety: safety * rest };
}

function shareOf(part: number, most: number): number {
  return most === 0 ? 0 : part / most;
}

/** 0..1 each. */
export function scoreWays(
  ways: Measured[],
  policy: InteractionPolicy,
  pattern: PatternSpec,
  preferred: RoadmapWay | null,
): number[] {
  const { fidelity, speed, safety } = weigh(policy, pattern, preferred);
  const metrics = ways.map((way) => way.metrics);
  const shortest = Math.min(...metrics.map(({ makespan_minutes }) => makespan_minutes));
  const unchecked = Math.max(...metrics.map(({ unchecked_writes }) => unchecked_writes));
  const unguarded = Math.max(...metrics.map(({ unguarded: count }) => count));
  return ways.map(({ name, metrics: own }) => {
    const close = name === (preferred ?? 'as said') ? 1 : addsOrder;
    const fast = own.makespan_minutes === 0 ? 1 : shortest / own.makespan_minutes;
    const safe =
      1 -
      delicateShare * shareOf(own.unguarded, unguarded) -
      (1 - delicateShare) * shareOf(own.unchecked_writes, unchecked);
    const score = fidelity * close + speed * fast + safety * safe;
    return Math.min(1, Math.max(0, Math.round(score * 1e4) / 1e4));
  });
}
