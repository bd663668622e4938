// What can be meant by a deciding word in a conversation, and which one of it is.
import { CountersignError } from '#contracts/errors.ts';
import type { PlanStatus } from '#contracts/plan.ts';
import type { OnScreen } from '#contracts/service.ts';
import { sourcesOf } from '#plans/lifecycle-table.ts';
import { type PlanRow, readPlansOf } from '#store/plans.ts';
import { type RunRow, readLatestRun, readWaitingRuns } from '#store/runs.ts';
import type { ConversationContext } from '../conversation-context.ts';
import { digestShown, isDecidable, nameWaiting, waitsFor } from '../session-subject.ts';
import type { Word } from '../words.ts';
import { type Subject, subjectOfPlan, subjectOfRun } from './subject.ts';

/** Plans in these statuses can be meant by a deciding word. */
function meantBy(word: Exclude<Word, { kind: 'talk' }>): PlanStatus[] {
  switch (word.kind) {
    case 'approve':
    case 'approve_part':
    case 'reject':
    case 'propose_changes':
      return sourcesOf('approve');
    case 'cancel':
    case 'status':
      return [...sourcesOf('approve'), 'approved', 'executing', 'stalled'];
    default:
      return word satisfies never;
  }
}

/** What can be meant by a deciding word in a conversation. */
type Open = { plans: PlanRow[]; sessions: RunRow[] };

/** A word must not decide about one thing when another may be meant. @throws `invalid_transition` that names them */
export function requireOne({ plans, sessions }: Open): void {
  if (plans.length + sessions.length < 2) return;
  const names = [...plans.map(({ id }) => id), ...sessions.map(nameWaiting)];
  throw new CountersignError(
    'invalid_transition',
    sessions.length === 0
      ? `More than one plan is open here: ${names.join(' and ')}. Use the buttons of the card you mean.`
      : `More than one thing waits here: ${names.join(' and ')}. Use the buttons of the card you mean.`,
  );
}

export async function findOpen(
  context: ConversationContext,
  conversation: string,
  word: Exclude<Word, { kind: 'talk' }>,
): Promise<Open> {
  const { query } = context.db;
  const plans = await readPlansOf(query, conversation, meantBy(word));
  const waiting = await readWaitingRuns(query, conversation);
  return { plans, sessions: waiting.filter((run) => isDecidable(waitsFor(run))) };
}

/** Where several things wait, the one that was on screen is meant. */
export function pickOnScreen(open: Open, onScreen: OnScreen | undefined): Open {
  const digest = onScreen?.digest;
  if (digest === undefined) return open;
  const plans = open.plans.filter((plan) => plan.digest === digest);
  const sessions = open.sessions.filter((run) => digestShown(run) === digest);
  return plans.length + sessions.length === 1 ? { plans, sessions } : open;
}

/** What the word is about when one thing at most can be meant: what is open, else what was spoken of last. */
export async function findSubject(
  context: ConversationContext,
  conversation: string,
  { plans, sessions }: Open,
  word: Exclude<Word, { kind: 'talk' }>,
): Promise<Subject> {
  const { query } = context.db;
  const session = sessions.at(-1);
  if (session !== undefined) return subjectOfRun(session);
  const [plan = null] = plans;
  if (plan !== null) return subjectOfPlan(conversation, plan);
  const run = await readLatestRun(query, conversation);
  if (run !== null && waitsFor(run) !== null) return subjectOfRun(run);
  const [rejected] =
    word.kind === 'propose_changes' ? await readPlansOf(query, conversation, ['rejected']) : [];
  if (rejected !== undefined) return subjectOfPlan(conversation, rejected);
  if (run !== null) return subjectOfRun(run);
  return { conversation, runId: null, planning: false, session: null, shown: null };
}
