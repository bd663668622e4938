// Shared parts of tools that edit the draft.
import { parseInSlices } from '#domain/parse-in-slices.ts';
import { PlanOutline } from '#domain/planning/outline.ts';
import { countOf, onOneLine } from '#domain/words.ts';
import { describeChangedTimes } from '../draft/draft-times.ts';
import { type Edited, emptyOutline } from '../draft/edit-draft.ts';
import { compareOutlines, whoseChange } from '../outline/compare-outlines.ts';
import { findHuman, measureLengths } from '../outline/written-steps.ts';
import {
  fail,
  succeed,
  type Tool,
  type ToolContext,
  type ToolOutcome,
  type ToolResult,
} from '../tool.ts';

const maxProblems = 20;

export const draftDefaults = {
  prerequisites: ['draft'],
  produces: ['draft'],
} satisfies Partial<Tool>;

export function openDraft({ state, request }: Pick<ToolContext, 'state' | 'request'>): PlanOutline {
  const title = onOneLine(request, 200) || 'Plan';
  return (
    state.outline ??
    emptyOutline(
      title,
      state.pattern ?? { pattern_type: 'milestone_project', introduced_by: 'system' },
    )
  );
}

export function countSteps(outline: PlanOutline | null): number {
  return outline?.nodes.reduce((sum, { steps }) => sum + steps.length, 0) ?? 0;
}

/** Keeps changes for the trace. */
export async function keepEdit(
  edited: Edited,
  toolContext: ToolContext,
  text: string,
  problems: string[] = [],
): Promise<ToolOutcome> {
  if ('problems' in edited)
    return { result: fail(...[...problems, ...edited.problems].slice(0, maxProblems)) };
  const { state, tools, settings } = toolContext;
  const asksPerson = findHuman(tools.manifest());
  const measured = measureLengths(edited.outline.nodes, asksPerson, settings.profile);
  if (measured.problems.length > 0)
    return { result: fail('Nothing was changed.', ...measured.problems.slice(0, maxProblems)) };
  // Must satisfy the schema it is read with.
  const parsed = await parseInSlices(PlanOutline, { ...edited.outline, nodes: measured.nodes });
  if (!parsed.success)
    return {
      result: fail(
        'Nothing was changed.',
        ...parsed.error.issues
          .slice(0, maxProblems)
          .map(({ path, message }) => `${path.join('.')}: ${message}.`),
      ),
    };
  const outline = { ...edited.outline, nodes: measured.nodes };
  const times = describeChangedTimes(state.outline?.nodes ?? [], outline, toolContext);
  const count = countSteps(outline);
  const holds = `The draft has ${countOf(count, 'step')} now.`;
  const who = whoseChange(state, state.outline?.nodes ?? null);
  const known = new Set(state.outline?.nodes.map(({ id }) => id));
  const nodes =
    who === 'system'
      ? outline.nodes
      : outline.nodes.map((node) => (known.has(node.id) ? node : { ...node, origin: who }));
  const adaptations =
    state.outline === null || who === 'system'
      ? []
      : compareOutlines(state.outline.nodes, nodes, {
          introduced_by: who,
          why: state.change?.feedback ?? state.hints[0] ?? text,
        });
  const result: ToolResult =
    problems.length === 0
      ? succeed(null, text, holds, ...times)
      : fail(text, holds, ...problems.slice(0, maxProblems), ...times);
  return {
    result,
    changes: { outline: { ...outline, nodes } },
    ...(adaptations.length > 0 ? { adaptations } : {}),
  };
}
