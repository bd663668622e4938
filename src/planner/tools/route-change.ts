// route_change: which artifact feedback concerns.
import { z } from 'zod';
import { Gate, type StageEvent } from '#domain/planning/stages.ts';
import type { Pause } from '#domain/planning/state.ts';
import { defineTool } from '../define-tool.ts';
import { fail, succeed, type ToolContext, type ToolOutcome } from '../tool.ts';

const RouteChange = z.strictObject({
  stage: Gate.describe('outline: also words and values of steps; of several, the first'),
  reason: z.string().describe('Why, in a few words.'),
});

const order: Gate[] = ['outline', 'roadmap', 'schedule'];

/** Never an artifact after the shown one. */
function gateShown(pause: Pause | null): Gate {
  return pause?.gate ?? 'schedule';
}

const changeEvents: Record<Gate, StageEvent> = {
  outline: 'change_outline',
  roadmap: 'change_roadmap',
  schedule: 'change_schedule',
};

function route(
  { stage, reason }: z.infer<typeof RouteChange>,
  { state }: ToolContext,
): ToolOutcome {
  const { change, pause } = state;
  if (change === null) return { result: fail('Nobody has asked for a change.') };
  const shown = gateShown(pause);
  const gate = order.indexOf(stage) <= order.indexOf(shown) ? stage : shown;
  return {
    result: succeed({ stage, gate }, reason.slice(0, 300)),
    changes: {
      pause: null,
      result: null,
      // Unchanged artifacts stay approved by digest.
      change: { ...change, gate },
    },
    ends: changeEvents[gate],
  };
}

export const routeChange = defineTool({
  name: 'route_change',
  description:
    'Says which part of the plan the feedback concerns. Call it once; drafting comes next.',
  input: RouteChange,
  stages: ['SEEK_APPROVAL'],
  hidden: true,
  execute: async (input, toolContext) => route(input, toolContext),
});
