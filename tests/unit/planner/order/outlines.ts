import type { PlanDraft } from '#domain/plan/plan.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import { OutlineNode, type PlanOutline } from '#domain/planning/outline.ts';
import type { RoadmapEdge } from '#domain/planning/roadmap.ts';
import type { OperationSpec } from '#domain/tool.ts';
import type { ToolContext } from '#planner/tool.ts';
import { builtins, toolsOf } from '../manifest.ts';
import { type DeskInput, makeDesk } from '../tools/tool-context.ts';

type NodeInput = Omit<Partial<OutlineNode>, 'id' | 'after'> & {
  after?: (string | OutlineNode['after'][number])[];
};

export function node(id: string, more: NodeInput = {}): OutlineNode {
  const { after = [], ...rest } = more;
  return OutlineNode.parse({
    id,
    parent: 'goal',
    title: `Part ${id}`,
    structure: 'task',
    level: 2,
    ...rest,
    after: after.map((entry) => (typeof entry === 'string' ? { id: entry } : entry)),
  });
}

export const goal = node('goal', { parent: null, structure: 'goal', level: 1, title: 'All of it' });

export function outlineOf(nodes: OutlineNode[], more: Partial<PlanOutline> = {}): PlanOutline {
  return {
    title: 'A plan',
    summary: 'It is done.',
    pattern: { pattern_type: 'milestone_project', introduced_by: 'system' },
    nodes: [goal, ...nodes],
    risks: [],
    assumptions: [],
    ...more,
  };
}

export function write(id: string, more: Partial<StepDraft> = {}): StepDraft {
  return {
    id,
    description: `Create ${id}.txt`,
    tool: 'workspace',
    operation: 'write',
    args: { path: `${id}.txt`, content: id },
    ...more,
  };
}

export function read(id: string, more: Partial<StepDraft> = {}): StepDraft {
  return {
    ...write(id),
    description: `Read ${id}.txt`,
    operation: 'read',
    args: { path: `${id}.txt` },
    ...more,
  };
}

export function remove(id: string, more: Partial<StepDraft> = {}): StepDraft {
  return {
    ...write(id),
    description: `Delete ${id}.txt`,
    operation: 'delete',
    args: { path: `${id}.txt` },
    ...more,
  };
}

export function task(id: string, more: NodeInput = {}): OutlineNode {
  return node(id, { steps: [write(id)], ...more });
}

export function phase(id: string, more: NodeInput = {}): OutlineNode {
  return node(id, { structure: 'phase', ...more });
}

export function flatOutline(draft: Pick<PlanDraft, 'title' | 'steps'>): PlanOutline {
  const nodes = draft.steps.map((step, at) => {
    const { after = [], ...rest } = step;
    const id = step.id ?? String(at + 1);
    return node(id, { title: step.description, steps: [{ ...rest, id }], after });
  });
  return outlineOf(nodes, { title: draft.title });
}

export function edge(from: string, to: string, more: Partial<RoadmapEdge> = {}): RoadmapEdge {
  return { from, to, type: 'FS', lag_minutes: 0, why: 'stated', ...more };
}

/** `a → b` per edge, with unusual types and lags. */
export function sayEdges(edges: Omit<RoadmapEdge, 'why'>[]): string[] {
  return edges.map(({ from, to, type, lag_minutes }) => {
    const lag = lag_minutes === 0 ? '' : lag_minutes > 0 ? `+${lag_minutes}` : `${lag_minutes}`;
    return `${from} ${type === 'FS' && lag === '' ? '→' : `${type}${lag} →`} ${to}`;
  });
}

export function deskOf(
  outline: PlanOutline,
  { state, manifest = builtins, ...rest }: DeskInput & { manifest?: OperationSpec[] } = {},
): ToolContext {
  const now = new Date('2026-03-02T08:00:00.000Z');
  const about = { pattern: outline.pattern, outline, ...state };
  return makeDesk({
    state: { stage: 'DRAFT_ROADMAP', now: now.toISOString(), timezone: 'Europe/Berlin', ...about },
    ...{ request: 'Do all of it.', tools: toolsOf(manifest), now },
    ...rest,
  });
}
