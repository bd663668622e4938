// Memoises tool outcomes within a turn: a planner that takes over sees the same results, asks its model the same and pays for
// nothing twice.
import { z } from 'zod';
import type { Queryable } from '#db/database.ts';
import { StageEvent } from '#domain/planning/stages.ts';
import { PlanningState, SessionRead } from '#domain/planning/state.ts';
import { Adaptation, Violation } from '#domain/planning/trace.ts';
import type { JsonObject } from '#domain/text.ts';
import { type ToolContext, type ToolOutcome, ToolResult } from '../tool.ts';
import { memoKey, remember } from './memo.ts';

const { shape } = PlanningState;

// Defaults are taken off: a change that is not there must not become one.
const StateChanges = z.strictObject({
  pattern: shape.pattern.unwrap().exactOptional(),
  rfc: shape.rfc.unwrap().exactOptional(),
  outline: shape.outline.unwrap().exactOptional(),
  roadmap: shape.roadmap.unwrap().exactOptional(),
  schedule: shape.schedule.unwrap().exactOptional(),
  portfolio: shape.portfolio.unwrap().exactOptional(),
  approvals: shape.approvals.unwrap().exactOptional(),
  change: shape.change.unwrap().exactOptional(),
  hints: shape.hints.unwrap().exactOptional(),
  assumed: shape.assumed.unwrap().exactOptional(),
  offered: shape.offered.unwrap().exactOptional(),
  questions_asked: shape.questions_asked.unwrap().exactOptional(),
  pause: shape.pause.unwrap().exactOptional(),
  result: shape.result.unwrap().exactOptional(),
  reason: shape.reason.unwrap().exactOptional(),
  wish: shape.wish,
  memory: shape.memory,
});

const StoredOutcome: z.ZodType<ToolOutcome> = z.strictObject({
  result: ToolResult,
  changes: StateChanges.exactOptional(),
  read: SessionRead.exactOptional(),
  violations: z.array(Violation).exactOptional(),
  adaptations: z.array(Adaptation).exactOptional(),
  self: z.number().nullable().exactOptional(),
  heuristics: z.number().exactOptional(),
  ends: StageEvent.exactOptional(),
});

/**
 * What a tool can see of the session; how it came there, what it cost and how long it took is no input. Neither is what was
 * read: reads that run at once end in any order.
 */
function inputsOf(
  args: JsonObject,
  toolContext: RememberedContext,
  state: Readonly<PlanningState>,
) {
  const { trace: _, calls: __, cost_usd: ___, confidence: ____, reads: _____, ...seen } = state;
  const { modes, request, user, ownWords, settings, now } = toolContext;
  return { args, state: seen, modes, request, user, ownWords, settings, now: now.toISOString() };
}

type RememberedContext = Pick<
  ToolContext,
  'modes' | 'request' | 'user' | 'ownWords' | 'settings' | 'now' | 'policy'
>;

/**
 * Remembers the outcomes of tools that succeed, for one turn of one run.
 * @param readState the session as the next call finds it
 */
export function createRemember(
  db: Queryable,
  place: { runId: string; turn: number },
  toolContext: RememberedContext,
  readState: () => Readonly<PlanningState>,
) {
  return async (
    tool: { name: string; revision: number },
    args: JsonObject,
    make: () => Promise<ToolOutcome>,
  ): Promise<{ outcome: ToolOutcome; remembered: boolean }> => {
    const key = memoKey({
      kind: tool.name,
      version: tool.revision,
      inputs: inputsOf(args, toolContext, readState()),
      policy: toolContext.policy,
      scope: place,
    });
    const { value, remembered } = await remember(
      db,
      {
        key,
        kind: tool.name,
        runId: place.runId,
        schema: StoredOutcome,
        keep: ({ result }) => result.ok,
      },
      make,
    );
    return { outcome: value, remembered };
  };
}
