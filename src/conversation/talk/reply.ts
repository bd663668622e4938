// A message addressed to a run, such as an answer on its card.
import type { Actor } from '#contracts/actor.ts';
import { CountersignError } from '#contracts/errors.ts';
import type { OnScreen } from '#contracts/service.ts';
import { readRun } from '#store/runs.ts';
import type { ConversationContext } from '../conversation-context.ts';
import { requireReadable } from '../message-length.ts';
import { waitsFor } from '../session-subject.ts';
import { readWordFor } from '../words.ts';
import { hearReply } from './hear-reply.ts';
import { onceOnly } from './once-only.ts';

/** @throws what the decision throws */
export async function reply(
  context: ConversationContext,
  runId: string,
  text: string,
  actor: Actor,
  options: { turn?: number; once?: string; on_screen?: OnScreen } = {},
): Promise<void> {
  requireReadable(text);
  const run = await readRun(context.db.query, runId);
  const word = readWordFor(text, waitsFor(run));
  if (word.kind === 'propose_changes' && word.feedback === '') {
    throw new CountersignError(
      'feedback_required',
      'Say what should change: “propose changes: …”.',
    );
  }
  const { refusal = null } = await onceOnly(context, options.once, async () => ({
    run_id: runId,
    refusal: await hearReply(context, run, { text, actor, ...options }, () => false),
  }));
  if (refusal !== null) throw refusal;
}
