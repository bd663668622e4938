// Slips of what is stored and acknowledged. Nobody waits for them: should this process die before one is sent, or the server
// with what is not on its disk yet, the round finds the thread (`look-after.ts`).
import type { InboxThread } from '#contracts/inbox.ts';
import { createSender, type Sender } from '#store/send-soon.ts';
import type { InboxContext } from './inbox-context.ts';
import { keyOfThread, slipsFor } from './slips.ts';

/** Sends slips of threads at once, and then with one statement for all that are stored in a moment. */
export function createSlipSender({
  db,
  enqueueAll,
  warn,
}: Pick<InboxContext, 'db' | 'enqueueAll' | 'warn'>): Sender<InboxThread> {
  return createSender({
    keyOf: keyOfThread,
    send: (threads) =>
      db.transaction((tx) => enqueueAll(tx, 'inbox', slipsFor(threads)), { lazily: true }),
    onError: (error) =>
      warn('Nobody could be told of new events; they are found within seconds.', error),
  });
}
