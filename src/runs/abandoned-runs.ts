// Runs whose planner died: retried while that helps, then ended.
import { writeMessage } from '#cards/message-text.ts';
import { findAbandonedRuns, lockRun, readRun, updateRun } from '#db/planning/runs.ts';
import { lockPlan } from '#db/plans/plans.ts';
import type { MessageParts } from '#domain/chat/message-parts.ts';
import { system } from '#domain/people/actor.ts';
import type { ConversationContext } from '#messages/context.ts';
import { speakAsBot } from '#messages/store-message.ts';
import { giveBack } from '#plans/decisions/keep.ts';
import { nextRunStatus, tellGivenBack, waitsAgain } from './run-table.ts';
import { queuePlanning } from './start-run.ts';

const runsATurn = 50;
/** pg-boss has retried by then. */
const graceSeconds = 30;
const maxTries = 3;

/** One round. A live planner is not disturbed: the first outcome of a turn counts. */
export async function retryAbandonedRuns(context: ConversationContext): Promise<void> {
  const { db, planningSeconds } = context;
  const patience = planningSeconds + graceSeconds;
  for (const { id, turn } of await findAbandonedRuns(db.query, patience, runsATurn)) {
    await db.transaction(async (tx) => {
      // Plans before runs, as everywhere.
      const { plan_id } = await readRun(tx, id);
      const plan = plan_id === null ? null : await lockPlan(tx, plan_id);
      const run = await lockRun(tx, id);
      if (run.turn !== turn || run.planning_status !== 'running') return;
      if (run.tries >= maxTries) {
        const says: MessageParts = {
          kind: 'notice',
          facts: { code: 'planning_abandoned' },
          action: null,
        };
        const text = writeMessage(says, '');
        const by = { actor: system, reason: text };
        const kept = plan !== null && (await giveBack(context, tx, plan, by));
        await updateRun(tx, id, {
          planning_status: nextRunStatus(run.planning_status, 'give_up'),
          response_text: text,
          escalate_reason: text,
          ...(kept ? waitsAgain(run) : {}),
        });
        await speakAsBot(context, tx, {
          conversation: run.conversation,
          says,
          runId: id,
          once: `${id}:${turn}`,
        });
        if (kept) await tellGivenBack(context, tx, run, plan);
        return;
      }
      await updateRun(tx, id, { tries: run.tries + 1 });
      await queuePlanning(context, tx, run);
    });
  }
}
