// A deciding word is written down with what it did, or with why it was refused.
import { CountersignError } from '#contracts/errors.ts';
import { joinedSilentMs, joinTransaction, type Transaction } from '#store/database.ts';
import { noteFeedbackMessage } from '#store/runs.ts';
import type { ConversationContext } from '../conversation-context.ts';
import { hearPerson } from '../hear-person.ts';
import { speakAsBot } from '../speak.ts';
import type { Saying } from './saying.ts';
import type { Subject } from './subject.ts';

/** Something the bot says about the subject. */
async function answer(
  context: ConversationContext,
  tx: Transaction,
  { conversation, runId, shown }: Subject,
  text: string,
): Promise<void> {
  await speakAsBot(context, tx, { conversation, says: text, runId, planId: shown?.id ?? null });
}

/**
 * Writes a deciding word down and carries it out, both or neither: whoever is ended in between can be told it again.
 * @param aloud whether a refusal is said in the conversation as well
 * @returns why it was refused; null: it was not
 * @throws what passes by itself, and then nothing is written down
 */
export function hearDecision(
  context: ConversationContext,
  subject: Subject,
  { text, actor, once }: Saying,
  aloud: (refusal: CountersignError) => boolean,
  deed: (joined: ConversationContext) => Promise<string | null>,
): Promise<CountersignError | null> {
  const { conversation, runId } = subject;
  return context.db.transaction(
    async (tx) => {
      const joined = { ...context, db: joinTransaction(context.db, tx) };
      let refusal: CountersignError | null = null;
      let words: string | null = null;
      try {
        words = await joined.db.transaction(() => deed(joined));
      } catch (error) {
        if (!(error instanceof CountersignError) || error.passesAfterMs !== null) throw error;
        refusal = error;
        words = aloud(error) ? error.message : null;
      }
      // The plan and its run are locked before the conversation is, as everywhere.
      const message = await hearPerson(tx, { conversation, name: actor.id, text, runId, once });
      if (runId !== null) await noteFeedbackMessage(tx, runId, message);
      if (words !== null) await answer(context, tx, subject, words);
      return refusal;
    },
    { silentMs: joinedSilentMs },
  );
}
