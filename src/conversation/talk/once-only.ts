// A message with its own ID takes effect once, however often it arrives.
import { findMessage } from '#db/chat/messages.ts';
import { readRun } from '#db/planning/runs.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import type { RunRequest } from '#domain/planning/run.ts';
import type { ConversationContext } from '#messages/context.ts';
import { AlreadyHandled } from '#messages/store-person-message.ts';
import { startRun } from '#runs/start-run.ts';

/** The run a message was about, and its refusal unless posted in the conversation. */
export type Handled = { run_id: string | null; refusal?: CountersignError | null };

/** Handles a message unless one with its ID was handled. */
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
    // A concurrent attempt was faster and caused this error.
    const meanwhile = await findMessage(db.query, once);
    if (meanwhile === null) throw error;
    return { run_id: meanwhile.run_id };
  }
}

/** Starts a run once per ID. @throws its refusal */
export async function startRunOnce(
  context: ConversationContext,
  request: RunRequest,
  actor: Actor,
  once: string | undefined,
): Promise<{ run_id: string; conversation: string }> {
  if (once === undefined) return startRun(context, request, actor);
  const { run_id } = await onceOnly(context, once, () => startRun(context, request, actor, once));
  if (run_id === null) throw new CountersignError('run_not_found', 'Nothing was begun by this.');
  const { conversation } = await readRun(context.db.query, run_id);
  return { run_id, conversation };
}
