// Outline tree and roadmap waves, on cards and in full.
import type { SessionCardFacts } from '#domain/chat/session-card.ts';
import { isByClock } from '#domain/length.ts';
import type { Dependency } from '#domain/plan/dependency.ts';
import { describeDependency } from '#domain/plan/step-numbers.ts';
import type { OutlineNode } from '#domain/planning/outline.ts';
import type { RoadmapMetrics } from '#domain/planning/roadmap.ts';
import { quoteName, quoteWords, showTitle } from '#domain/shown-text.ts';
import { countOf } from '#domain/words.ts';
import { makeSection, plainLine } from './findings.ts';
import { quote } from './plain.ts';
import { formatDuration, tellLimit } from './times.ts';
import type { Details, Line, Section } from './view.ts';
import { andMore, describeRisks, nameWay } from './words.ts';

const maxNodes = 12;
const maxDetails = 200;
const indent = '\u2003';

type Placed = { node: OutlineNode; number: string; depth: number; below: number };

/** In tree order, numbered 2.1. */
function placeNodes(nodes: OutlineNode[]): Placed[] {
  const known = new Set(nodes.map(({ id }) => id));
  const children = Map.groupBy(nodes, ({ parent }) =>
    parent !== null && known.has(parent) ? parent : null,
  );
  const placed: Placed[] = [];
  const open: { node: OutlineNode; number: string; depth: number }[] = [];
  const push = (parent: string | null, before: string, depth: number) => {
    const own = children.get(parent) ?? [];
    // Removed, so that cyclic trees end.
    children.delete(parent);
    for (let at = own.length - 1; at >= 0; at--) {
      const node = own[at];
      if (node !== undefined) open.push({ node, number: `${before}${at + 1}`, depth });
    }
  };
  push(null, '', 0);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    placed.push({ ...next, below: 0 });
    push(next.node.id, `${next.number}.`, next.depth + 1);
  }
  return countBelow(placed);
}

function countBelow(placed: Placed[]): Placed[] {
  const path: Placed[] = [];
  for (const one of placed) {
    path.length = one.depth;
    for (const above of path) above.below += 1;
    path.push(one);
  }
  return placed;
}

/** `2 days after 1.1` */
const waitsOf = (edges: readonly Dependency[], nameOf: (id: string) => string): string[] =>
  edges.flatMap((edge) =>
    edge.lag_minutes > 0 ? [describeDependency({ ...edge, id: nameOf(edge.id) })] : [],
  );

/** `numbers` by ID. */
type Tree = { facts: SessionCardFacts; least: number; numbers: ReadonlyMap<string, string> };

function describeNode({ node, below }: Placed, hides: boolean, { facts, numbers }: Tree): string {
  const { structure, rhythm, target, duration_minutes: minutes, deadline } = node;
  const [step, ...others] = node.steps;
  const stated = others.length === 0 ? step?.duration : undefined;
  const length = stated ?? `about ${formatDuration((minutes ?? 0) * 60_000)}`;
  const plain = structure === 'task' || structure === 'goal';
  return [
    ...(plain ? [] : [structure]),
    ...(rhythm === 'recurring' ? ['repeats'] : []),
    ...(rhythm === 'continuous' ? ['ongoing'] : []),
    ...(target === null ? [] : [`up to ${target.amount} ${quoteName(target.unit, 40)}`]),
    ...(minutes === null || minutes === 0 ? [] : [length]),
    ...waitsOf(node.after, (id) => numbers.get(id) ?? id),
    ...(deadline === null ? [] : [`by ${tellLimit(deadline, facts)}`]),
    ...(hides && below > 0 ? [`${below} below`] : []),
  ].join(', ');
}

function lineOf(placed: Placed, hides: boolean, tree: Tree): Line {
  const { node, number, depth } = placed;
  const space = indent.repeat(Math.max(0, depth - tree.least));
  return plainLine(`${space}${number}  ${showTitle(node.title, 160)}`, {
    note: describeNode(placed, hides, tree),
  });
}

const numbersOf = (shown: Placed[]) => new Map(shown.map(({ node, number }) => [node.id, number]));

/** A single goal repeats the title. */
function withoutGoal(placed: Placed[]): { shown: Placed[]; least: number } {
  const [first, ...rest] = placed;
  const single = first !== undefined && placed.filter(({ depth }) => depth === 0).length === 1;
  if (!single || rest.length === 0) return { shown: placed, least: 0 };
  return { shown: rest.map((one) => ({ ...one, number: one.number.slice(2) })), least: 1 };
}

/** Deepest level that fits, at least the first. */
function depthThatFits(shown: Placed[], least: number): number {
  let depth = least;
  while (
    shown.some((one) => one.depth > depth) &&
    shown.filter((one) => one.depth <= depth + 1).length <= maxNodes
  ) {
    depth += 1;
  }
  return depth;
}

function viewTree(facts: SessionCardFacts): Section | null {
  if (facts.outline === null) return null;
  const { shown, least } = withoutGoal(placeNodes(facts.outline.nodes));
  const depth = depthThatFits(shown, least);
  const tree = { facts, least, numbers: numbersOf(shown) };
  const lines = shown
    .filter((one) => one.depth <= depth)
    .map((one) => lineOf(one, one.depth === depth, tree));
  return makeSection('outline', 'Outline', lines, maxNodes, shown.length);
}

function viewAssumptions({ outline }: SessionCardFacts): Section | null {
  if (outline === null) return null;
  const lines = [
    ...outline.assumptions.map((text) => plainLine(quoteWords(text, 220), { note: 'assumed' })),
    ...outline.risks.map(({ text, sign }) =>
      plainLine(quoteWords(text, 220), { quotes: quote('Watch for', sign, 160) }),
    ),
  ];
  return makeSection('risks', 'Risks and assumptions', lines, 3);
}

export function viewOutline(facts: SessionCardFacts): (Section | null)[] {
  return [viewTree(facts), viewAssumptions(facts)];
}

/** Null if the card shows all. */
export function viewOutlineDetails(facts: SessionCardFacts): Details | null {
  if (facts.outline === null || (viewTree(facts)?.hidden ?? 0) === 0) return null;
  const { shown, least } = withoutGoal(placeNodes(facts.outline.nodes));
  const tree = { facts, least, numbers: numbersOf(shown) };
  return {
    title: `All ${countOf(shown.length, 'part')}`,
    lines: shown.slice(0, maxDetails).map((one) => lineOf(one, false, tree)),
    more: Math.max(0, shown.length - maxDetails),
  };
}

const maxWaves = 8;
const maxBeside = 4;

/** Phases and goals have no place in the order. */
function titlesOf({ outline }: SessionCardFacts): (id: string) => string | null {
  const nodes = outline?.nodes ?? [];
  const parents = new Set(nodes.map(({ parent }) => parent));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return (id) => {
    const node = byId.get(id);
    if (node === undefined) return quoteName(id, 120);
    return parents.has(id) && node.steps.length === 0 ? null : showTitle(node.title, 120);
  };
}

function wavesOf(facts: SessionCardFacts): { titles: string[]; waits: string[] }[] {
  const { waves = [], edges = [] } = facts.roadmap ?? {};
  const titleOf = titlesOf(facts);
  const names = new Map(facts.outline?.nodes.map(({ id, title }) => [id, title]));
  const nameOf = (id: string) => showTitle(names.get(id) ?? id, 60);
  const found = waves.map((wave) => ({
    titles: wave.map(titleOf).filter((title) => title !== null),
    waits: wave.flatMap((id) =>
      waitsOf(
        edges.flatMap(({ from, to, ...edge }) => (to === id ? [{ ...edge, id: from }] : [])),
        nameOf,
      ),
    ),
  }));
  return found.filter(({ titles }) => titles.length > 0);
}

function viewOrder(facts: SessionCardFacts): Section | null {
  const lines = wavesOf(facts).map(({ titles, waits }, at): Line => {
    const parallel = titles.slice(0, maxBeside).join('  ∥  ');
    const notes = [andMore(titles.length - maxBeside), ...waits].filter((note) => note !== '');
    return plainLine(parallel, { lead: `${at + 1}`, note: notes.join(' · ') });
  });
  return makeSection('order', 'Order', lines, maxWaves);
}

/** Above, working and clock time have no sum. */
const longestSum = 480;

function describeMetrics(metrics: RoadmapMetrics, hasWork: boolean): string[] {
  const { makespan_minutes: minutes, width } = metrics;
  const isSum = minutes > 0 && !(hasWork && minutes > longestSum);
  return [
    ...(isSum ? [`about ${formatDuration(minutes * 60_000)}`] : []),
    width < 2 ? 'one at a time' : `${width} at once`,
    ...describeRisks(metrics),
  ];
}

function viewWays({ roadmap, outline }: SessionCardFacts): Section | null {
  if (roadmap === null) return null;
  const steps = outline?.nodes.flatMap((node) => node.steps) ?? [];
  const hasWork = steps.some(
    ({ tool, duration, duration_minutes = 0 }) =>
      tool === 'human' && duration_minutes > 0 && !isByClock(duration),
  );
  const lines = roadmap.options_tried.map(({ name, differs, metrics }) => {
    const taken = name === roadmap.chosen;
    return plainLine(`${showTitle(nameWay(name), 60)}${taken ? ' (chosen)' : ''}`, {
      lead: taken ? '●' : '○',
      note: describeMetrics(metrics, hasWork).join(' · '),
      quotes: quote('Differs', differs, 240),
    });
  });
  return makeSection('ways', lines.length > 1 ? 'Options compared' : 'Only option', lines, 3);
}

function viewReason({ roadmap }: SessionCardFacts): Section | null {
  if (roadmap === null) return null;
  return makeSection('options', 'Why', [plainLine(quoteWords(roadmap.reason, 400))], 1);
}

export function viewRoadmap(facts: SessionCardFacts): (Section | null)[] {
  return [viewOrder(facts), viewWays(facts), viewReason(facts)];
}

/** Null if the card shows all. */
export function viewRoadmapDetails(facts: SessionCardFacts): Details | null {
  const waves = wavesOf(facts);
  if (waves.length <= maxWaves && waves.every(({ titles }) => titles.length <= maxBeside)) {
    return null;
  }
  const lines = waves.flatMap(({ titles }, at) =>
    titles.map((title) => plainLine(title, { lead: `${at + 1}` })),
  );
  return {
    title: 'Full order',
    lines: lines.slice(0, maxDetails),
    more: Math.max(0, lines.length - maxDetails),
  };
}
