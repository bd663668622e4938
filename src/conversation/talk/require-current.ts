// Refuses late words: what they decide must have been shown when they were written, and still be current.
import { refusalWords } from '#cards/decision-words.ts';
import { isBeingPosted, wasShown } from '#db/chat/shown.ts';
import type { RunRow } from '#db/planning/runs.ts';
import { CountersignError } from '#domain/errors.ts';
import { requireRecentWord } from '#messages/act-once.ts';
import type { ConversationContext } from '#messages/context.ts';
import type { Word } from '../read-word.ts';
import type { Subject } from './subject.ts';

/** @throws `stale_version` if the conversation moved on after what was answered */
export function requireTurn(run: RunRow, turn: number | undefined): void {
  if (turn === undefined || turn === run.turn) return;
  throw new CountersignError('stale_version', refusalWords.answered);
}

/** @throws `stale_version` if the word is so old that its author may have changed their mind */
export function requireRecent(
  { clock }: ConversationContext,
  word: Word,
  writtenAt: Date | undefined,
): void {
  if (writtenAt === undefined || word.kind === 'status') return;
  requireRecentWord(writtenAt, clock.now());
}

/** How long a word may wait until it is known whether its subject was shown. */
const waitsForMs = 60_000;

/** Minimum milliseconds to read a replacement and type a word. */
const readWithinMs = 3000;

/** The content shown for a word to decide on, with the text for a late one, or null. */
function describeShown({ session, shown }: Subject) {
  if (session !== null) {
    const about = { run_id: session.id, turn: session.turn };
    const follows = session.turn > 1;
    return { about, follows, late: refusalWords.sessionTooNew, new: refusalWords.sessionJustShown };
  }
  if (shown === null) return null;
  const { id, version } = shown;
  return {
    about: { plan_id: id, version },
    follows: version > 1,
    late: refusalWords.versionTooNew({ id, version }),
    new: refusalWords.versionJustShown({ id, version }),
  };
}

/**
 * @throws `stale_version` if the subject was not shown when the word was written; a transient error while its card is being
 * posted, since a quick writer may have read it already
 */
export async function requireShown(
  { db, clock }: ConversationContext,
  subject: Subject,
  word: Word,
  writtenAt: Date | undefined,
): Promise<void> {
  if (writtenAt === undefined || word.kind === 'status' || word.kind === 'cancel') return;
  const what = describeShown(subject);
  if (what === null) return;
  const { conversation } = subject;
  const recent = clock.now().getTime() - writtenAt.getTime() < waitsForMs;
  // Checked first: what is posted between the two reads has then been shown.
  const posting = recent && (await isBeingPosted(db.query, conversation, what.about));
  if (await wasShown(db.query, conversation, what.about, writtenAt)) {
    if (!what.follows) return;
    // A person who began typing before it appeared meant the previous one.
    const begun = new Date(writtenAt.getTime() - readWithinMs);
    if (await wasShown(db.query, conversation, what.about, begun)) return;
    throw new CountersignError('stale_version', what.new);
  }
  if (posting) {
    throw new CountersignError('timed_out', refusalWords.beingPosted, { passesAfterMs: 0 });
  }
  throw new CountersignError('stale_version', what.late);
}
