// A real controller with a scripted reasoner.
import { type Clock, systemClock } from '#domain/clock.ts';
import type { Planner } from '#domain/planning/run.ts';
import { StrategyProfile } from '#domain/planning/schedule.ts';
import type { Stage, StageEvent } from '#domain/planning/stages.ts';
import type { PlanningState } from '#domain/planning/state.ts';
import type { JsonObject } from '#domain/text.ts';
import type { Checkpoints } from '#planner/controller/checkpoints.ts';
import { type ControllerOptions, createController } from '#planner/controller/controller.ts';
import type { Reasoner, StageTask } from '#planner/reasoner.ts';
import { createToolset } from '#planner/tools/registry.ts';
import { keepInMemory } from '../../../fixtures/memory-planner.ts';
import { builtins, toolsOf } from '../manifest.ts';
import { limits } from '../planners.ts';

export type Act = (task: StageTask, time: number) => Promise<StageEvent>;
export type Acts = Partial<Record<Stage, Act>>;

/** @param otherwise the stage's end if the call names none */
export function calling(name: string, args: JsonObject, otherwise: StageEvent = 'drafted'): Act {
  return async ({ stageTools, signal }) => {
    const { result, ends } = await stageTools.call(name, args, signal);
    if (!result.ok) throw new Error(`${name} failed: ${result.explanations.join(' ')}`);
    return ends ?? otherwise;
  };
}

type Proposal = { steps: JsonObject[] } & JsonObject;

export function proposing({ steps, ...about }: Proposal): Act {
  return async (task, time) => {
    const { stageTools, signal, state } = task;
    const ids = state.outline?.nodes.flatMap((node) => node.steps.map(({ id = '' }) => id)) ?? [];
    if (ids.length > 0) await stageTools.call('remove_steps', { ids }, signal);
    const { result } = await stageTools.call('add_steps', { steps }, signal);
    if (!result.ok) throw new Error(`add_steps failed: ${result.explanations.join(' ')}`);
    return calling('submit_plan', about)(task, time);
  };
}

export function notes(...paths: string[]) {
  return {
    title: 'Notes',
    summary: 'The notes exist.',
    steps: paths.map((path, index) => ({
      id: String(index + 1),
      description: `Write ${path}`,
      tool: 'workspace',
      operation: 'write',
      args: JSON.stringify({ path, content: 'x' }),
      after: [],
    })),
    risks: [],
    confidence: 0.9,
  };
}

export const takesMilestones = calling('select_pattern', {
  pattern_type: 'milestone_project',
  subtype: null,
  variant: null,
  source_pattern: null,
  rfc: null,
  confidence: 0.9,
});

export const routesTo = (stage: string) =>
  calling('route_change', { stage, reason: 'as scripted' });

export type Scripted = {
  planner: Planner;
  checkpoints: Checkpoints;
  asked: Stage[];
  stored: PlanningState[];
};

export function script(
  acts: Acts,
  more: Partial<ControllerOptions> & { clock?: Clock } = {},
): Scripted {
  const asked: Stage[] = [];
  const stored: PlanningState[] = [];
  const inMemory = keepInMemory();
  const checkpoints: Checkpoints = {
    read: inMemory.read,
    async append(state, transition, seq) {
      const next = await inMemory.append(state, transition, seq);
      if (next !== null) stored.push(structuredClone(state));
      return next;
    },
  };
  const times = new Map<Stage, number>();
  const reasoner: Reasoner = {
    name: 'scripted',
    model: null,
    fill(task) {
      const time = (times.get(task.stage) ?? 0) + 1;
      times.set(task.stage, time);
      asked.push(task.stage);
      const act =
        acts[task.stage] ?? (task.stage === 'SEEK_APPROVAL' ? routesTo('outline') : undefined);
      if (act === undefined) throw new Error(`nothing is scripted for ${task.stage}`);
      return act(task, time);
    },
  };
  const tools = toolsOf(builtins);
  const planner = createController({
    reasoner,
    tools,
    toolset: createToolset({
      tools,
      otherPlans: () => Promise.resolve({ blocks: [], more: false }),
      preferences: {
        isKnown: () => Promise.resolve(true),
        isBusy: () => Promise.resolve(true),
        claim: () => Promise.resolve(false),
      },
      guarded: [],
    }),
    checkpoints,
    rememberFor: () => async (_, __, make) => ({ outcome: await make(), remembered: false }),
    readCost: () => Promise.resolve(null),
    limits,
    thresholds: { continue: 0.7, escalate: 0.4 },
    settings: {
      allowNewSubtypes: true,
      requireRfcForNewSubtype: true,
      profile: StrategyProfile.parse({}),
    },
    clock: systemClock,
    ...more,
  });
  return { planner, checkpoints, asked, stored };
}
