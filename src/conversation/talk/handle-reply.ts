// A reply to a run: a decision or its next input.
import { readAsked } from '#db/chat/messages.ts';
import { isOnePerson } from '#db/people/identities.ts';
import { lockRun, type RunRow, updateRun } from '#db/planning/runs.ts';
import type { MessageParts } from '#domain/chat/message-parts.ts';
import type { CountersignError } from '#domain/errors.ts';
import { assignAnswers } from '#domain/planning/asked-question.ts';
import { type ConversationContext, readsCommands } from '#messages/context.ts';
import { storePersonMessage } from '#messages/store-message.ts';
import { keepConfirmed } from '#people/keep-confirmed.ts';
import { readPolicyRequest, sayPreference, storePolicyRequest, zoneOf } from '#people/policy.ts';
import { joinedBy } from '#runs/change-waiting.ts';
import { waitsFor } from '#runs/session-subject.ts';
import { joins, queueTurn, readOwnRequest } from '#runs/start-run.ts';
import { readNearWord, readWordFor, type Word } from '../read-word.ts';
import {
  answerWaiting,
  type BareChange,
  findBareChange,
  readBareChange,
} from './answer-waiting.ts';
import { decideByWord, stopByWord } from './decide-by-word.ts';
import {
  requireRead,
  requireRecent,
  requireShown,
  requireTurn,
  subjectOfRun,
} from './decided-subject.ts';
import { handleDecision } from './handle-decision.ts';
import type { Reply } from './reply.ts';

/** Stores preferences and memory; the rest is for the planner. */
async function continueRun(
  context: ConversationContext,
  { id, user, conversation }: RunRow,
  { text, actor, once, turn, modes = {}, files }: Reply,
): Promise<void> {
  // Only the requester sets how they are talked to.
  const theirs = await isOnePerson(context.db.query, actor.id, user);
  const policyRequest = theirs ? await readPolicyRequest(context, conversation, text) : null;
  const memory =
    policyRequest === null
      ? await readOwnRequest(context, { conversation, user: actor.id }, text, actor)
      : null;
  await context.db.transaction(async (tx) => {
    const now = await lockRun(tx, id);
    requireTurn(now, turn);
    if (memory !== null) {
      const facts = { answers: [], rest: '' };
      const parts: MessageParts = { kind: 'said', facts, action: null };
      const received = { conversation, actor, text, runId: id, parts, once };
      const reply = await memory(tx, await storePersonMessage(tx, received));
      return sayPreference(context, tx, { conversation, runId: id }, reply);
    }
    const rest = policyRequest === null ? text : policyRequest.rest;
    // The running turn reads it before the next call. New modes start another turn.
    const continues = now.planning_status === 'running' && !readsCommands(context);
    const joinsTurn = continues && Object.keys(modes).length === 0;
    const asked = waitsFor(now) === 'questions' ? await readAsked(tx, now.response_message) : [];
    const parts: MessageParts = {
      kind: 'said',
      facts: {
        answers: assignAnswers(asked, rest),
        rest: policyRequest === null ? null : rest,
        ...(joinsTurn ? { joins: now.turn } : {}),
        ...(files === undefined ? {} : { files }),
      },
      action: null,
    };
    const received = { conversation, actor, text, runId: id, parts, once };
    const message = await storePersonMessage(tx, received);
    if (theirs)
      await keepConfirmed(context, tx, now, { asked, ...parts.facts }, { actor, message });
    if (policyRequest !== null) await storePolicyRequest(context, tx, now, policyRequest, actor.id);
    if (joinsTurn) {
      const decision = now.decision ?? { kind: 'said' as const };
      return updateRun(tx, id, { decision: { ...decision, joined: joinedBy(now, actor) } });
    }
    const zone = theirs ? zoneOf(actor) : null;
    if (rest !== '' || policyRequest === null) {
      const input = { text: rest, message, modes };
      await queueTurn(context, tx, now, actor, input, zone, continues ? joins : undefined);
    } else if (policyRequest.settlesQuestions && waitsFor(now) === 'questions') {
      // Wanting no questions answers the open ones.
      await queueTurn(context, tx, now, actor, { text, message }, zone);
    }
  });
}

/** `stop`, and without a model the likes of `never mind`. */
function isStop(context: ConversationContext, { planning_status }: RunRow, text: string): boolean {
  if (planning_status !== 'running') return false;
  const stops = ['stop', 'stop.', 'stop!'].includes(text.trim().toLowerCase());
  return stops || (readsCommands(context) && readNearWord(text) === 'cancel');
}

async function readWordOf(
  context: ConversationContext,
  run: RunRow,
  reply: Reply,
): Promise<{ word: Word; change: BareChange | null }> {
  const { conversation, plan_id, planning_status } = run;
  const typed = readWordFor(reply.text, waitsFor(run));
  if (planning_status === 'running' && typed.kind === 'go_back')
    return { word: { kind: 'talk' }, change: null };
  if (typed.kind !== 'talk') return { word: typed, change: null };
  const change = await findBareChange(context, conversation, run, reply.text);
  const own = change?.plan.id === plan_id ? change : null;
  return { word: await readBareChange(context, own, reply), change };
}

/** @returns the refusal or null */
export async function handleReply(
  context: ConversationContext,
  run: RunRow,
  reply: Reply,
  aloud: (refusal: CountersignError) => boolean,
): Promise<CountersignError | null> {
  const { word, change } = await readWordOf(context, run, reply);
  requireTurn(run, reply.turn);
  if (isStop(context, run, reply.text)) {
    const stop = () => stopByWord(context, run.id, reply.actor);
    return handleDecision(context, subjectOfRun(run), reply, aloud, stop);
  }
  if (word.kind === 'talk') {
    const answered = await answerWaiting(context, run.conversation, run, reply, change);
    if (answered !== null) return null;
    await continueRun(context, run, reply);
    return null;
  }
  const subject = subjectOfRun(run);
  return handleDecision(context, subject, reply, aloud, async () => {
    requireRecent(context, word, reply.written_at);
    await requireShown(context, subject, word, reply.written_at);
    const read = await requireRead(context, subject, word, reply);
    return decideByWord(context, read, word, reply);
  });
}
