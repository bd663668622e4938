// Handles a thread's open events in order, under one lease.
import {
  enterThread,
  type Lease,
  leaveThread,
  renewThread,
  type Taken,
  takeNext,
} from '#db/chat/inbox-thread.ts';
import type { InboxThread } from '#domain/chat/inbox.ts';
import type { FinishAfter } from '#domain/jobs.ts';
import { handleEvent } from './handle-event.ts';
import { type InboxContext, type InboxHandler, retryWhileAway } from './inbox-context.ts';
import { sendWakeup } from './receive.ts';

/** Before others have a turn. */
const eventsATurn = 50;

type Keeper = { lost: AbortSignal; stop(): void };

function keepLease({ db, rule, warn }: InboxContext, lease: Lease): Keeper {
  const lost = new AbortController();
  let asking = false;
  const timer = setInterval(
    () => {
      if (asking) return;
      asking = true;
      renewThread(db.query, lease, rule.leaseSeconds)
        .then((held) => {
          if (!held) lost.abort(new Error('This thread was given to another.'));
        })
        .catch((error: unknown) => warn('Could not renew a lease of the inbox.', error))
        .finally(() => {
          asking = false;
        });
    },
    (rule.leaseSeconds * 1000) / 3,
  );
  return { lost: lost.signal, stop: () => clearInterval(timer) };
}

async function passOn(context: InboxContext, lease: Lease): Promise<void> {
  await context.db.transaction(async (tx) => {
    await leaveThread(tx, lease);
    await sendWakeup(context, tx, lease);
  });
}

type HeldThread = { lease: Lease; handler: InboxHandler; taken: Taken };

/** If it is free, due and its platform served. */
export async function holdThread(
  context: InboxContext,
  thread: InboxThread,
): Promise<HeldThread | null> {
  const { db, handlers, random, rule } = context;
  const { platform, tenant, thread: name } = thread;
  const handler = handlers[platform];
  if (handler === undefined) return null;
  const lease = { platform, tenant, thread: name, holder: random.hex(16) };
  const taken = await enterThread(db.query, lease, rule.leaseSeconds);
  return taken.held ? { lease, handler, taken } : null;
}

/** @param stopping leaves the rest to others */
export async function workOnThread(
  context: InboxContext,
  { lease, handler, taken: first }: HeldThread,
  stopping: AbortSignal,
): Promise<void> {
  const { db, rule } = context;
  const { leaseSeconds } = rule;
  let taken = first;
  for (let done = 0; taken.held; ) {
    const keeper = keepLease(context, lease);
    const signal = AbortSignal.any([stopping, keeper.lost]);
    try {
      while (taken.held) {
        const { event } = taken;
        if (event === null) {
          if (stopping.aborted) return await passOn(context, lease);
          const next = () => takeNext(db.query, lease, leaseSeconds);
          taken = await retryWhileAway(context, next, stopping);
          continue;
        }
        done += 1;
        const last = done >= eventsATurn;
        const next = await handleEvent(context, handler, lease, event, { signal, stopping, last });
        if (next === 'left') return;
        if (next === 'held') return await passOn(context, lease);
        taken = next;
      }
    } finally {
      keeper.stop();
    }
    taken = await enterThread(db.query, lease, leaseSeconds);
  }
}

/** Each may hold a connection while leases are renewed. */
export const threadsAtOnce = 6;

/** First come, first served. @returns takes a slot; resolves to its release */
function createSlots(most: number): () => Promise<() => void> {
  const waiting: (() => void)[] = [];
  let free = most;
  const giveBack = () => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return async () => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else free -= 1;
    return giveBack;
  };
}

export function createWakeupHandler(context: InboxContext) {
  const takeSlot = createSlots(threadsAtOnce);
  return async (
    thread: InboxThread,
    signal: AbortSignal,
    finishAfter: FinishAfter,
  ): Promise<void> => {
    const giveBack = await takeSlot();
    let held: HeldThread | null = null;
    try {
      signal.throwIfAborted();
      held = await holdThread(context, thread);
    } finally {
      if (held === null) giveBack();
    }
    if (held === null) return;
    const mine = held;
    finishAfter(async (stopping) => {
      try {
        await workOnThread(context, mine, stopping);
      } catch (error) {
        if (!stopping.aborted)
          context.warn(
            'Work on a thread was interrupted. It continues once its lease expires.',
            error,
          );
      } finally {
        giveBack();
      }
    });
  };
}
