import { defaultPolicy, type InteractionPolicy } from '#domain/people/policy.ts';
import type { PlanOutline } from '#domain/planning/outline.ts';
import { PlanOutline as OutlineSchema } from '#domain/planning/outline.ts';
import { Roadmap, type RoadmapEdge } from '#domain/planning/roadmap.ts';
import { Schedule, StrategyProfile } from '#domain/planning/schedule.ts';
import { PlanningState } from '#domain/planning/state.ts';
import type { StateChanges, ToolContext } from '#planner/tool.ts';
import { builtins, toolsOf } from '../manifest.ts';

export const now = new Date('2026-05-04T10:00:00.000Z');

export function makeOutline(title = 'Launch'): PlanOutline {
  return OutlineSchema.parse({
    title,
    summary: 'The product is out',
    pattern: { pattern_type: 'milestone_project' },
    nodes: [
      { id: 'g', title, structure: 'goal', level: 1 },
      { id: 'p', parent: 'g', title: 'Prepare', structure: 'phase', level: 2 },
      { id: '1', parent: 'p', title: 'Design the page', structure: 'task', level: 3 },
      { id: '2', parent: 'p', title: 'Review with legal', structure: 'task', level: 3 },
    ],
  });
}

const metrics = {
  ...{ makespan_minutes: 60, width: 1 },
  ...{ unchecked_writes: 0, unguarded: 0, checkpoints: 0 },
};

export function roadmapOf(edges: Partial<RoadmapEdge>[], more: object = {}): Roadmap {
  return Roadmap.parse({
    ...{ pattern: { pattern_type: 'milestone_project' }, context: {}, waves: [] },
    edges: edges.map((one) => ({ type: 'FS', lag_minutes: 0, why: 'stated', ...one })),
    options_tried: [{ name: 'as said', differs: 'Only what was said', metrics, score: 0.8 }],
    ...{ chosen: 'as said', reason: 'It is what you said' },
    ...more,
  });
}

export const makeRoadmap = (chosen = 'as said') =>
  roadmapOf([{ from: '1', to: '2' }], {
    waves: [['1'], ['2']],
    options_tried: [
      { name: chosen, differs: 'Only what was said', metrics, score: 0.8 },
      { name: 'one at a time', differs: 'Nothing runs beside anything else', metrics, score: 0.5 },
    ],
    chosen,
  });

export function makeSchedule(): Schedule {
  return Schedule.parse({
    timezone: 'UTC',
    profile: {},
    blocks: [],
    starts_at: null,
    ends_at: null,
  });
}

export function makeState(changes: Partial<PlanningState> = {}): PlanningState {
  return {
    ...PlanningState.parse({
      thread_id: 'user_ana:new',
      run_id: 'run-1',
      turn: 1,
      stage: 'COLLECT_CONTEXT',
      now: now.toISOString(),
      timezone: 'UTC',
    }),
    ...changes,
  };
}

export type DeskInput = Partial<Omit<ToolContext, 'state' | 'policy'>> & {
  state?: Partial<PlanningState>;
  policy?: Partial<InteractionPolicy>;
};

export function makeDesk({ state, policy, ...more }: DeskInput = {}): ToolContext {
  return {
    state: makeState(state),
    policy: { ...defaultPolicy, ...policy },
    modes: { plan_reasoning_mode: 'normal', planning_mode: 'normal', reasoning_level: 3 },
    request: 'Plan the launch',
    user: 'ana',
    ownWords: true,
    ownMessages: [],
    tools: toolsOf(builtins),
    settings: {
      allowNewSubtypes: true,
      requireRfcForNewSubtype: true,
      profile: StrategyProfile.parse({}),
    },
    now,
    signal: new AbortController().signal,
    report: () => {},
    ...more,
  };
}

export function follow(toolContext: ToolContext, changes: StateChanges | undefined): ToolContext {
  return { ...toolContext, state: PlanningState.parse({ ...toolContext.state, ...changes }) };
}
