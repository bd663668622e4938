// Runs whose planner died: planned again while that helps, and finally ended with the reason.
import { writeMessage } from '#cards/message-text.ts';
import { findAbandonedRuns, lockRun, updateRun } from '#db/runs.ts';
import type { MessageParts } from '#domain/chat/message-parts.ts';
import type { ConversationContext } from '#messages/context.ts';
import { speakAsBot } from '#messages/speak.ts';
import { nextRunStatus } from './run-table.ts';
import { queuePlanning } from './start-run.ts';

const runsATurn = 50;
/** Beyond the planner's own time: pg-boss has tried again by then. */
const graceSeconds = 30;
const triesAtMost = 3;

/** One round. A planner that still is at it is not disturbed: its turn's outcome counts as long as no other came first. */
export async function retryAbandonedRuns(context: ConversationContext): Promise<void> {
  const { db, planningSeconds } = context;
  const patience = planningSeconds + graceSeconds;
  for (const { id, turn } of await findAbandonedRuns(db.query, patience, runsATurn)) {
    await db.transaction(async (tx) => {
      const run = await lockRun(tx, id);
      if (run.turn !== turn || run.planning_status !== 'running') return;
      if (run.tries >= triesAtMost) {
        const says: MessageParts = {
          kind: 'notice',
          facts: { code: 'planning_abandoned' },
          action: null,
        };
        const text = writeMessage(says, '');
        await updateRun(tx, id, {
          planning_status: nextRunStatus(run.planning_status, 'give_up'),
          response_text: text,
          escalate_reason: text,
        });
        await speakAsBot(context, tx, {
          conversation: run.conversation,
          says,
          runId: id,
          once: `${id}:${turn}`,
        });
        return;
      }
      await updateRun(tx, id, { tries: run.tries + 1 });
      await queuePlanning(context, tx, run);
    });
  }
}
