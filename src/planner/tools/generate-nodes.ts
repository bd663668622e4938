// generate_nodes: parses, checks and compares a written outline.
import { canonicalPattern } from '#domain/plan/pattern.ts';
import type { OutlineNode, PlanOutline } from '#domain/planning/outline.ts';
import type { Adaptation } from '#domain/planning/trace.ts';
import { countOf } from '#domain/words.ts';
import { defineTool } from '../define-tool.ts';
import { checkDraft, checkPosts, pinPosts } from '../draft/check-draft.ts';
import { compareOutlines, whoseChange } from '../outline/compare-outlines.ts';
import { applyFixes } from '../outline/fix.ts';
import type { Fix } from '../outline/fix-kinds.ts';
import { keepIds } from '../outline/keep-ids.ts';
import { deepest, readTree, setLevels } from '../outline/outline-tree.ts';
import {
  readNodes,
  readPreferences,
  readRisks,
  readTexts,
  ShownOutline,
  WrittenOutline,
} from '../outline/written-outline.ts';
import { fitOutline, usePattern } from '../patterns/fit.ts';
import { fail, succeed, type ToolContext } from '../tool.ts';

export const generateNodes = defineTool({
  name: 'generate_nodes',
  description: 'Drafts the outline, after "select_pattern", which tells its fields.',
  input: WrittenOutline,
  shown: ShownOutline,
  stages: ['DRAFT_OUTLINE'],
  prerequisites: ['pattern'],
  produces: ['outline'],
  revision: 1,
  async execute(input, toolContext) {
    const { state, tools, now, settings } = toolContext;
    const pattern = usePattern(toolContext);
    if ('refused' in pattern) return { result: fail(pattern.refused) };
    if (input.title.trim() === '' || input.summary.trim() === '')
      return { result: fail('The outline needs a title and a summary.') };
    const read = readNodes(input, tools.manifest(), state.timezone, now, settings.profile);
    if ('problems' in read) return { result: fail(...read.problems) };
    const steps = read.nodes.flatMap((node) => node.steps);
    const problems = await checkDraft({ title: input.title, steps }, tools);
    if (problems.length === 0) problems.push(...(await checkPosts(steps, toolContext)).values());
    if (problems.length > 0) return { result: fail(...problems) };
    const nodes = await pinPosts(read.nodes, toolContext);

    const previous = state.outline?.nodes ?? null;
    const who = whoseChange(state, previous);
    const drafted: PlanOutline = {
      title: input.title.trim().slice(0, 300),
      summary: input.summary.trim().slice(0, 1000),
      pattern: pattern.spec,
      nodes: markOrigins(previous ?? [], previous === null ? nodes : keepIds(previous, nodes), who),
      risks: readRisks(input.risks),
      assumptions: readTexts(input.assumptions),
      ...(state.outline?.preferences === undefined
        ? {}
        : { preferences: state.outline.preferences }),
      ...readPreferences(input.preferences),
      ...(state.outline?.context === undefined ? {} : { context: state.outline.context }),
    };
    const limited = limitLevels(drafted, levelsAllowed(toolContext, previous));
    const outline = { ...limited.outline, nodes: setLevels(limited.outline.nodes) };
    const changed =
      previous === null
        ? []
        : compareOutlines(previous, outline.nodes, {
            introduced_by: who === 'system' ? 'ai_adaptation' : who,
            why: state.change?.feedback ?? state.hints[0] ?? 'The outline was drafted again.',
          });
    const self = Number.isFinite(input.confidence)
      ? Math.min(1, Math.max(0, input.confidence))
      : null;
    const count = `${countOf(outline.nodes.length, 'node')} and ${countOf(steps.length, 'step')} are drafted.`;
    const flattened = limited.adaptations.map(({ why }) => why).slice(0, 1);
    return {
      result: { ...succeed(null, count, ...pattern.notes, ...flattened), confidence: self ?? 1 },
      changes: { outline, ...(pattern.spec === state.pattern ? {} : { pattern: pattern.spec }) },
      adaptations: [...changed, ...limited.adaptations],
      self,
      heuristics: judge(outline, limited.adaptations),
      ends: 'drafted',
    };
  },
});

/** Existing nodes keep their origin. */
function markOrigins(
  previous: OutlineNode[],
  next: OutlineNode[],
  origin: OutlineNode['origin'],
): OutlineNode[] {
  const origins = new Map(previous.map((node) => [node.id, node.origin]));
  return next.map((node) => ({ ...node, origin: origins.get(node.id) ?? origin }));
}

/** A changed outline may stay as deep as it was. */
function levelsAllowed({ modes }: ToolContext, previous: OutlineNode[] | null): number {
  const had = previous === null ? 1 : readTree(previous).depths.reduce((a, b) => Math.max(a, b), 1);
  return Math.max(levelsWanted(modes.reasoning_level), had);
}

/** By pattern fit, steps per node, and flattening. */
function judge(outline: PlanOutline, flattened: Adaptation[]): number {
  const fit = fitOutline(outline, canonicalPattern(outline.pattern));
  const tasks = outline.nodes.filter(({ steps }) => steps.length > 0);
  const small = tasks.filter(({ steps }) => steps.length <= 5).length / Math.max(1, tasks.length);
  return 0.6 * fit + 0.2 * small + 0.2 * (flattened.length === 0 ? 1 : 0.5);
}

/** From goal and tasks (0) to any depth (10). */
function levelsWanted(reasoningLevel: number): number {
  if (reasoningLevel <= 1) return 2;
  if (reasoningLevel <= 2) return 3;
  return reasoningLevel < 7 ? 4 : deepest;
}

function limitLevels(
  outline: PlanOutline,
  levels: number,
): { outline: PlanOutline; adaptations: Adaptation[] } {
  const { nodes, depths, children } = readTree(outline.nodes);
  const why = `More than ${levels} levels are finer than was asked for.`;
  const fixes = nodes.flatMap(({ id }, index): Fix[] =>
    depths[index] === levels && (children[index]?.length ?? 0) > 0
      ? [{ do: 'flatten', code: 'too_deep', why, node: id }]
      : [],
  );
  return fixes.length === 0 ? { outline, adaptations: [] } : applyFixes(outline, fixes);
}
