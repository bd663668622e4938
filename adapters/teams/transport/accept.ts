// Handles authenticated activities: stores actions, answers lookups at once.
import { hash } from 'node:crypto';
import { pressWords } from '#cards/chat-words.ts';
import { planThisWords } from '#cards/plan-this.ts';
import type { First, Receive } from '#chat/inbox/receive.ts';
import type { WaitUntilHandled } from '#chat/inbox/wait-until-handled.ts';
import { conversationAt } from '#domain/chat/chat.ts';
import type { ReceivedEvent } from '#domain/chat/inbox.ts';
import type { Clock } from '#domain/clock.ts';
import { answerSentence, askAgain, findProblem } from '../extension/plan-this.ts';
import { readDecision, readLook } from '../press/read-press.ts';
import { answerText, answerUnknown, Reply } from '../press/reply.ts';
import type { Show } from '../press/show.ts';
import type {
  BuildSignal,
  MessageSignal,
  PlanThisSignal,
  Signal,
} from '../signals/read-activity.ts';
import { isAddressed } from '../talk/receive-message.ts';

// Idempotency keys and threads for the inbox. Pure.
const digestOf = (...parts: (string | Uint8Array)[]) =>
  hash('sha256', Buffer.concat(parts.map((part) => Buffer.from(part))), 'hex');

/** Stores `body` unchanged. */
export function nameActivity(
  { scene }: Signal,
  body: Buffer<ArrayBuffer>,
  receivedAt: Date,
): ReceivedEvent {
  const { tenant, place, activity } = scene;
  // Teams' IDs are unique per conversation, and long.
  const name =
    activity === null
      ? `body:${digestOf(body)}`
      : `activity:${digestOf(JSON.stringify([place.channel, activity]))}`;
  return {
    platform: 'teams',
    tenant,
    thread: conversationAt(place),
    keys: [name],
    kind: 'activity',
    body,
    received_at: receivedAt,
    author: digestOf(scene.from.id),
  };
}

/** Teams allows ten seconds for a press, drawing included. */
const waitedForMs = 8000;
const answeredWithinMs = 9000;

/** Dialogs have five seconds. */
const dialogWaitedForMs = 3500;
const dialogAnsweredWithinMs = 4500;
const termsCheckedWithinMs = 1000;

/** `onSent`: never called if Teams disconnected. */
type Answered = { answer: object; onSent?: () => Promise<void> };

/** Null for an empty body. @throws if not stored, and then unacknowledged */
export type Accept = (signal: Signal, body: Buffer<ArrayBuffer>) => Promise<Answered | null>;

export function createAccept(parts: {
  receive: Receive;
  wait: WaitUntilHandled;
  clock: Clock;
  show: Show;
  /** Must not throw. @param sent called once its request is under way */
  showFirst(signal: MessageSignal, sent: () => void): Promise<void>;
  openPlanThis(signal: PlanThisSignal, withinMs: number): Promise<object>;
  build: {
    show(signal: BuildSignal, withinMs: number): Promise<object>;
    refuseTerms(signal: BuildSignal, withinMs: number): Promise<object | null>;
  };
}): Accept {
  const { receive, wait, clock, show, showFirst, openPlanThis, build } = parts;

  /** Closes once committed. */
  async function acceptPlanThis(
    signal: PlanThisSignal,
    body: Buffer<ArrayBuffer>,
  ): Promise<Answered> {
    if (signal.opens) return { answer: await openPlanThis(signal, dialogAnsweredWithinMs) };
    const problem = findProblem(signal);
    if (problem !== null) return { answer: askAgain(signal, problem) };
    return submitDialog(signal, body);
  }

  async function acceptBuild(signal: BuildSignal, body: Buffer<ArrayBuffer>): Promise<Answered> {
    if (signal.press.build !== 'propose')
      return { answer: await build.show(signal, dialogAnsweredWithinMs) };
    const again = await build.refuseTerms(signal, termsCheckedWithinMs);
    return again === null ? submitDialog(signal, body) : { answer: again };
  }

  async function submitDialog(signal: Signal, body: Buffer<ArrayBuffer>): Promise<Answered> {
    const { id } = await receive({ ...nameActivity(signal, body, clock.now()), awaited: true });
    const outcome = await wait.outcome(id, dialogWaitedForMs);
    if (outcome.state === 'failed') return { answer: answerSentence(planThisWords.failed) };
    const left = outcome.state === 'open' ? null : Reply.safeParse(outcome.reply).data;
    if (left == null) return { answer: {} };
    return { answer: answerSentence(left.note), onSent: () => wait.noteRead(id) };
  }

  return async (signal, body) => {
    const begun = performance.now();
    const leftOf = (ms: number) => Math.max(0, ms - (performance.now() - begun));
    // Messages for others are not stored.
    if (signal.kind === 'other' || (signal.kind === 'message' && isAddressed(signal) === 'no'))
      return null;
    if (signal.kind === 'plan_this') return acceptPlanThis(signal, body);
    if (signal.kind === 'build') return acceptBuild(signal, body);
    const { kind, scene } = signal;
    const asks = kind === 'press' && signal.asks;
    if (asks) {
      const look = readLook(signal.verb, signal.data);
      if (look !== null) return { answer: await show.look(look, scene, answeredWithinMs) };
    }
    const decision = kind === 'press' ? readDecision(signal.verb, signal.data) : null;
    if (asks && decision === null) return { answer: answerUnknown(pressWords.unknownButton) };
    const event = { ...nameActivity(signal, body, clock.now()), awaited: asks };
    const first: First | undefined =
      kind === 'message' && isAddressed(signal) === 'yes'
        ? (sent) => showFirst(signal, sent)
        : undefined;
    const { id } = await receive(event, first);
    if (!asks || decision === null) return null;
    const outcome = await wait.outcome(id, leftOf(waitedForMs));
    if (outcome.state === 'open') {
      const later = decision.kind === 'settings' ? pressWords.keptLater : pressWords.later;
      return { answer: answerText(later) };
    }
    if (outcome.state === 'failed') return { answer: answerText(pressWords.failed) };
    const { reply } = outcome;
    const answer = await show.outcome(decision, reply, scene, leftOf(answeredWithinMs));
    return reply === null ? { answer } : { answer, onSent: () => wait.noteRead(id) };
  };
}
