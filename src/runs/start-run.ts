// Starts a run: run, message and planner's job commit together.
import { lockConversation } from '#db/chat/messages.ts';
import type { Transaction } from '#db/database.ts';
import { notify } from '#db/notify.ts';
import { findTenant } from '#db/people/identities.ts';
import { insertRun, lockRun, type RunRow, updateRun } from '#db/planning/runs.ts';
import type { MessageParts } from '#domain/chat/message-parts.ts';
import { type Actor, isVerified } from '#domain/people/actor.ts';
import { pickModes, type WantedModes } from '#domain/plan/modes.ts';
import type { RunRequest } from '#domain/planning/run.ts';
import type { SessionDecision, TurnDecision } from '#domain/planning/state.ts';
import { currentTrace, linkTo } from '#domain/telemetry.ts';
import type { ConversationContext } from '#messages/context.ts';
import { askToDeliver, requireReadable, storePersonMessage } from '#messages/store-message.ts';
import { readRecurringWords } from '#notices/recurring.ts';
import { type MemoryRequest, readMemoryRequest } from '#people/memory.ts';
import {
  inheritPolicy,
  readPolicyRequest,
  sayPreference,
  storePolicyRequest,
  zoneOf,
} from '#people/policy.ts';
import { requireBudget, requireRoom } from './person-limits.ts';
import { readModes } from './read-modes.ts';
import { nextRunStatus } from './run-table.ts';

/**
 * A message only about style or memory is answered without planning. @param once the message's external ID @throws
 * AlreadyHandled, `rate_limited`, and `invalid_request` for a text that is too long; then nothing is stored
 */
export async function startRun(
  context: ConversationContext,
  request: RunRequest,
  actor: Actor,
  once?: string,
): Promise<{ run_id: string; conversation: string }> {
  requireReadable(request.text);
  const id = `run-${context.random.hex(8)}`;
  const conversation = request.conversation ?? `conv-${context.random.hex(6)}`;
  const user = request.user ?? actor.id;
  const inherited = await inheritPolicy(context, conversation, user);
  const policy = { ...inherited, ...request.interaction_policy };
  // An agent's words don't change the preferences and memory of its person.
  const own = actor.kind === 'person';
  const { typed, files } = request;
  // A message with a quotation is not a memory command.
  const speaks = own && typed === undefined;
  const policyRequest = speaks
    ? await readPolicyRequest(context, conversation, request.text)
    : null;
  const memory =
    speaks && policyRequest === null
      ? await readOwnRequest(context, { conversation, user }, request.text, actor)
      : null;
  const wanted =
    policyRequest === null || policyRequest.rest === '' ? request.text : policyRequest.rest;
  const asked = memory === null ? readModes(wanted) : null;
  const asks = memory === null && (policyRequest === null || policyRequest.rest !== '');
  const timezone = zoneOf(actor);
  const parts: MessageParts = {
    kind: 'said',
    facts: {
      answers: [],
      rest: memory === null ? (asked?.rest ?? policyRequest?.rest ?? null) : '',
      ...(typed === undefined ? {} : { typed }),
      ...(files === undefined ? {} : { files }),
    },
    action: null,
  };
  await context.db.transaction(async (tx) => {
    if (asks) await requireRoom(tx, context, user);
    // An agent chooses its own name; its words never appear under a person's.
    const name = own ? user : `${actor.id} (agent of ${user})`;
    const message = {
      conversation,
      actor,
      name,
      text: request.text,
      runId: id,
      parts,
      once,
    };
    const requestMessage = await storePersonMessage(tx, message);
    const remembered = memory === null ? null : await memory(tx, requestMessage);
    await insertRun(tx, {
      id,
      request_message: requestMessage,
      user,
      via: actor.via,
      agent: own ? null : actor.id,
      verified: isVerified(actor),
      tenant: await findTenant(tx, conversation, actor),
      conversation,
      planning_status: asks ? 'running' : 'complete',
      request: asked?.rest ?? wanted,
      response_text: remembered ?? (asks ? '' : (policyRequest?.confirmation ?? '')),
      // Controls take precedence over words.
      modes: { ...context.modes, ...asked?.modes, ...pickModes(request) },
      policy,
      traceparent: currentTrace(),
      decision: { kind: 'said', speaker: actor, ...(timezone === null ? {} : { timezone }) },
    });
    if (policyRequest !== null)
      await storePolicyRequest(context, tx, { id, conversation, policy }, policyRequest, user);
    if (remembered !== null)
      await sayPreference(context, tx, { runId: id, conversation }, remembered);
    if (!asks) return;
    await queuePlanning(context, tx, { id, user, turn: 1 });
    // Shows activity before a planner is free.
    await notify(tx, `activity:${conversation}`);
  });
  return { run_id: id, conversation };
}

/** About the speaker's memory, reminders or recurring steps, and nothing else. @returns the reply, or null */
export async function readOwnRequest(
  context: ConversationContext,
  { conversation, user }: { conversation: string; user: string },
  text: string,
  actor: Actor,
): Promise<MemoryRequest | null> {
  const { query } = context.db;
  const memory = await readMemoryRequest(query, { conversation, user }, text, actor);
  if (memory !== null || actor.kind !== 'person') return memory;
  const tenant = await findTenant(query, conversation, actor);
  const own = { user, ...(tenant === null ? {} : { within: { tenant } }) };
  return readRecurringWords(context, own, text, actor);
}

export async function queuePlanning(
  { enqueue }: Pick<ConversationContext, 'enqueue'>,
  tx: Transaction,
  { id, user, turn }: Pick<RunRow, 'id' | 'user' | 'turn'>,
): Promise<void> {
  await enqueue(tx, 'plan', { run_id: id, turn }, { key: `${id}:${turn}`, person: user });
}

/** The turn's job is done but its planner was stopped. `retryAbandonedRuns` is the fallback. */
export async function queueAgain(
  context: ConversationContext,
  runId: string,
  turn: number,
): Promise<void> {
  const { db, warn } = context;
  await db
    .transaction(async (tx) => {
      const run = await lockRun(tx, runId);
      if (run.turn === turn && run.planning_status === 'running')
        await queuePlanning(context, tx, run);
    })
    .catch((error: unknown) => warn(`Run ${runId} will be retried later.`, error));
}

/**
 * The caller holds the run's lock. @param message null for a decision alone, about the last message @param zone null if unknown
 * or read earlier @throws `rate_limited` if the requester's daily budget is spent
 */
export async function queueTurn(
  context: ConversationContext,
  tx: Transaction,
  run: RunRow,
  actor: Actor,
  message: { text: string; message: number | null; modes?: WantedModes } | null,
  zone: string | null,
  decision: SessionDecision & Pick<TurnDecision, 'joined'> = { kind: 'said' },
): Promise<void> {
  // A rejection costs nothing.
  if (decision.kind !== 'reject') await requireBudget(tx, context, run.user);
  const turn = run.turn + 1;
  const tenant = run.tenant === null ? actor.tenant : undefined;
  const timezone = zone ?? run.decision?.timezone;
  const asked = message === null ? null : readModes(message.text);
  linkTo(run.traceparent);
  await updateRun(tx, run.id, {
    turn,
    traceparent: currentTrace(),
    tries: 0,
    activity: null,
    ...(message === null
      ? {}
      : { request: asked?.rest ?? message.text, request_message: message.message }),
    modes: { ...run.modes, ...asked?.modes, ...message?.modes },
    decision: {
      ...decision,
      speaker: actor,
      ...(timezone === undefined ? {} : { timezone }),
      ...(tenant === undefined ? {} : { tenant }),
    },
    pause: null,
    planning_status: nextRunStatus(run.planning_status, 'talk'),
    questions: null,
    escalate_reason: null,
  });
  await queuePlanning(context, tx, { id: run.id, user: run.user, turn });
  await endTurn(tx, run);
  await notify(tx, `activity:${run.conversation}`);
  // Retires the previous turn's card. The message may be stored after this.
  await lockConversation(tx, run.conversation);
  await askToDeliver(context, tx, run.conversation);
}

/** Words that came too late: the next turn continues with this one's reads and draft. */
export const joins: SessionDecision = { kind: 'said', joins: true };

/** Its result no longer counts. */
export async function endTurn(
  tx: Transaction,
  { id, planning_status }: Pick<RunRow, 'id' | 'planning_status'>,
): Promise<void> {
  if (planning_status === 'running') await notify(tx, `stop:${id}`);
}
