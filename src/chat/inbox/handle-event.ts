// One attempt at one event, with its outcome recorded.
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
import { sendWakeup } from './receive.ts';
import { decideNextTry } from './retry.ts';

function nameOf({ id, platform, tenant, thread, kind }: TakenEvent): string {
  return `${platform} ${kind} ${id} (${tenant}, ${thread})`;
}

/** Characters. */
const longestError = 2000;

/** Unstorable text would make the event retry without a pause. */
const textOf = (error: unknown) => makeStorableText(errorMessage(error).slice(0, longestError));

/** `made`: marked in the handler's own transaction. */
type Mark = Ending & { made: boolean };

/** An overdue handler can only mark an event nobody else took. */
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
 * Until the event is due, or at once. Locks lease before event, like everyone, against deadlocks.
 * @returns false if there was nothing to put back
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
    // Timestamps are truncated, and an early wakeup finds nothing.
    const startAfter = due === null ? undefined : new Date(due.getTime() + 1);
    await sendWakeup(context, tx, event, startAfter);
    return due !== null;
  });
}

/** The event is no longer open or ours. */
function tellSettled({ warn }: InboxContext, event: TakenEvent, mark: Mark, error: unknown): void {
  const why = mark.made
    ? 'was marked as handled and failed after that: what was left to do for it is not done.'
    : 'failed, but another has settled or taken it since.';
  warn(`${nameOf(event)} ${why}`, error);
}

/** @returns false if settled or another worker's */
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
      `${name} failed and was set aside; its thread continues. Run \`countersign doctor\` to see how to retry it.`,
      error,
    );
  }
  return done;
}

/**
 * @param signal of lease and process
 * @param stopping attempts that it cuts off don't count
 * @param last leaves the next event to others
 * @returns `held`: nothing taken, thread held; `left`: released
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
  const proceed = async () =>
    last || stopping.aborted ? 'held' : write(() => takeNext(db.query, lease, leaseSeconds));
  if (event.failures > (event.silent ? rule.deaths : rule.tries)) {
    const error = new Error('The process ended each time, or the last time, while it was handled.');
    await write(() => putAside(context, event, error, 'kept'));
    return proceed();
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
      return proceed();
    }
    const options = { ...decided, error: textOf(error) };
    if (await write(() => putBack(context, lease, event, options))) {
      const seconds = Math.ceil(decided.inMs / 1000);
      warn(`${nameOf(event)} failed; retrying in ${seconds} s.`, error);
    } else tellSettled(context, event, mark, error);
    return 'left';
  }
}
