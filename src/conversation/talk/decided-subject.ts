// The subject of a deciding word, which must be current.
import { refusalWords } from '#cards/decision-words.ts';
import { isBeingPosted, readLastSpeaker, wasShown } from '#db/chat/shown.ts';
import { isOnePerson } from '#db/people/identities.ts';
import { type RunRow, readRun } from '#db/planning/runs.ts';
import { findWaitingPatch, wasPatched } from '#db/plans/patches.ts';
import { type PlanRow, readPlanRow } from '#db/plans/plans.ts';
import { CountersignError } from '#domain/errors.ts';
import { requireRecentWord } from '#messages/act-once.ts';
import type { ConversationContext } from '#messages/context.ts';
import { currentOf } from '#plans/lifecycle/decide.ts';
import { sourcesOf } from '#plans/lifecycle/lifecycle-table.ts';
import { digestShown, nameShown, waitsFor } from '#runs/session-subject.ts';
import type { Word } from '../read-word.ts';
import type { Reply } from './reply.ts';

/** The subject of a word, if any yet. */
export type Subject = {
  conversation: string;
  runId: string | null;
  planning: boolean;
  session: RunRow | null;
  shown: { id: string; version: number; digest: string } | null;
};

/** Its session, or a version of its plan. */
export function subjectOfRun(run: RunRow): Subject {
  const { plan_id: id, plan_version: version, plan_digest: digest } = run;
  return {
    conversation: run.conversation,
    runId: run.id,
    planning: run.planning_status === 'running',
    session: waitsFor(run) === null ? null : run,
    shown: id === null || version === null || digest === null ? null : { id, version, digest },
  };
}

/** Shown there, planned there or not. */
export function subjectOfPlan(conversation: string, plan: PlanRow): Subject {
  const { id, version, digest, run_id: runId } = plan;
  return { conversation, runId, planning: false, session: null, shown: { id, version, digest } };
}

/** @throws `stale_version` if the conversation moved on */
export function requireTurn(run: RunRow, turn: number | undefined): void {
  if (turn === undefined || turn === run.turn) return;
  throw new CountersignError('stale_version', refusalWords.answered);
}

/** @throws `stale_version`: the author may have changed their mind */
export function requireRecent(
  { clock }: ConversationContext,
  word: Word,
  writtenAt: Date | undefined,
): void {
  if (writtenAt === undefined || word.kind === 'status') return;
  requireRecentWord(writtenAt, clock.now());
}

/** Until it is known whether its subject was shown. */
const waitsForMs = 60_000;

/** To read a replacement and type a word. */
const readWithinMs = 3000;

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
 * @throws `stale_version` if not shown when the word was written; transient while the card is being posted, since its reader may
 * be quick
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
  // First: what is posted between the two reads has then been shown.
  const posting = recent && (await isBeingPosted(db.query, conversation, what.about));
  if (await wasShown(db.query, conversation, what.about, writtenAt)) {
    if (!what.follows) return;
    // Typing that began before it appeared meant the previous one.
    const begun = new Date(writtenAt.getTime() - readWithinMs);
    if (await wasShown(db.query, conversation, what.about, begun)) return;
    throw new CountersignError('stale_version', what.new);
  }
  if (posting) {
    throw new CountersignError('timed_out', refusalWords.beingPosted, { passesAfterMs: 0 });
  }
  throw new CountersignError('stale_version', what.late);
}

/** As far as can be known. @param turn of the run that leads to the subject @param only nothing else of it was ever shown */
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

/** As its author read it; unchanged for chats and terminals. @throws `stale_version` or `digest_mismatch` with `current` */
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
  // Refused as decided, regardless of what was read.
  if (!sourcesOf('approve').includes(row.status)) return subject;
  if (version !== row.version || (await wasPatched(context.db.query, row.id, row.version))) {
    throw refuseUnnamed(row);
  }
  const turn = row.run_id === null ? 0 : (await readRun(context.db.query, row.run_id)).turn;
  const only = row.version === 1 && turn <= 1;
  if (!(await canMeanOnly(context, subject, reply, { turn, only }))) throw refuseUnnamed(row);
  return { ...subject, shown: { id: row.id, version: row.version, digest: row.digest } };
}
