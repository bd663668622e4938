// One try at one event: its handler is called within a time, and what came of it is noted.
import { CountersignError, errorMessage } from '#contracts/errors.ts';
import {
  type Lease,
  leaveThread,
  postpone,
  setAside,
  settleHandled,
  type TakenEvent,
} from '#store/sql/inbox-thread.ts';
import { askPatiently } from './ask-patiently.ts';
import { passCrashPoint } from './crash-points.ts';
import type { InboxContext, InboxHandler } from './inbox-context.ts';
import { decideNextTry } from './retry.ts';
import { sendSlip } from './slips.ts';

/** What somebody else has to know of an event to find it. */
function nameOf({ id, platform, tenant, thread, kind }: TakenEvent): string {
  return `${platform} ${kind} ${id} (${tenant}, ${thread})`;
}

/**
 * Calls the handler. When its time is over it is not waited for; should it go on, it can mark the event only as long
 * as nobody else has taken it.
 * @returns whether the handler said itself that the event is handled
 */
async function callWithin(
  ms: number,
  handler: InboxHandler,
  { attempt, failures: _, age_ms: __, ...event }: TakenEvent,
  signal: AbortSignal,
): Promise<boolean> {
  const over = new AbortController();
  let marked = false;
  const call = async () =>
    handler(event, {
      attempt,
      signal: AbortSignal.any([signal, over.signal]),
      async markHandled(tx) {
        marked = await settleHandled(tx, { id: event.id, attempt });
        if (!marked)
          throw new CountersignError('lease_lost', 'The event was settled or taken by another.');
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
    return marked;
  } finally {
    clearTimeout(timer);
  }
}

/** Lets the thread go until the event is due again, and sends the slip for that moment. */
async function putBack(
  context: InboxContext,
  lease: Lease,
  event: TakenEvent,
  options: { inMs: number; counts: boolean; error: string | null },
): Promise<void> {
  await context.db.transaction(async (tx) => {
    const due = await postpone(tx, event, options);
    await leaveThread(tx, lease);
    if (due === null) return;
    // The text of a moment ends at the millisecond; a slip that is early finds nothing to do.
    await sendSlip(context, tx, event, new Date(due.getTime() + 1));
  });
}

async function putAside(
  { db, warn }: InboxContext,
  event: TakenEvent,
  error: unknown,
  earlier: 'kept' | 'replaced' = 'replaced',
): Promise<void> {
  if (await setAside(db.query, event, errorMessage(error), earlier)) {
    const name = nameOf(event);
    warn(
      `${name} was set aside; its thread goes on. \`countersign doctor\` says how to try it again.`,
      error,
    );
  }
}

/**
 * Handles `event` under `lease` and settles it.
 * @param signal of the lease and the process
 * @param stopping of the process: a try that it cuts off does not count
 * @returns whether the thread is still held
 */
export async function handleEvent(
  context: InboxContext,
  handler: InboxHandler,
  lease: Lease,
  event: TakenEvent,
  { signal, stopping }: { signal: AbortSignal; stopping: AbortSignal },
): Promise<boolean> {
  const { db, rule, random, warn } = context;
  const write = <T>(work: () => Promise<T>) => askPatiently(context, work, stopping);
  if (event.failures > rule.tries) {
    const error = new Error('The process ended during the last try.');
    await write(() => putAside(context, event, error, 'kept'));
    return true;
  }
  passCrashPoint('taken');
  try {
    const marked = await callWithin(rule.tryWithinMs, handler, event, signal);
    passCrashPoint('handled');
    const settled = await write(() => settleHandled(db.query, event));
    if (!settled && !marked) warn(`${nameOf(event)} was handled, and taken by another as well.`);
    passCrashPoint('settled');
    return true;
  } catch (error) {
    if (stopping.aborted) {
      await putBack(context, lease, event, { inMs: 0, counts: false, error: null });
      return false;
    }
    const { attempt, failures, age_ms: ageMs } = event;
    const decided = decideNextTry(error, { attempt, failures, ageMs }, rule, random);
    if (decided.next === 'set_aside') {
      await write(() => putAside(context, event, error));
      return true;
    }
    const seconds = Math.ceil(decided.inMs / 1000);
    warn(`${nameOf(event)} failed and is tried again in ${seconds} s.`, error);
    const text = errorMessage(error);
    await write(() => putBack(context, lease, event, { ...decided, error: text }));
    return false;
  }
}
