// What a message means: a deciding word about the plan last shown, an answer to an open question, or a new request.
import type { Actor } from '#contracts/actor.ts';
import { CountersignError } from '#contracts/errors.ts';
import type { PlanStatus } from '#contracts/plan.ts';
import {
  chooseSteps,
  describeNumbered,
  type StepChoice,
  withNumbers,
} from '#contracts/step-choice.ts';
import { numberedAtMost, numberSteps } from '#contracts/step-numbers.ts';
import { sourcesOf, statusWords } from '#plans/lifecycle-table.ts';
import { joinTransaction, type Transaction } from '#store/database.ts';
import { isOnePerson } from '#store/identities.ts';
import { findSaid } from '#store/messages.ts';
import { type PlanRow, readPlanRow, readPlansOf } from '#store/plans.ts';
import { lockRun, type RunRow, readLatestRun, readRun, readWaitingRuns } from '#store/runs.ts';
import { wasShown } from '#store/shown.ts';
import { readSteps } from '#store/step-pages.ts';
import type { ConversationContext } from './conversation-context.ts';
import { approve, cancel, proposeChanges, reject } from './decisions.ts';
import { hearPerson, SaidBefore } from './hear-person.ts';
import { keepWish, readWish } from './policy.ts';
import { isDecidable, nameWaiting, waitsFor } from './session-subject.ts';
import { decideInSession, describeSession } from './session-talk.ts';
import { speakAsBot } from './speak.ts';
import { queueTurn, startRun } from './start-run.ts';
import { readWord, readWordFor, type Word } from './words.ts';

/**
 * What a person said, its name where it came from and when it was written there, and the turn of the run it was said to,
 * where that is known.
 */
type Saying = { text: string; actor: Actor; once?: string; written_at?: Date; turn?: number };

/** What a deciding word is about: a session that waits, a plan in the version that was shown, or as yet none. */
type Subject = {
  conversation: string;
  runId: string | null;
  planning: boolean;
  /** The run whose session waits; then the word is about that. */
  session: RunRow | null;
  shown: { id: string; version: number; digest: string } | null;
};

/** What was last shown in a run: its session's, or a version of its plan. */
function subjectOfRun(run: RunRow): Subject {
  const { plan_id: id, plan_version: version, plan_digest: digest } = run;
  return {
    conversation: run.conversation,
    runId: run.id,
    planning: run.planning_status === 'running',
    session: waitsFor(run) === null ? null : run,
    shown: id === null || version === null || digest === null ? null : { id, version, digest },
  };
}

/** A plan that is shown in a conversation, whether it was planned there or sent to it. */
function subjectOfPlan(conversation: string, plan: PlanRow): Subject {
  const { id, version, digest, run_id: runId } = plan;
  return { conversation, runId, planning: false, session: null, shown: { id, version, digest } };
}

/** Where a plan stands, in a sentence. */
async function describeStatus(context: ConversationContext, subject: Subject): Promise<string> {
  const { shown, planning, session } = subject;
  if (session !== null) return describeSession(context, session);
  if (shown === null) {
    return planning ? 'I am still planning.' : 'There is no plan in this conversation.';
  }
  const plan = await readPlanRow(context.db.query, shown.id);
  const left = plan.pending + plan.ready + plan.running + plan.waiting + plan.unknown;
  const progress =
    plan.status === 'executing'
      ? `: ${plan.succeeded} of ${plan.total} steps done, ${left} to go`
      : '';
  const result = plan.result_summary === null ? '' : ` ${plan.result_summary}`;
  return `${plan.id} (version ${plan.version}) is ${statusWords[plan.status]}${progress}.${result}`;
}

/** Something the bot says about the subject. */
async function answer(
  context: ConversationContext,
  tx: Transaction,
  { conversation, runId, shown }: Subject,
  text: string,
): Promise<void> {
  await speakAsBot(context, tx, { conversation, text, runId, planId: shown?.id ?? null });
}

/** Approves the steps that were named by their numbers on the card. @returns which were left out or are to run, in words */
async function approvePart(
  context: ConversationContext,
  { id, version, digest }: NonNullable<Subject['shown']>,
  choice: StepChoice,
  actor: Actor,
): Promise<string> {
  // The approval names the version, so that numbers of another one decide nothing.
  const numbered = numberSteps(await readSteps(context.db.query, id, {}, 0, numberedAtMost));
  const { chosen, approval } = chooseSteps(choice, numbered);
  try {
    await approve(context, id, { version, digest, ...approval }, actor);
  } catch (error) {
    throw withNumbers(error, numbered);
  }
  const steps = describeNumbered(chosen);
  const words = choice.kind === 'only' ? `${steps} only` : `all but ${steps}`;
  return `${actor.id} approved ${words}.`;
}

/** Carries out a deciding word on the version that was shown. @returns what there is to say to it; null: its cards say it */
async function decide(
  context: ConversationContext,
  subject: Subject,
  word: Exclude<Word, { kind: 'talk' }>,
  actor: Actor,
): Promise<string | null> {
  if (word.kind === 'status') return describeStatus(context, subject);
  if (subject.session !== null) {
    await decideInSession(context, subject.session, word, actor);
    return null;
  }
  if (subject.shown === null) {
    throw new CountersignError(
      'invalid_transition',
      'No plan waits for a decision here. Ask for something first.',
    );
  }
  const { id, version, digest } = subject.shown;
  switch (word.kind) {
    case 'approve':
      await approve(context, id, { version, digest }, actor);
      return null;
    case 'approve_part':
      return approvePart(context, subject.shown, word.choice, actor);
    case 'reject':
      await reject(context, id, { version }, actor, true);
      return null;
    case 'cancel':
      await cancel(context, id, { version }, actor);
      return null;
    case 'propose_changes':
      await proposeChanges(context, id, { version, feedback: word.feedback }, actor, true);
      return null;
    default:
      return word satisfies never;
  }
}

/**
 * Writes a deciding word down and carries it out, both or neither: whoever is ended in between can be told it again.
 * @param aloud a refusal is said in the conversation as well
 * @returns why it was refused; null: it was not
 */
function hearDecision(
  context: ConversationContext,
  subject: Subject,
  { text, actor, once }: Saying,
  aloud: boolean,
  deed: (joined: ConversationContext) => Promise<string | null>,
): Promise<CountersignError | null> {
  const { conversation, runId } = subject;
  return context.db.transaction(async (tx) => {
    const joined = { ...context, db: joinTransaction(context.db, tx) };
    let refusal: CountersignError | null = null;
    let words: string | null = null;
    try {
      words = await joined.db.transaction(() => deed(joined));
    } catch (error) {
      if (!(error instanceof CountersignError)) throw error;
      refusal = error;
      words = aloud ? error.message : null;
    }
    // The plan and its run are locked before the conversation is, as everywhere.
    await hearPerson(tx, { conversation, name: actor.id, text, runId, once });
    if (words !== null) await answer(context, tx, subject, words);
    return refusal;
  });
}

/** @throws `stale_version` when more was said since what was answered was shown */
function requireTurn(run: RunRow, turn: number | undefined): void {
  if (turn === undefined || turn === run.turn) return;
  throw new CountersignError(
    'stale_version',
    'This was answered meanwhile. Answer what is shown last.',
  );
}

/** @throws `stale_version` when what the word would decide about did not stand there yet when it was written */
async function requireShown(
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

/** Goes on with a run: what was said about how to talk is kept, and the rest is for the planner. */
async function continueRun(
  context: ConversationContext,
  { id, user, conversation }: RunRow,
  { text, actor, once, turn }: Saying,
): Promise<void> {
  // How its requester is talked to and asked, nobody else says in their place: it decides what waits for their word.
  const theirs = await isOnePerson(context.db.query, actor.id, user);
  const wish = theirs ? await readWish(context.db.query, conversation, text) : null;
  await context.db.transaction(async (tx) => {
    const now = await lockRun(tx, id);
    requireTurn(now, turn);
    await hearPerson(tx, { conversation, name: actor.id, text, runId: id, once });
    if (wish !== null) await keepWish(context, tx, now, wish, actor.id);
    if (wish === null || wish.rest !== '') {
      await queueTurn(context, tx, now, wish === null ? text : wish.rest);
    } else if (wish.settlesQuestions && waitsFor(now) === 'questions') {
      // Whoever wants to be asked nothing has answered what was asked.
      await queueTurn(context, tx, now, text);
    }
  });
}

/** What is said to a run: a word decides, anything else goes on with it. @returns why it was refused; null: it was not */
async function hearReply(
  context: ConversationContext,
  run: RunRow,
  saying: Saying,
  aloud: boolean,
): Promise<CountersignError | null> {
  const word = readWordFor(saying.text, waitsFor(run));
  requireTurn(run, saying.turn);
  if (word.kind === 'talk') {
    await continueRun(context, run, saying);
    return null;
  }
  const subject = subjectOfRun(run);
  return hearDecision(context, subject, saying, aloud, async (joined) => {
    await requireShown(joined, subject, word, saying.written_at);
    return decide(joined, subject, word, saying.actor);
  });
}

/** What came of a message: the run it was about, and why it was refused, where that is not said in the conversation. */
type Heard = { run_id: string | null; refusal?: CountersignError | null };

/** Does what a message means, unless it was heard before under its name. */
async function onceOnly(
  { db }: ConversationContext,
  once: string | undefined,
  act: () => Promise<Heard>,
): Promise<Heard> {
  if (once === undefined) return act();
  const before = await findSaid(db.query, once);
  if (before !== null) return { run_id: before.run_id };
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof SaidBefore || error instanceof CountersignError)) throw error;
    // Another try of the same message was quicker: what this one met is what that one did.
    const meanwhile = await findSaid(db.query, once);
    if (meanwhile === null) throw error;
    return { run_id: meanwhile.run_id };
  }
}

/** A message addressed to a run. @throws what the decision throws */
export async function reply(
  context: ConversationContext,
  runId: string,
  text: string,
  actor: Actor,
  options: { turn?: number; once?: string } = {},
): Promise<void> {
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
    refusal: await hearReply(context, run, { text, actor, ...options }, false),
  }));
  if (refusal !== null) throw refusal;
}

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
function requireOne({ plans, sessions }: Open): void {
  if (plans.length + sessions.length < 2) return;
  const names = [...plans.map(({ id }) => id), ...sessions.map(nameWaiting)];
  throw new CountersignError(
    'invalid_transition',
    sessions.length === 0
      ? `More than one plan is open here: ${names.join(' and ')}. Use the buttons of the card you mean.`
      : `More than one thing waits here: ${names.join(' and ')}. Use the buttons of the card you mean.`,
  );
}

async function findOpen(
  context: ConversationContext,
  conversation: string,
  word: Exclude<Word, { kind: 'talk' }>,
): Promise<Open> {
  const { query } = context.db;
  const plans = await readPlansOf(query, conversation, meantBy(word));
  const waiting = await readWaitingRuns(query, conversation);
  return { plans, sessions: waiting.filter((run) => isDecidable(waitsFor(run))) };
}

/** What the word is about when one thing at most can be meant: what is open, else what was spoken of last. */
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

/** Whether what is said now goes on with the latest run rather than beginning another. */
function goesOn(run: RunRow | null): run is RunRow {
  return run !== null && (run.planning_status === 'running' || waitsFor(run) !== null);
}

/** Talk goes on with the latest run where that is not over, and else begins another. */
async function hearTalk(
  context: ConversationContext,
  conversation: string,
  saying: Saying,
): Promise<{ run_id: string }> {
  const latest = await readLatestRun(context.db.query, conversation);
  if (goesOn(latest)) {
    await hearReply(context, latest, saying, true);
    return { run_id: latest.id };
  }
  const { text, actor, once } = saying;
  const request = { text, conversation, user: actor.id };
  const { run_id } = await startRun(context, request, actor, once);
  return { run_id };
}

async function hear(
  context: ConversationContext,
  conversation: string,
  saying: Saying,
): Promise<{ run_id: string | null }> {
  const { text, actor } = saying;
  const word = readWord(text);
  if (word.kind === 'talk') return hearTalk(context, conversation, saying);
  const open = await findOpen(context, conversation, word);
  const subject = await findSubject(context, conversation, open, word);
  await hearDecision(context, subject, saying, true, async (joined) => {
    if (word.kind !== 'status') requireOne(open);
    await requireShown(joined, subject, word, saying.written_at);
    return decide(joined, subject, word, actor);
  });
  return { run_id: subject.runId };
}

/**
 * A message in a conversation. Deciding words are about the session or the plan that waits here; an open question is
 * answered; everything else is a new request. What cannot be decided is said in the conversation, not thrown.
 * @param options `once`: the message's name where it came from: under the same name nothing is said, decided or asked a
 *   second time; `written_at`: what did not stand there by then, it decides nothing about
 */
export async function say(
  context: ConversationContext,
  conversation: string,
  text: string,
  actor: Actor,
  options: { once?: string; written_at?: Date } = {},
): Promise<{ run_id: string | null }> {
  const saying = { text, actor, ...options };
  const { run_id } = await onceOnly(context, options.once, () =>
    hear(context, conversation, saying),
  );
  return { run_id };
}
