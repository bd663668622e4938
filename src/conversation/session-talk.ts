// Deciding words about a planning session, and where one stands in a sentence.
import type { Actor } from '#contracts/actor.ts';
import { CountersignError } from '#contracts/errors.ts';
import type { SessionChoice } from '#contracts/session-card.ts';
import type { RunRow } from '#store/runs.ts';
import { sessionCall } from './call-to-action.ts';
import type { ConversationContext } from './conversation-context.ts';
import { decideSession, readDeciders } from './session-decisions.ts';
import { digestShown, nameShown, waitsFor } from './session-subject.ts';
import type { Word } from './words.ts';

/** Where a session stands: what waits, and for whom. */
export async function describeSession(context: ConversationContext, run: RunRow): Promise<string> {
  const waits = waitsFor(run);
  if (waits === null) return 'Nothing waits here.';
  const { words } = await readDeciders(context.db.query, context, run, run.user);
  const what = nameShown(run);
  return `${what.charAt(0).toUpperCase()}${what.slice(1)} waits for ${words}. ${sessionCall(waits, run.pause?.gate ?? null)}`;
}

function choiceOf(word: Exclude<Word, { kind: 'talk' | 'status' }>, run: RunRow): SessionChoice {
  const shown = { digest: digestShown(run), turn: run.turn };
  switch (word.kind) {
    case 'approve':
      return { kind: 'approve', ...shown };
    case 'approve_part':
      throw new CountersignError(
        'invalid_transition',
        `Single steps are chosen on a plan's card; this is ${nameShown(run)}. Approve it, or reply “propose changes: …”.`,
      );
    case 'reject':
    case 'cancel':
      return { kind: 'reject', ...shown };
    case 'propose_changes':
      return { kind: 'changes', feedback: word.feedback, ...shown };
    default:
      return word satisfies never;
  }
}

/** Carries out a deciding word on what the session of `run` showed when the word was read. */
export async function decideInSession(
  context: ConversationContext,
  run: RunRow,
  word: Exclude<Word, { kind: 'talk' | 'status' }>,
  actor: Actor,
): Promise<void> {
  await decideSession(context, run.id, choiceOf(word, run), actor, true);
}
