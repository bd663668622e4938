// Slips of what is stored and acknowledged. Nobody waits for them: should this process die before one is sent, or the server
// with what is not on its disk yet, the round finds the thread (`look-after.ts`).
import type { AuthoredThread } from '#contracts/inbox.ts';
import { createSender, type Sender } from '#store/send-soon.ts';
import type { InboxContext } from './inbox-context.ts';
import { keyOfThread, sharedSlipsFor } from './slips.ts';

/**
 * Milliseconds. Who sends the same slip at one moment waits for each other; a process that is stopped in the middle
 * is not waited for longer than it takes the server to end it.
 */
const limits = { lockMs: 3000, statementMs: 4000, idleMs: 2000 };

/** Sends slips of threads at once, and then with one statement for all that are stored in a moment. */
export function createSlipSender({
  db,
  enqueueAll,
  warn,
}: Pick<InboxContext, 'db' | 'enqueueAll' | 'warn'>): Sender<AuthoredThread> {
  return createSender({
    keyOf: keyOfThread,
    send: (threads) =>
      db.transaction((tx) => enqueueAll(tx, 'inbox', sharedSlipsFor(threads)), {
        lazily: true,
        limits,
      }),
    onError: (error) =>
      warn('Nobody could be told of new events; they are found within seconds.', error),
  });
}
