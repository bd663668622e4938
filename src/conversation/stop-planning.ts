// Stops a run's planner; its result no longer counts.
import { refusalWords } from '#cards/decision-words.ts';
import { writeMessage } from '#cards/message-text.ts';
import { recordAudit } from '#db/audit/audit.ts';
import type { Commit } from '#db/database.ts';
import { lockRun, readRun, updateRun } from '#db/planning/runs.ts';
import { lockPlan } from '#db/plans/plans.ts';
import type { MessageParts } from '#domain/chat/message-parts.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import type { ConversationContext } from '#messages/context.ts';
import { refreshUserGroups } from '#plans/authority/members.ts';
import { giveBack } from '#plans/decisions/keep.ts';
import { decide } from '#plans/lifecycle/decide.ts';
import { nextRunStatus, tellGivenBack, waitsAgain } from '#runs/run-table.ts';
import { endTurn } from '#runs/start-run.ts';
import { requireDecider } from './session-decisions.ts';

const says: MessageParts = { kind: 'notice', facts: { code: 'planning_stopped' }, action: null };

/**
 * For the session's deciders.
 * @param turn null for the current one
 * @returns a commit that yields the reply
 * @throws `not_allowed`, `invalid_transition` if the turn has ended
 */
export async function stopPlanning(
  context: ConversationContext,
  runId: string,
  turn: number | null,
  actor: Actor,
): Promise<Commit<MessageParts>> {
  await refreshUserGroups(context, await readRun(context.db.query, runId));
  const commit = await decide(context.db, {
    // Plans before runs, as everywhere.
    async lock(tx) {
      const { plan_id } = await readRun(tx, runId);
      const plan = plan_id === null ? null : await lockPlan(tx, plan_id);
      return { plan, run: await lockRun(tx, runId) };
    },
    requireAllowed: (q, { run }) => requireDecider(q, context, run, actor),
    isRepeated: async () => false,
    async requireCurrent(_, { run }) {
      if (run.planning_status !== 'running' || (turn ?? run.turn) !== run.turn)
        throw new CountersignError('invalid_transition', refusalWords.nothingPlanned);
    },
    async apply(tx, { plan, run }) {
      const text = writeMessage(says, '');
      const kept = plan !== null && (await giveBack(context, tx, plan, { actor, reason: text }));
      await updateRun(tx, runId, {
        planning_status: nextRunStatus(run.planning_status, 'stop'),
        response_text: text,
        response_message: null,
        escalate_reason: text,
        pause: null,
        ...(kept ? waitsAgain(run) : {}),
      });
      const data = { run: runId, turn: run.turn };
      const planId = plan?.id ?? null;
      await recordAudit(tx, [{ planId, actor, action: 'stop_planning', data }]);
      await endTurn(tx, run);
      if (kept) await tellGivenBack(context, tx, run, plan);
    },
  });
  return async (tx) => {
    await commit(tx);
    return says;
  };
}
