// Validates a roadmap against its outline: it can be followed, keeps what was stated, respects the order of phases, and produces
// outputs before their use. Linear, except for path searches where there is no direct edge.
import type { PlanOutline } from '#domain/planning/outline.ts';
import type { Roadmap, RoadmapEdge } from '#domain/planning/roadmap.ts';
import type { Violation } from '#domain/planning/trace.ts';
import { buildDigraph, findComponents, findCycle } from '#graph/digraph.ts';
import { type CollectedEdges, collectEdges, isSaidOfNodes } from './collect-edges.ts';
import { predecessorsOf } from './durations.ts';
import { buildEvents, findEdgeCycle, findEnds } from './events.ts';
import { describeCycle, titleOf } from './name-nodes.ts';
import { findWork, type OutlineIndex, seriesOf } from './outline-index.ts';
import { findImplied } from './reduce-edges.ts';
import { findWaves } from './waves.ts';

/** Of each kind this many are told; the rest adds nothing that helps to mend them. */
const toldAtMost = 10;

function report(code: string, node: string | null, text: string, blocking = true): Violation {
  return { code, node: node?.slice(0, 200) ?? null, text: text.slice(0, 1000), blocking };
}

export function validateRoadmap(outline: PlanOutline, roadmap: Roadmap): Violation[] {
  const collected = collectEdges(outline);
  const { index } = collected;
  const found = [
    ...checkEdges(index, roadmap.edges),
    ...checkSteps(index),
    ...checkSeries(index, roadmap.edges),
  ];
  const cycle = findEdgeCycle(index, roadmap.edges);
  if (cycle !== null) {
    found.push(report('cycle', cycle[0]?.to ?? null, describeCycle(index, cycle)));
  } else {
    found.push(
      ...checkWaves(index, roadmap),
      ...checkStated(collected, roadmap.edges),
      ...checkPhases(collected, roadmap.edges),
    );
  }
  const kinds = Map.groupBy(found, ({ code }) => code);
  return [...kinds.values()].flatMap((kind) => kind.slice(0, toldAtMost));
}

function checkEdges(index: OutlineIndex, edges: RoadmapEdge[]): Violation[] {
  const seen = new Set<string>();
  return edges.flatMap((edge) => {
    const { from, to, type } = edge;
    const missing = [from, to].find((id) => !index.places.has(id));
    if (missing !== undefined)
      return [
        report(
          'unknown_node',
          missing,
          `The roadmap names “${missing}”, which is no part of the plan.`,
        ),
      ];
    if (from === to)
      return [
        report('self_edge', to, `“${titleOf(index, to)}” waits for itself. Remove that edge.`),
      ];
    if (findEnds(index, edge) === null)
      return [
        report(
          'part_edge',
          to,
          `“${titleOf(index, to)}” and “${titleOf(index, from)}” are part of each other, so neither can wait for the other.`,
        ),
      ];
    const key = `${from}\n${to}\n${type}`;
    if (seen.has(key))
      return [
        report(
          'duplicate_edge',
          to,
          `“${titleOf(index, to)}” waits for “${titleOf(index, from)}” twice.`,
          false,
        ),
      ];
    seen.add(key);
    return [];
  });
}

/** Everything with work has its place in the waves, once, and not before what it waits for. */
function checkWaves(index: OutlineIndex, { waves, edges }: Roadmap): Violation[] {
  const places = new Map<string, number>();
  const violations: Violation[] = [];
  waves.forEach((wave, at) => {
    for (const id of wave) {
      if (!index.places.has(id))
        violations.push(
          report('unknown_node', id, `Wave ${at + 1} names “${id}”, which is no part of the plan.`),
        );
      else if (places.has(id))
        violations.push(report('wave_twice', id, `“${titleOf(index, id)}” stands in two waves.`));
      else places.set(id, at);
    }
  });
  for (const place of findWork(index)) {
    const id = index.nodes[place]?.id;
    if (id !== undefined && !places.has(id))
      violations.push(
        report(
          'unreachable',
          id,
          `“${titleOf(index, id)}” stands in no wave, so its turn never comes.`,
        ),
      );
  }
  if (violations.length > 0) return violations;
  // The earliest wave of each node: one that stands before it would begin too early.
  findWaves(index, edges).forEach((wave, earliest) => {
    for (const place of wave) {
      const id = index.nodes[place]?.id ?? '';
      if ((places.get(id) ?? 0) < earliest)
        violations.push(
          report(
            'wave_order',
            id,
            `“${titleOf(index, id)}” stands in a wave before what it waits for.`,
          ),
        );
    }
  });
  return violations;
}

/** What was said of two nodes, and what one takes from the other, must follow from the roadmap. */
function checkStated({ index, edges: needed }: CollectedEdges, edges: RoadmapEdge[]): Violation[] {
  const kept = new Map(
    edges.map(({ from, to, type, lag_minutes }) => [`${from}\n${to}\n${type}`, lag_minutes]),
  );
  const open = needed.filter(({ from, to, type, lag_minutes, why }) => {
    const lag = kept.get(`${from}\n${to}\n${type}`);
    return why !== 'pattern' && (lag === undefined || lag < lag_minutes);
  });
  const followed = findImplied(index, edges, open, 'at all');
  return open.flatMap((edge) => {
    if (edge.lag_minutes <= 0 && followed.has(edge)) return [];
    const [later, earlier] = [titleOf(index, edge.to), titleOf(index, edge.from)];
    return edge.why === 'data'
      ? [
          report(
            'output_before_made',
            edge.to,
            `“${later}” takes what “${earlier}” gives, but does not wait for it.`,
          ),
        ]
      : [
          report(
            isSaidOfNodes(index, edge) ? 'stated_order' : 'step_order',
            edge.to,
            `It was said that “${later}” waits for “${earlier}”; the roadmap does not keep that.`,
          ),
        ];
  });
}

/** The order of phases: turned round is wrong, let go is worth a word. */
function checkPhases(collected: CollectedEdges, edges: RoadmapEdge[]): Violation[] {
  const { index, contradicted } = collected;
  const pattern = collected.edges.filter(({ why }) => why === 'pattern');
  const size = index.nodes.length;
  const component = findComponents(buildEvents(index, [...edges, ...pattern]).graph);
  const turned = pattern.filter((edge) => {
    const ends = findEnds(index, edge);
    return ends !== null && component[size + ends.from] === component[ends.to];
  });
  const violations = turned.map(({ from, to }) =>
    report(
      'phase_order',
      to,
      `“${titleOf(index, to)}” comes before “${titleOf(index, from)}”, against the order of the pattern.`,
    ),
  );
  const gone = new Set(turned);
  const followed = findImplied(index, edges, pattern, 'at all');
  const loose = [
    ...contradicted,
    ...pattern.filter((edge) => !gone.has(edge) && !followed.has(edge)),
  ];
  const [first] = loose;
  if (first !== undefined)
    violations.push(
      report(
        'phase_order',
        first.to,
        `“${titleOf(index, first.to)}” does not wait for “${titleOf(index, first.from)}”, as the pattern would have it${loose.length > 1 ? ` (and ${loose.length - 1} more)` : ''}.`,
        false,
      ),
    );
  return violations;
}

/** Steps inside one node. Those between nodes are edges of the roadmap. */
function checkSteps(index: OutlineIndex): Violation[] {
  const pairs = index.steps.flatMap((_, step) =>
    predecessorsOf(index, step).flatMap((before) => [before, step]),
  );
  const cycle = findCycle(buildDigraph(index.steps.length, pairs));
  if (cycle === null) return [];
  const ids = cycle.slice(0, 10).flatMap((step) => index.steps[step]?.id ?? []);
  const node = index.nodes[index.steps[cycle[0] ?? -1]?.node ?? -1]?.id ?? null;
  return [report('step_cycle', node, `The steps ${ids.join(', ')} wait for each other.`)];
}

/** What comes again has a rule of its own: it waits for nothing, and nothing waits for it. */
function checkSeries(index: OutlineIndex, edges: RoadmapEdge[]): Violation[] {
  const found = edges.filter((edge) => {
    const ends = findEnds(index, edge);
    return ends !== null && seriesOf(index, ends.from) !== seriesOf(index, ends.to);
  });
  const [first] = found;
  if (first === undefined) return [];
  const more = found.length > 1 ? ` (and ${found.length - 1} more)` : '';
  return [
    report(
      'series_edge',
      first.to,
      `“${titleOf(index, first.to)}” cannot wait for “${titleOf(index, first.from)}”, since one of them comes again by a rule; its first date holds instead${more}.`,
      false,
    ),
  ];
}
