// Lowers edges between nodes to edges between steps.
import { type Dependency, type DependencyType, toDependency } from '#domain/plan/dependency.ts';
import { edgeEnds } from '#domain/plan/edge-ends.ts';
import { dependenciesOf, type StepDraft, sourcesOf } from '#domain/plan/step-content.ts';
import type { RoadmapEdge } from '#domain/planning/roadmap.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { type OutlineIndex, seriesOf, sharedDepth } from '../outline/outline-tree.ts';
import { isBetweenNodes } from './collect-edges.ts';
import { type NodeEdge, passThroughEmpty } from './reduce-edges.ts';

/** Above this many edges, a joint step connects them. Series hold at most 500 steps, so they have none. */
const meetAbove = 200;
const meetInSeriesAbove = 250 * 250;

export type StepEdges = {
  after: Map<number, Dependency[]>;
  /** Placeholders, each after the last step of a node. */
  joints: { step: StepDraft; behind: number }[];
  /** Waiting for no other step of the node. */
  first(place: number): number[];
};

export function lowerEdges(index: OutlineIndex, edges: RoadmapEdge[]): StepEdges {
  const series = index.nodes.map((_, place) => seriesOf(index, place));
  const seriesAt = (step: number) => series[index.steps[step]?.node ?? -1] ?? -1;
  const ends = new StepEnds(index, series);
  const result: StepEdges = { after: new Map(), joints: [], first: (place) => ends.first(place) };
  const meetings = new Map<string, string>();
  // Data flow and edges stated on steps stay there.
  const own = edges.filter(
    (edge) =>
      edge.why === 'pattern' ||
      edge.why === 'strategy' ||
      (edge.why === 'stated' && isBetweenNodes(index, edge)),
  );
  const lowered = passThroughEmpty(index, own).map((edge) => ({
    ...edge,
    depth: sharedDepth(index, edge.from, edge.to),
  }));
  const order = lowered.map((_, at) => at);
  const put = (to: number, dependency: Dependency) => {
    const list = result.after.get(to);
    if (list) list.push(dependency);
    else result.after.set(to, [dependency]);
  };
  const taken = new Set(index.stepPlaces.keys());
  const pending: (() => void)[] = [];
  // Deepest first: a whole's ends depend on the edges inside it.
  for (const at of order.sort((a, b) => (lowered[b]?.depth ?? 0) - (lowered[a]?.depth ?? 0))) {
    const edge = lowered[at];
    if (edge === undefined) continue;
    const { fromFinish, toFinish } = edgeEnds[edge.type];
    const sources = fromFinish ? ends.last(edge.from) : ends.first(edge.from);
    const targets = toFinish ? ends.last(edge.to) : ends.first(edge.to);
    const [before, behind] = [new Set(sources.map(seriesAt)), new Set(targets.map(seriesAt))];
    for (const step of sources) if (behind.has(seriesAt(step))) ends.note('last', edge, step);
    for (const step of targets) if (before.has(seriesAt(step))) ends.note('first', edge, step);
    pending[at] = () => emit(edge, sources, targets);
  }
  function emit(edge: NodeEdge, sources: number[], targets: number[]): void {
    const behind = Map.groupBy(targets, seriesAt);
    for (const [of, before] of Map.groupBy(sources, seriesAt))
      connect(edge, before, behind.get(of) ?? []);
  }
  function connect(edge: NodeEdge, sources: number[], targets: number[]): void {
    const { type, lag_minutes } = edge;
    const most = seriesAt(sources[0] ?? -1) === -1 ? meetAbove : meetInSeriesAbove;
    const isCrowded = sources.length * targets.length > most;
    if (isCrowded && sources.length > 1 && targets.length > 1) {
      // Takes no time: ends when its last step has ended or begun.
      const joint = {
        id: meet(edge, sources),
        type: edgeEnds[type].toFinish ? 'FF' : 'FS',
      } as const;
      for (const to of targets) put(to, { ...joint, lag_minutes });
      return;
    }
    for (const to of targets) {
      for (const from of sources) {
        const source = index.steps[from];
        if (source !== undefined && from !== to) put(to, { id: source.id, type, lag_minutes });
      }
    }
  }
  function meet({ from: place, type }: NodeEdge, sources: number[]): string {
    const { fromFinish } = edgeEnds[type];
    const key = `${place} ${fromFinish} ${seriesAt(sources[0] ?? -1)}`;
    const known = meetings.get(key);
    if (known !== undefined) return known;
    const node = index.nodes[place];
    let id = `${node?.id ?? place}:${fromFinish ? 'done' : 'begun'}`.slice(0, 190);
    while (taken.has(id)) id = `${id}+`;
    taken.add(id);
    const title = quoteWords(node?.title.slice(0, 500) ?? id, 200);
    const ids = sources.flatMap((step) => index.steps[step]?.id ?? []);
    const step: StepDraft = {
      id,
      description: fromFinish ? `All of ${title} is done` : `All of ${title} has begun`,
      tool: 'control',
      operation: 'noop',
      after: fromFinish ? ids : ids.map((one) => ({ ...toDependency(one), type: 'SS' as const })),
    };
    result.joints.push({ step, behind: sources.reduce((last, step) => Math.max(last, step), 0) });
    meetings.set(key, id);
    return id;
  }
  // Roadmap order, so stated edges come first.
  for (const place of pending) place?.();
  return result;
}

class StepEnds {
  readonly #index: OutlineIndex;
  /** Depth of the deepest node with something before or after a step; 0 if none. */
  readonly #depths: Record<'first' | 'last', Int32Array>;
  readonly #parts: number[][];

  constructor(index: OutlineIndex, series: number[]) {
    this.#index = index;
    const { steps, stepPlaces, parents, nodes } = index;
    this.#depths = { first: new Int32Array(steps.length), last: new Int32Array(steps.length) };
    this.#parts = nodes.map(() => []);
    steps.forEach(({ node }, step) => {
      for (let at = node; at !== -1; at = parents[at] ?? -1) this.#parts[at]?.push(step);
    });
    steps.forEach(({ draft, node }, to) => {
      const dependencies = dependenciesOf(draft);
      const taken = sourcesOf(draft).map(toDependency);
      for (const { id, type, lag_minutes } of [...dependencies, ...taken]) {
        const from = stepPlaces.get(id);
        const before = steps[from ?? -1]?.node;
        if (from === undefined || before === undefined || series[before] !== series[node]) continue;
        const depth = sharedDepth(index, before, node);
        this.note('last', { type, lag_minutes, depth }, from);
        this.note('first', { type, lag_minutes, depth }, to);
      }
    });
  }

  /** Leads, and ends that are not held, leave a step first or last. */
  note(
    which: 'first' | 'last',
    { type, lag_minutes, depth }: { type: DependencyType; lag_minutes: number; depth: number },
    step: number,
  ): void {
    const { fromFinish, toFinish } = edgeEnds[type];
    const holds = which === 'first' ? !toFinish : fromFinish;
    const depths = this.#depths[which];
    if (holds && lag_minutes >= 0) depths[step] = Math.max(depths[step] ?? 0, depth);
  }

  #pick(which: 'first' | 'last', place: number): number[] {
    const depth = this.#index.depths[place] ?? 0;
    const depths = this.#depths[which];
    const steps = this.#parts[place] ?? [];
    const picked = steps.filter((step) => (depths[step] ?? 0) < depth);
    // On a cycle, all steps are both.
    return picked.length > 0 ? picked : steps;
  }

  first(place: number): number[] {
    return this.#pick('first', place);
  }

  last(place: number): number[] {
    return this.#pick('last', place);
  }
}
