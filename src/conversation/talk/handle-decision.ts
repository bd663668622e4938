// Stores a deciding word together with its effect, or with the reason for its refusal.
import { type Commit, joinTransaction, type Transaction } from '#db/database.ts';
import { noteFeedbackMessage } from '#db/planning/runs.ts';
import { CountersignError } from '#domain/errors.ts';
import type { ConversationContext } from '#messages/context.ts';
import { speakAsBot } from '#messages/speak.ts';
import { storePersonMessage } from '#messages/store-person-message.ts';
import type { Reply } from './reply.ts';
import type { Subject } from './subject.ts';

/** A reply about the subject. A plan in the making has no card. */
async function answer(
  context: ConversationContext,
  tx: Transaction,
  { conversation, runId, planning, shown }: Subject,
  text: string,
): Promise<void> {
  const about = { runId: planning ? null : runId, planId: shown?.id ?? null };
  await speakAsBot(context, tx, { conversation, says: text, ...about });
}

/** @returns a refusal to report. @throws anything else: transient, or our error */
function refusalIn(error: unknown): CountersignError {
  if (error instanceof CountersignError && error.passesAfterMs === null) return error;
  throw error;
}

/**
 * Stores and applies a deciding word atomically, so that it can be repeated after a crash.
 * @param aloud whether a refusal is also posted in the conversation
 * @param check runs first, outside any transaction. @returns the commit, which returns the reply or null
 * @returns the refusal, or null
 * @throws transient errors, storing nothing
 */
export async function handleDecision(
  context: ConversationContext,
  subject: Subject,
  { text, actor, once }: Reply,
  aloud: (refusal: CountersignError) => boolean,
  check: () => Promise<Commit<string | null>>,
): Promise<CountersignError | null> {
  const { db } = context;
  const { conversation, runId } = subject;
  const checked = await check().catch(refusalIn);
  return db.transaction(async (tx) => {
    const done =
      checked instanceof CountersignError
        ? checked
        : await joinTransaction(db, tx).transaction(checked).catch(refusalIn);
    const refusal = done instanceof CountersignError ? done : null;
    const words = done instanceof CountersignError ? (aloud(done) ? done.message : null) : done;
    // Plan and run are locked before the conversation, as everywhere.
    const message = await storePersonMessage(tx, { conversation, actor, text, runId, once });
    if (runId !== null) await noteFeedbackMessage(tx, runId, message);
    if (words !== null) await answer(context, tx, subject, words);
    return refusal;
  });
}
