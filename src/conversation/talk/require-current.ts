// Words that come too late decide nothing: what they would decide about has to have stood there, and to stand there still.
import { CountersignError } from '#contracts/errors.ts';
import type { RunRow } from '#store/runs.ts';
import { wasShown } from '#store/shown.ts';
import type { ConversationContext } from '../conversation-context.ts';
import { requireRecentWord } from '../press/still-meant.ts';
import type { Word } from '../words.ts';
import type { Subject } from './subject.ts';

/** @throws `stale_version` when more was said since what was answered was shown */
export function requireTurn(run: RunRow, turn: number | undefined): void {
  if (turn === undefined || turn === run.turn) return;
  throw new CountersignError(
    'stale_version',
    'This was answered meanwhile. Answer what is shown last.',
  );
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

/** @throws `stale_version` when what the word would decide about did not stand there yet when it was written */
export async function requireShown(
  { db }: ConversationContext,
  { conversation, session, shown }: Subject,
  word: Word,
  writtenAt: Date | undefined,
): Promise<void> {
  if (writtenAt === undefined || word.kind === 'status' || word.kind === 'cancel') return;
  if (session !== null) {
    const { id: run_id, turn } = session;
    if (await wasShown(db.query, conversation, { run_id, turn }, writtenAt)) return;
    throw new CountersignError(
      'stale_version',
      'What waits here came after you wrote that. Read it, then decide.',
    );
  }
  if (shown === null) return;
  const { id: plan_id, version } = shown;
  if (await wasShown(db.query, conversation, { plan_id, version }, writtenAt)) return;
  throw new CountersignError(
    'stale_version',
    `Version ${version} of ${plan_id} came after you wrote that. Read it, then decide.`,
  );
}
