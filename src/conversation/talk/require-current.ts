// Refuses words that come too late: what they decide about must have been shown when they were written and still be current.
import { refusalWords } from '#cards/decision-words.ts';
import { isBeingPosted, wasShown } from '#db/chat/shown.ts';
import type { RunRow } from '#db/planning/runs.ts';
import { CountersignError } from '#domain/errors.ts';
import { requireRecentWord } from '#messages/act-once.ts';
import type { ConversationContext } from '#messages/context.ts';
import type { Word } from '../read-word.ts';
import type { Subject } from './subject.ts';

/** @throws `stale_version` when more was said since what was answered was shown */
export function requireTurn(run: RunRow, turn: number | undefined): void {
  if (turn === undefined || turn === run.turn) return;
  throw new CountersignError('stale_version', refusalWords.answered);
}

/** @throws `stale_version` when the word was written so long ago that its author may mean it no more */
export function requireRecent(
  { clock }: ConversationContext,
  word: Word,
  writtenAt: Date | undefined,
): void {
  if (writtenAt === undefined || word.kind === 'status') return;
  requireRecentWord(writtenAt, clock.now());
}

/** For so long after a word was written it may wait until it is known whether what it decides about stood there. */
const waitsForMs = 60_000;

/** What takes the place of something else that was waiting is read, and its word typed, in no less. */
const readWithinMs = 3000;

/** What a word decides about, as it is shown, and what is said where it came after the word; null: nothing. */
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
 * @throws `stale_version` when what the word would decide about did not stand there yet when it was written; an error that
 *   passes while its card is being posted, since a quick writer may have read it before the platform said so
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
  // Asked first: what is posted between the two reads has then been shown.
  const posting = recent && (await isBeingPosted(db.query, conversation, what.about));
  if (await wasShown(db.query, conversation, what.about, writtenAt)) {
    if (!what.follows) return;
    // Whoever began to type before it was there meant what stood there then.
    const begun = new Date(writtenAt.getTime() - readWithinMs);
    if (await wasShown(db.query, conversation, what.about, begun)) return;
    throw new CountersignError('stale_version', what.new);
  }
  if (posting) {
    throw new CountersignError('timed_out', refusalWords.beingPosted, { passesAfterMs: 0 });
  }
  throw new CountersignError('stale_version', what.late);
}
