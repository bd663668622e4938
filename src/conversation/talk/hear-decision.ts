// Stores a deciding word together with its effect, or with the reason for its refusal.
import { type Commit, joinTransaction, type Transaction } from '#db/database.ts';
import { noteFeedbackMessage } from '#db/planning/runs.ts';
import { CountersignError } from '#domain/errors.ts';
import type { ConversationContext } from '#messages/context.ts';
import { hearPerson } from '#messages/hear-person.ts';
import { speakAsBot } from '#messages/speak.ts';
import type { Saying } from './saying.ts';
import type { Subject } from './subject.ts';

/** Something the bot says about the subject. What is being planned has no card. */
async function answer(
  context: ConversationContext,
  tx: Transaction,
  { conversation, runId, planning, shown }: Subject,
  text: string,
): Promise<void> {
  const about = { runId: planning ? null : runId, planId: shown?.id ?? null };
  await speakAsBot(context, tx, { conversation, says: text, ...about });
}

/** @returns a refusal that is to be told. @throws anything else: it passes by itself, or is an error of ours */
function refusalIn(error: unknown): CountersignError {
  if (error instanceof CountersignError && error.passesAfterMs === null) return error;
  throw error;
}

/**
 * Writes a deciding word down and carries it out, both or neither: if the process dies in between, the word can be said again.
 * @param aloud whether a refusal is said in the conversation as well
 * @param check done first, outside any transaction. @returns the commit, which returns what there is to say; null: nothing
 * @returns why the word was refused; null: it was not
 * @throws what passes by itself, and then nothing is written down
 */
export async function hearDecision(
  context: ConversationContext,
  subject: Subject,
  { text, actor, once }: Saying,
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
    // The plan and its run are locked before the conversation is, as everywhere.
    const message = await hearPerson(tx, { conversation, actor, text, runId, once });
    if (runId !== null) await noteFeedbackMessage(tx, runId, message);
    if (words !== null) await answer(context, tx, subject, words);
    return refusal;
  });
}
