// One attempt at one event: calls its handler with a time limit and records the outcome.
import {
  type Ending,
  type Lease,
  leaveThread,
  postpone,
  setAside,
  settleAndTake,
  settleHandled,
  type Taken,
  type TakenEvent,
  takeNext,
} from '#db/chat/inbox-thread.ts';
import { passCrashPoint } from '#domain/crash-points.ts';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import { measure, span } from '#domain/telemetry.ts';
import { makeStorableText } from '#domain/text.ts';
import { type InboxContext, type InboxHandler, retryWhileAway } from './inbox-context.ts';
import { decideNextTry } from './retry.ts';
import { sendWakeup } from './wakeups.ts';

/** What somebody else has to know of an event to find it. */
function nameOf({ id, platform, tenant, thread, kind }: TakenEvent): string {
  return `${platform} ${kind} ${id} (${tenant}, ${thread})`;
}

/** Characters of an error that are kept. */
const longestError = 2000;

/** What is kept of an error. One that could not be stored would have its event tried again without a wait. */
const textOf = (error: unknown) => makeStorableText(errorMessage(error).slice(0, longestError));

/** How the handler ended the event, and whether it marked it as handled in its own transaction (`made`). */
type Mark = Ending & { made: boolean };

/**
 * Calls the handler. When its time is over it is not waited for; should it go on, it can mark the event only as long
 * as nobody else has taken it.
 */
async function callWithin(
  ms: number,
  handler: InboxHandler,
  { attempt, failures: _, silent: _silent, age_ms: ageMs, ...event }: TakenEvent,
  { mark, signal }: { mark: Mark; signal: AbortSignal },
): Promise<void> {
  const over = new AbortController();
  const taken = performance.now();
  const call = async () =>
    handler(event, {
      attempt,
      signal: AbortSignal.any([signal, over.signal]),
      async markHandled(tx) {
        mark.made = await settleHandled(tx, { id: event.id, attempt }, mark);
        if (!mark.made)
          throw new CountersignError('lease_lost', 'The event was settled or taken by another.');
      },
      age: () => ageMs + performance.now() - taken,
      reply(value) {
        mark.reply = value;
      },
      forget() {
        mark.forget = true;
      },
    });
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = new CountersignError('timed_out', `The event was not handled within ${ms} ms.`);
    over.abort(error);
    late.reject(error);
  }, ms);
  try {
    await Promise.race([call(), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The call as a span of its own: what it starts belongs to it, and an event comes from a person. */
async function handleTraced(
  ms: number,
  handler: InboxHandler,
  event: TakenEvent,
  options: { mark: Mark; signal: AbortSignal },
): Promise<void> {
  const { id, platform, kind, age_ms: ageMs } = event;
  const began = performance.now();
  const attributes = { 'countersign.platform': platform, 'countersign.event.kind': kind };
  const around = { parent: null, attributes, log: { event: id } };
  await span('chat_event', `${platform} ${kind}`, around, () =>
    callWithin(ms, handler, event, options),
  );
  measure('chat_event_age', (ageMs + performance.now() - began) / 1000, attributes);
}

/**
 * Lets the thread go until the event is due again, with a wakeup for that moment; where the event is settled or another's,
 * with one for the worker that continues with the rest. The lease first, then the event, as everybody who enters a thread does: in
 * the other order two would wait for each other.
 * @returns false: there was nothing to put back
 */
async function putBack(
  context: InboxContext,
  lease: Lease,
  event: TakenEvent,
  options: { inMs: number; counts: boolean; error: string | null },
): Promise<boolean> {
  return context.db.transaction(async (tx) => {
    await leaveThread(tx, lease);
    const due = await postpone(tx, event, options);
    // The text of a moment ends at the millisecond; a wakeup that is early finds nothing to do.
    const startAfter = due === null ? undefined : new Date(due.getTime() + 1);
    await sendWakeup(context, tx, event, startAfter);
    return due !== null;
  });
}

/** An event failed and is not open any more, or not ours. */
function tellSettled({ warn }: InboxContext, event: TakenEvent, mark: Mark, error: unknown): void {
  const why = mark.made
    ? 'was marked as handled and failed after that: what was left to do for it is not done.'
    : 'failed, but another has settled or taken it since.';
  warn(`${nameOf(event)} ${why}`, error);
}

/** @returns false: the event is settled already, or another's */
async function putAside(
  { db, warn }: InboxContext,
  event: TakenEvent,
  error: unknown,
  earlier: 'kept' | 'replaced' = 'replaced',
): Promise<boolean> {
  const code = error instanceof CountersignError ? error.code : 'internal';
  const done = await setAside(db.query, event, { text: textOf(error), code }, earlier);
  if (done) {
    const name = nameOf(event);
    warn(
      `${name} was set aside; its thread goes on. \`countersign doctor\` says how to try it again.`,
      error,
    );
  }
  return done;
}

/**
 * Handles `event` under `lease`, settles it and takes the next.
 * @param signal of the lease and the process
 * @param stopping of the process: a try that it cuts off does not count
 * @param last true: the next is left to others
 * @returns what was taken next; `held`: the thread is still held, and nothing was taken; `left`: it is not
 */
export async function handleEvent(
  context: InboxContext,
  handler: InboxHandler,
  lease: Lease,
  event: TakenEvent,
  { signal, stopping, last }: { signal: AbortSignal; stopping: AbortSignal; last: boolean },
): Promise<Taken | 'held' | 'left'> {
  const { db, rule, random, warn } = context;
  const { leaseSeconds } = rule;
  const write = <T>(work: () => Promise<T>) => retryWhileAway(context, work, stopping);
  const goOn = async () =>
    last || stopping.aborted ? 'held' : write(() => takeNext(db.query, lease, leaseSeconds));
  if (event.failures > (event.silent ? rule.deaths : rule.tries)) {
    const error = new Error('The process ended each time, or the last time, while it was handled.');
    await write(() => putAside(context, event, error, 'kept'));
    return goOn();
  }
  passCrashPoint('inbox_taken');
  const mark: Mark = { made: false, reply: null, forget: false };
  const settle = async (): Promise<{ settled: boolean; next: Taken | 'held' }> => {
    const { reply, forget } = mark;
    if (!last && !stopping.aborted)
      return settleAndTake(db.query, lease, event, { leaseSeconds, reply, forget });
    return { settled: await settleHandled(db.query, event, mark), next: 'held' };
  };
  try {
    await handleTraced(rule.tryWithinMs, handler, event, { mark, signal });
    passCrashPoint('inbox_handled');
    const { settled, next } = await write(settle);
    if (!settled && !mark.made) warn(`${nameOf(event)} was handled, and taken by another as well.`);
    passCrashPoint('inbox_settled');
    return next;
  } catch (error) {
    if (stopping.aborted) {
      await putBack(context, lease, event, { inMs: 0, counts: false, error: null });
      return 'left';
    }
    const { attempt, failures, age_ms: ageMs } = event;
    const decided = decideNextTry(error, { attempt, failures, ageMs }, rule, random);
    if (decided.next === 'set_aside') {
      if (!(await write(() => putAside(context, event, error))))
        tellSettled(context, event, mark, error);
      return goOn();
    }
    const options = { ...decided, error: textOf(error) };
    if (await write(() => putBack(context, lease, event, options))) {
      const seconds = Math.ceil(decided.inMs / 1000);
      warn(`${nameOf(event)} failed and is tried again in ${seconds} s.`, error);
    } else tellSettled(context, event, mark, error);
    return 'left';
  }
}
