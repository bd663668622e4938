// build_roadmap: compares options and picks the best.
import { z } from 'zod';
import { sayMinutes } from '#cards/times.ts';
import { canonicalPattern } from '#domain/plan/pattern.ts';
import type { PlanOutline } from '#domain/planning/outline.ts';
import {
  type Roadmap,
  type RoadmapMetrics,
  type RoadmapOption,
  RoadmapWay,
} from '#domain/planning/roadmap.ts';
import type { Adaptation } from '#domain/planning/trace.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { isSliceOver, nextTurn } from '#domain/slices.ts';
import { countOf } from '#domain/words.ts';
import { defineTool } from '../define-tool.ts';
import { type CollectedEdges, collectEdges } from '../order/collect-edges.ts';
import { readOperations } from '../order/durations.ts';
import { findWays, type Way } from '../order/find-ways.ts';
import { measureRoadmap, scoreWays } from '../order/metrics.ts';
import { describeCycle } from '../order/name-nodes.ts';
import { withoutAddedCheckpoints } from '../outline/outline-tree.ts';
import { findWaves } from '../outline/precedence.ts';
import { optionsWanted } from '../policy/effects.ts';
import { fail, succeed, type Tool, type ToolContext, type ToolOutcome } from '../tool.ts';

const Input = z
  .strictObject({
    prefer: RoadmapWay.nullish().describe(
      'as said: only the order that is needed; one at a time: each change waits for the one before; checked: a look before what cannot be taken back. null: by the policy.',
    ),
    reason: z.string().nullish().describe('Why that one, in a sentence; null: by the figures.'),
    confidence: z.number().nullish().describe('From 0 to 1: how sure you are. null: not known.'),
  })
  // Strict schemas require every key; calls may omit all.
  .meta({ required: ['prefer', 'reason', 'confidence'] });
type Input = z.infer<typeof Input>;

const maxShownAdaptations = 100;

type Compared = { way: Way; metrics: RoadmapMetrics; score: number };

export function createBuildRoadmap({ guarded }: { guarded: readonly string[] }): Tool<Input> {
  return defineTool({
    name: 'build_roadmap',
    description:
      'Compares two or three ways through the outline and chooses one. Give a preference only if the person has one.',
    input: Input,
    stages: ['DRAFT_ROADMAP'],
    prerequisites: ['dependencies'],
    produces: ['roadmap'],
    revision: 2,
    execute: (input, toolContext) => build(input, toolContext, guarded),
  });
}

async function build(
  input: Input,
  toolContext: ToolContext,
  guarded: readonly string[],
): Promise<ToolOutcome> {
  const { state, policy, tools } = toolContext;
  if (state.outline === null) return { result: fail('There is no outline yet.') };
  const prefer = input.prefer ?? state.outline.preferences?.order ?? null;
  const outline = keepPreference(withoutAddedCheckpoints(state.outline), prefer);
  const collected = collectEdges(outline);
  if (collected.cycle !== null)
    return { result: fail(describeCycle(collected.index, collected.cycle)) };
  const operations = readOperations(tools.manifest(), guarded);
  if (isSliceOver()) await nextTurn();
  const ways = await findWays(outline, collected, operations);
  const preferred = findPreferred(prefer, ways);
  const measured: { way: Way; name: RoadmapWay; metrics: RoadmapMetrics }[] = [];
  for (const way of ways) {
    if (isSliceOver()) await nextTurn();
    const metrics = measureRoadmap(way.index, way.edges, operations);
    measured.push({ way, name: way.name, metrics });
  }
  if (isSliceOver()) await nextTurn();
  const scores = scoreWays(measured, policy, outline.pattern, preferred);
  const compared = measured
    .map(({ way, metrics }, at): Compared => ({ way, metrics, score: scores[at] ?? 0 }))
    // Ties: stated options first.
    .sort((a, b) => b.score - a.score)
    .slice(0, optionsWanted(policy));
  const [best] = compared;
  if (best === undefined) return { result: fail('There is no way through the outline.') };
  const reason = explain(input, compared, preferred);
  const roadmap = drawRoadmap(outline, collected, compared, best, reason);
  const next: PlanOutline =
    best.way.added.length === 0 ? outline : { ...outline, nodes: best.way.nodes };
  return {
    result: succeed({ chosen: roadmap.chosen, options: roadmap.options_tried }, reason),
    changes: { roadmap, ...(next === state.outline ? {} : { outline: next }) },
    adaptations: tellAdaptations(best.way),
    self: readShare(input.confidence),
    heuristics: best.score,
    ends: 'drafted',
  };
}

function keepPreference(outline: PlanOutline, order: RoadmapWay | null): PlanOutline {
  const { preferences } = outline;
  if ((preferences?.order ?? null) === order) return outline;
  return { ...outline, preferences: { in_working_hours: null, ...preferences, order } };
}

function readShare(value: number | null | undefined): number | null {
  return typeof value === 'number' && value >= 0 && value <= 1 ? value : null;
}

/** An equivalent option counts as the preferred one. */
function findPreferred(prefer: RoadmapWay | null, ways: Way[]): RoadmapWay | null {
  const found = ways.find(({ name, same }) => prefer !== null && [name, ...same].includes(prefer));
  return found?.name ?? null;
}

function drawRoadmap(
  outline: PlanOutline,
  collected: CollectedEdges,
  compared: Compared[],
  { way }: Compared,
  reason: string,
): Roadmap {
  const { pattern } = outline;
  const contradicted = collected.contradicted.length;
  const notes =
    contradicted === 0
      ? []
      : [`Your order overrides that of the pattern in ${countOf(contradicted, 'place')}.`];
  return {
    pattern,
    context: { pattern_type: canonicalPattern(pattern), pattern, notes },
    waves: findWaves(way.index, way.edges).map((wave) =>
      wave.flatMap((place) => way.index.nodes[place]?.id ?? []),
    ),
    edges: way.edges,
    options_tried: compared.map(
      ({ way: { name, differs }, metrics, score }): RoadmapOption => ({
        name,
        differs: differs.slice(0, 500),
        metrics,
        score,
      }),
    ),
    chosen: way.name,
    reason,
  };
}

const fits: Record<RoadmapWay, string> = {
  'as said': 'It keeps the order you gave and adds nothing.',
  'one at a time': 'Each change must succeed before the next begins.',
  checked: 'Anything irreversible waits for a check.',
};

function explain(input: Input, compared: Compared[], preferred: RoadmapWay | null): string {
  const [best, ...others] = compared;
  if (best === undefined) return '';
  const reason = input.reason?.trim().replace(/\s+/g, ' ') ?? '';
  if (reason !== '' && preferred === best.way.name) return reason.slice(0, 1000);
  if (others.length === 0 && best.way.same.length > 0) return 'Only one order is possible.';
  const asked = preferred === best.way.name ? ', as you asked' : '';
  return `${fits[best.way.name]} ${compareTimes(best, others)}`
    .trim()
    .replace(/\.$/, `${asked}.`)
    .slice(0, 1000);
}

/** "It takes 3 minutes, “one at a time” 9." */
function compareTimes({ metrics }: Compared, others: Compared[]): string {
  const slower = others.filter(
    (other) => other.metrics.makespan_minutes !== metrics.makespan_minutes,
  );
  if (slower.length === 0 || metrics.makespan_minutes === 0) return '';
  const words = slower.map(
    (other) => `${quoteWords(other.way.name, 200)} ${sayMinutes(other.metrics.makespan_minutes)}`,
  );
  return `By estimate it takes ${sayMinutes(metrics.makespan_minutes)}, ${words.join(' and ')}.`;
}

function tellAdaptations({ added, edges, name }: Way): Adaptation[] {
  const nodes = added.map(
    ({ id, title }): Adaptation => ({
      what: 'added',
      node: id,
      introduced_by: 'system',
      why: title.slice(0, 1000),
    }),
  );
  const links = edges
    .filter(({ why }) => why === 'strategy')
    .map(({ from, to }): Adaptation => {
      const node = `${from} → ${to}`.slice(0, 500);
      return {
        what: 'linked',
        node,
        introduced_by: 'system',
        why: `the way ${quoteWords(name, 200)}`,
      };
    });
  return [...nodes, ...links].slice(0, maxShownAdaptations);
}
