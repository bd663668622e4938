// Stores a deciding word once, with its effect or refusal.
import { findMessage } from '#db/chat/messages.ts';
import { type Commit, joinTransaction, type Transaction } from '#db/database.ts';
import { noteFeedbackMessage, readRun } from '#db/planning/runs.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import type { RunRequest } from '#domain/planning/run.ts';
import type { ConversationContext } from '#messages/context.ts';
import { AlreadyHandled, speakAsBot, storePersonMessage } from '#messages/store-message.ts';
import { startRun } from '#runs/start-run.ts';
import type { Subject } from './decided-subject.ts';
import type { Reply } from './reply.ts';

/** A plan in the making has no card. */
async function answer(
  context: ConversationContext,
  tx: Transaction,
  { conversation, runId, planning, shown }: Subject,
  text: string,
): Promise<void> {
  const about = { runId: planning ? null : runId, planId: shown?.id ?? null };
  await speakAsBot(context, tx, { conversation, says: text, ...about });
}

/** @throws anything but a refusal */
function refusalIn(error: unknown): CountersignError {
  if (error instanceof CountersignError && error.passesAfterMs === null) return error;
  throw error;
}

/**
 * Atomic, so repeatable after a crash.
 * @param aloud also posts a refusal
 * @param check runs first, outside any transaction; its commit yields the reply or null
 * @returns the refusal or null
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
    // Plan and run before the conversation, as everywhere.
    const message = await storePersonMessage(tx, { conversation, actor, text, runId, once });
    if (runId !== null) await noteFeedbackMessage(tx, runId, message);
    if (words !== null) await answer(context, tx, subject, words);
    return refusal;
  });
}

/** `refusal`: unless posted in the conversation. */
export type Handled = { run_id: string | null; refusal?: CountersignError | null };

export async function onceOnly(
  { db }: ConversationContext,
  once: string | undefined,
  act: () => Promise<Handled>,
): Promise<Handled> {
  if (once === undefined) return act();
  const before = await findMessage(db.query, once);
  if (before !== null) return { run_id: before.run_id };
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof AlreadyHandled || error instanceof CountersignError)) throw error;
    // A concurrent attempt was faster.
    const meanwhile = await findMessage(db.query, once);
    if (meanwhile === null) throw error;
    return { run_id: meanwhile.run_id };
  }
}

/** @throws its refusal */
export async function startRunOnce(
  context: ConversationContext,
  request: RunRequest,
  actor: Actor,
  once: string | undefined,
): Promise<{ run_id: string; conversation: string }> {
  if (once === undefined) return startRun(context, request, actor);
  const { run_id } = await onceOnly(context, once, () => startRun(context, request, actor, once));
  if (run_id === null) throw new CountersignError('run_not_found', 'This started nothing.');
  const { conversation } = await readRun(context.db.query, run_id);
  return { run_id, conversation };
}
