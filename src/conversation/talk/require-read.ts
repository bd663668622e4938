// Ties a deciding word sent over HTTP to what its author read: it names version and digest, unless nothing else can have been
// read.
import { refusalWords } from '#cards/decision-words.ts';
import { readLastSpeaker } from '#db/chat/shown.ts';
import { isOnePerson } from '#db/people/identities.ts';
import { type RunRow, readRun } from '#db/planning/runs.ts';
import { findWaitingPatch, wasPatched } from '#db/plans/patches.ts';
import { type PlanRow, readPlanRow } from '#db/plans/plans.ts';
import { CountersignError } from '#domain/errors.ts';
import type { ConversationContext } from '#messages/context.ts';
import { currentOf } from '#plans/lifecycle/current.ts';
import { sourcesOf } from '#plans/lifecycle/lifecycle-table.ts';
import { digestShown, nameShown } from '#runs/session-subject.ts';
import type { Word } from '../read-word.ts';
import type { Reply } from './reply.ts';
import type { Subject } from './subject.ts';

/**
 * Whether only the author has changed the subject since reading it, as far as can be known. @param turn of the run that leads to
 * the subject; @param only nothing else of it was ever shown
 */
async function canMeanOnly(
  { db }: ConversationContext,
  { conversation }: Subject,
  { actor, on_screen: onScreen }: Reply,
  { turn, only }: { turn: number; only: boolean },
): Promise<boolean> {
  if (!only && onScreen?.turn !== turn) return false;
  const { last_speaker: last, subjects } = await readLastSpeaker(db.query, conversation);
  if (last !== null && (await isOnePerson(db.query, last, actor.id))) return true;
  return only && subjects <= 1;
}

async function requireSession(
  context: ConversationContext,
  subject: Subject,
  session: RunRow,
  reply: Reply,
): Promise<void> {
  const { digest, turn } = reply.on_screen ?? {};
  const shown = digestShown(session);
  const named = digest !== undefined;
  const read = named
    ? digest === shown && (turn ?? session.turn) === session.turn
    : await canMeanOnly(context, subject, reply, {
        turn: session.turn,
        only: session.turn === 1,
      });
  if (read) return;
  throw new CountersignError(
    'stale_version',
    named
      ? refusalWords.changedWhileReading({ shown: nameShown(session) })
      : refusalWords.sessionUnnamed({ shown: nameShown(session) }),
    { details: { current: { turn: session.turn, digest: shown } } },
  );
}

function refuseUnnamed(row: PlanRow): CountersignError {
  return new CountersignError('stale_version', refusalWords.versionUnnamed(row), {
    details: { current: currentOf(row) },
  });
}

/**
 * The subject with the version and digest its author read; unchanged for chats and terminals.
 * @throws `stale_version` or `digest_mismatch` with `current` if another one was read, or it is unknown
 */
export async function requireRead(
  context: ConversationContext,
  subject: Subject,
  word: Word,
  reply: Reply,
): Promise<Subject> {
  const { on_screen: onScreen } = reply;
  if (onScreen === undefined || word.kind === 'status' || word.kind === 'cancel') return subject;
  const { session, shown } = subject;
  if (session !== null) {
    await requireSession(context, subject, session, reply);
    return subject;
  }
  if (shown === null) return subject;
  const row = await readPlanRow(context.db.query, shown.id);
  const { digest, version = row.version } = onScreen;
  if (digest !== undefined) {
    if (version === row.version && digest !== row.digest) {
      throw new CountersignError('digest_mismatch', refusalWords.digestDiffers(row), {
        details: { current: currentOf(row) },
      });
    }
    return { ...subject, shown: { id: shown.id, version, digest } };
  }
  const waits = await findWaitingPatch(context.db.query, row.id);
  if (waits !== null && shown.version === row.version + 1)
    throw refuseUnnamed({ ...row, version: shown.version, digest: shown.digest });
  // A decided subject is refused as such, regardless of what was read.
  if (!sourcesOf('approve').includes(row.status)) return subject;
  if (version !== row.version || (await wasPatched(context.db.query, row.id, row.version))) {
    throw refuseUnnamed(row);
  }
  const turn = row.run_id === null ? 0 : (await readRun(context.db.query, row.run_id)).turn;
  const only = row.version === 1 && turn <= 1;
  if (!(await canMeanOnly(context, subject, reply, { turn, only }))) throw refuseUnnamed(row);
  // The decision applies to the row that was checked.
  return { ...subject, shown: { id: row.id, version: row.version, digest: row.digest } };
}
