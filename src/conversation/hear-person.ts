// What people say, written down. A message that has a name of its own, such as one of a chat platform, is heard once.
import type { Transaction } from '#store/database.ts';
import { appendMessage } from '#store/messages.ts';

/** The message was heard before, with all that it meant. Whoever throws it has changed nothing. */
export class SaidBefore extends Error {
  constructor(once: string) {
    super(`${once} was heard before.`);
    this.name = 'SaidBefore';
  }
}

/** @throws SaidBefore; let that roll the transaction back */
export async function hearPerson(
  tx: Transaction,
  said: {
    conversation: string;
    name: string;
    text: string;
    runId: string | null;
    /** The message's name where it came from; undefined: it has none. */
    once?: string | undefined;
  },
): Promise<void> {
  const { once, ...message } = said;
  const added = await appendMessage(tx, {
    ...message,
    author: 'person',
    ...(once === undefined ? {} : { once }),
  });
  if (!added && once !== undefined) throw new SaidBefore(once);
}
