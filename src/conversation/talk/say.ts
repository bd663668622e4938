// Interprets a message: decision, answer or new request.
import { refusalWords } from '#cards/decision-words.ts';
import { readRunRead } from '#db/chat/shown.ts';
import { type RunRow, readLatestRun, readRun, readWaitingRuns } from '#db/planning/runs.ts';
import { type PlanRow, readChangesOf, readPlansOf } from '#db/plans/plans.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import type { PlanStatus } from '#domain/plan/plan.ts';
import type { OnScreen } from '#domain/service.ts';
import type { ConversationContext } from '#messages/context.ts';
import {
  explainLength,
  requireReadable,
  speakAsBot,
  storePersonMessage,
} from '#messages/store-message.ts';
import { sourcesOf } from '#plans/lifecycle/lifecycle-table.ts';
import { digestShown, isDecidable, isOpen, nameWaiting, waitsFor } from '#runs/session-subject.ts';
import { startRun } from '#runs/start-run.ts';
import { readWord, readWordFor, type Word } from '../read-word.ts';
import {
  answerWaiting,
  type BareChange,
  findBareChange,
  readBareChange,
} from './answer-waiting.ts';
import { decideByWord } from './decide-by-word.ts';
import {
  requireRead,
  requireRecent,
  requireShown,
  type Subject,
  subjectOfPlan,
  subjectOfRun,
} from './decided-subject.ts';
import { type Handled, handleDecision, onceOnly } from './handle-decision.ts';
import { handleReply } from './handle-reply.ts';
import type { Reply } from './reply.ts';

const shownOfTooLong = 500;

/** Answered over HTTP, not in the conversation. */
function isAboutRead({ on_screen }: Reply, refusal: CountersignError): boolean {
  return (
    on_screen !== undefined &&
    (refusal.code === 'stale_version' || refusal.code === 'digest_mismatch')
  );
}

const isPosted = (reply: Reply) => (refusal: CountersignError) => !isAboutRead(reply, refusal);

function toThrow(reply: Reply, refusal: CountersignError | null): CountersignError | null {
  return refusal !== null && isAboutRead(reply, refusal) ? refusal : null;
}

/** Continues the latest open run, or starts one. */
async function handleTalk(
  context: ConversationContext,
  conversation: string,
  latest: RunRow | null,
  reply: Reply,
  change: BareChange | null,
): Promise<Handled> {
  if (latest !== null && isOpen(latest)) {
    const refusal = await handleReply(context, latest, reply, isPosted(reply));
    return { run_id: latest.id, refusal: toThrow(reply, refusal) };
  }
  const answered = await answerWaiting(context, conversation, null, reply, change);
  if (answered !== null) return { run_id: answered.runId };
  const { text, actor, once, modes, files } = reply;
  const more = files === undefined ? {} : { files };
  const request = { text, conversation, user: actor.id, ...modes, ...more };
  const { run_id } = await startRun(context, request, actor, once);
  return { run_id };
}

/** Stores its beginning; nothing of it is read. */
async function refuseLength(
  context: ConversationContext,
  conversation: string,
  { text, actor, once }: Reply,
  why: string,
): Promise<{ run_id: null }> {
  const beginning = `${text.slice(0, shownOfTooLong).toWellFormed()}…`;
  await context.db.transaction(async (tx) => {
    const message = { conversation, actor, text: beginning, runId: null, once };
    await storePersonMessage(tx, message);
    await speakAsBot(context, tx, { conversation, says: why });
  });
  return { run_id: null };
}

async function handleInConversation(
  context: ConversationContext,
  conversation: string,
  reply: Reply,
): Promise<Handled> {
  const { text } = reply;
  const tooLong = explainLength(text);
  if (tooLong !== null) return refuseLength(context, conversation, reply, tooLong);
  const typed = readWord(text);
  const latest = await readLatestRun(context.db.query, conversation);
  const isTalk = typed.kind === 'talk';
  const change = isTalk ? await findBareChange(context, conversation, latest, text) : null;
  const word = isTalk ? await readBareChange(context, change, reply) : typed;
  if (word.kind === 'talk') return handleTalk(context, conversation, latest, reply, change);
  const open = pickOnScreen(await findOpen(context, conversation, word), reply.on_screen);
  // Without a version to go back from, a request.
  if (word.kind === 'go_back' && open.plans.length + open.sessions.length === 0)
    return handleTalk(context, conversation, latest, reply, null);
  const subject = await findSubject(context, conversation, open, word);
  const check = async () => {
    if (word.kind !== 'status') requireOne(open);
    requireRecent(context, word, reply.written_at);
    await requireShown(context, subject, word, reply.written_at);
    return decideByWord(context, await requireRead(context, subject, word, reply), word, reply);
  };
  const refusal = await handleDecision(context, subject, reply, isPosted(reply), check);
  return { run_id: subject.runId, refusal: toThrow(reply, refusal) };
}

/**
 * Throws only if what was shown changed.
 * @param options `once`: its ID; `written_at`: decides nothing newer, or half an hour later
 */
export async function say(
  context: ConversationContext,
  conversation: string,
  text: string,
  actor: Actor,
  options: Omit<Reply, 'text' | 'actor' | 'turn'> = {},
): Promise<{ run_id: string | null }> {
  const reply = { text, actor, ...options };
  const { run_id, refusal = null } = await onceOnly(context, options.once, () =>
    handleInConversation(context, conversation, reply),
  );
  if (refusal !== null) throw refusal;
  return { run_id };
}

/** Such as an answer on its card. @throws errors of the decision */
export async function replyToRun(
  context: ConversationContext,
  runId: string,
  text: string,
  actor: Actor,
  {
    reader,
    on_screen,
    ...options
  }: { turn?: number; once?: string; on_screen?: OnScreen; reader?: string } = {},
): Promise<void> {
  requireReadable(text);
  const run = await readRun(context.db.query, runId);
  const word = readWordFor(text, waitsFor(run));
  if (word.kind === 'propose_changes' && word.feedback === '') {
    throw new CountersignError('feedback_required', refusalWords.whatChanges);
  }
  const turn = reader === undefined ? null : await readRunRead(context.db.query, runId, reader);
  const shown =
    on_screen === undefined
      ? {}
      : { on_screen: { ...(turn === null ? {} : { turn }), ...on_screen } };
  const { refusal = null } = await onceOnly(context, options.once, async () => ({
    run_id: runId,
    refusal: await handleReply(context, run, { text, actor, ...options, ...shown }, () => false),
  }));
  if (refusal !== null) throw refusal;
}

function meantBy(word: Exclude<Word, { kind: 'talk' }>): PlanStatus[] {
  switch (word.kind) {
    case 'approve':
    case 'approve_part':
    case 'reject':
    case 'propose_changes':
    case 'go_back':
      return sourcesOf('approve');
    case 'cancel':
    case 'status':
      return [...sourcesOf('approve'), 'approved', 'executing', 'stalled'];
    default:
      return word satisfies never;
  }
}

function meansChanges({ kind }: Word): boolean {
  return ['approve', 'approve_part', 'reject', 'go_back'].includes(kind);
}

/** `plans`: a plan with a pending change is here for the change. */
type Open = { plans: PlanRow[]; sessions: RunRow[] };

/** Must be unambiguous. @throws `invalid_transition` naming the candidates */
function requireOne({ plans, sessions }: Open): void {
  if (plans.length + sessions.length < 2) return;
  const names = [...plans.map(({ id }) => id), ...sessions.map(nameWaiting)];
  throw new CountersignError(
    'invalid_transition',
    sessions.length === 0
      ? refusalWords.severalPlans({ names })
      : refusalWords.severalThings({ names }),
  );
}

async function findOpen(
  context: ConversationContext,
  conversation: string,
  word: Exclude<Word, { kind: 'talk' }>,
): Promise<Open> {
  const { query } = context.db;
  const waitingPlans = await readPlansOf(query, conversation, meantBy(word));
  const changes = meansChanges(word) ? await readChangesOf(query, conversation) : [];
  const plans = [...waitingPlans, ...changes];
  const waiting = await readWaitingRuns(query, conversation);
  return { plans, sessions: waiting.filter((run) => isDecidable(waitsFor(run))) };
}

function pickOnScreen(open: Open, onScreen: OnScreen | undefined): Open {
  const digest = onScreen?.digest;
  if (digest === undefined) return open;
  const plans = open.plans.filter((plan) => plan.digest === digest);
  const sessions = open.sessions.filter((run) => digestShown(run) === digest);
  return plans.length + sessions.length === 1 ? { plans, sessions } : open;
}

async function findSubject(
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
