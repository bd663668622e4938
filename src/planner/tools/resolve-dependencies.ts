// resolve_dependencies: merges precedence into acyclic edges.
import { z } from 'zod';
import { readLag } from '#domain/length.ts';
import { DependencyType } from '#domain/plan/dependency.ts';
import type { RoadmapEdge } from '#domain/planning/roadmap.ts';
import type { Adaptation, Violation } from '#domain/planning/trace.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { countOf, listOf } from '#domain/words.ts';
import { defineTool } from '../define-tool.ts';
import { type CollectedEdges, collectEdges } from '../order/collect-edges.ts';
import { describeCycle } from '../order/name-nodes.ts';
import { type ResolvedOrder, resolveOrder } from '../order/resolve-order.ts';
import { withoutAddedCheckpoints } from '../outline/outline-tree.ts';
import { WrittenLag } from '../outline/written-outline.ts';
import { fail, succeed, type ToolContext, type ToolOutcome } from '../tool.ts';

const GivenEdge = z.strictObject({
  from: z.string().describe('Id of the node that comes first.'),
  to: z.string().describe('Id of the node that waits.'),
  type: DependencyType.describe(
    'FS: starts after the finish; SS: after the start; FF: finishes after the finish; SF: finishes after the start.',
  ),
  lag_minutes: WrittenLag,
  remove: z.boolean().describe('true: take this edge away.'),
});

const Input = z
  .strictObject({
    edges: z
      .array(GivenEdge)
      .max(20_000)
      .nullish()
      .describe('Edges to add to those of the outline, or to remove from them; null: none.'),
  })
  // Strict schemas require every key; calls may omit all.
  .meta({ required: ['edges'] });

const maxShownAdaptations = 100;
const maxShownEdges = 200;

export const resolveDependencies = defineTool({
  name: 'resolve_dependencies',
  description:
    'Works out which nodes wait for which, from what the outline says, what steps take from each other and the pattern. Give edges only to add or take away some.',
  input: Input,
  stages: ['DRAFT_ROADMAP'],
  prerequisites: ['valid_outline'],
  produces: ['dependencies'],
  revision: 2,
  execute: async ({ edges }, toolContext) => {
    const { outline, change } = toolContext.state;
    if (outline === null) return { result: fail('There is no outline yet.') };
    const problems: string[] = [];
    const given = (edges ?? []).map((edge) => {
      const lag =
        typeof edge.lag_minutes === 'string' ? readLag(edge.lag_minutes) : edge.lag_minutes;
      if (typeof lag === 'string') problems.push(lag);
      return { ...edge, lag_minutes: Number(lag) };
    });
    if (problems.length > 0) return { result: fail(...problems.slice(0, 20)) };
    const resolved = resolveOrder(
      withoutAddedCheckpoints(outline),
      given,
      change === null ? 'ai_adaptation' : 'user_feedback',
    );
    if (resolved.refused.length > 0) return { result: fail(...resolved.refused.slice(0, 20)) };
    return conclude(resolved, toolContext);
  },
});

function conclude(resolved: ResolvedOrder, { state }: ToolContext): ToolOutcome {
  const collected = collectEdges(resolved.outline);
  const adaptations = tellAdaptations(resolved, collected);
  const broken = findBroken(collected);
  if (broken.length > 0)
    return {
      // Not kept: the next try begins with the previous order.
      result: fail(...broken.map(({ text }) => text)),
      violations: broken,
      adaptations: adaptations,
    };
  return {
    result: succeed(
      { edges: collected.edges.slice(0, maxShownEdges), total: collected.edges.length },
      summarise(collected.edges),
    ),
    changes: resolved.outline === state.outline ? {} : { outline: resolved.outline },
    violations: tellContradicted(collected),
    adaptations: adaptations,
    heuristics: 1,
  };
}

function findBroken({ cycle, impossible, index }: CollectedEdges): Violation[] {
  if (cycle !== null) {
    const node = cycle[0]?.to ?? null;
    return [{ code: 'cycle', node, text: describeCycle(index, cycle), blocking: true }];
  }
  return impossible.slice(0, 10).map(({ from, to }) => ({
    code: 'unknown_node',
    node: to,
    text: `${quoteWords(to, 200)} waits for ${quoteWords(from, 200)}, which is no part of the plan.`,
    blocking: true,
  }));
}

function tellContradicted({ contradicted, index }: CollectedEdges): Violation[] {
  const [first] = contradicted;
  if (first === undefined) return [];
  const more = contradicted.length > 1 ? ` (and ${contradicted.length - 1} more)` : '';
  return [
    {
      code: 'phase_order',
      node: first.to,
      text: `What was said lets ${quoteWords(index.nodes[index.places.get(first.to) ?? -1]?.title.slice(0, 200) ?? first.to, 200)} come before what is listed in front of it${more}.`,
      blocking: false,
    },
  ];
}

const derived: Partial<Record<RoadmapEdge['why'], string>> = {
  data: 'it takes what the other gives',
  pattern: 'the pattern has them in this order',
};

function tellAdaptations({ adaptations }: ResolvedOrder, { edges }: CollectedEdges): Adaptation[] {
  const added = edges.flatMap(({ from, to, why }): Adaptation[] => {
    const reason = derived[why];
    if (reason === undefined) return [];
    const node = `${from} → ${to}`.slice(0, 500);
    return [{ what: 'linked', node, introduced_by: 'system', why: reason }];
  });
  const all = [...adaptations, ...added];
  if (all.length <= maxShownAdaptations) return all;
  const more = all.length - maxShownAdaptations;
  return [
    ...all.slice(0, maxShownAdaptations),
    {
      what: 'linked',
      node: '…',
      introduced_by: 'system',
      why: `and ${countOf(more, 'more change')}`,
    },
  ];
}

function summarise(edges: RoadmapEdge[]): string {
  if (edges.length === 0) return 'Nothing waits for anything else.';
  const words = { stated: 'said', data: 'by data', pattern: 'by the pattern', strategy: 'chosen' };
  const counts = Map.groupBy(edges, ({ why }) => why);
  const parts = [...counts].map(([why, list]) => `${list.length} ${words[why]}`);
  return `${countOf(edges.length, 'edge')}: ${listOf(parts)}.`;
}
