// What tools may do through the database: post in a conversation, store a reminder.
import type { Database, Transaction } from '#db/database.ts';
import { isTransient } from '#db/transient.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Enqueue } from '#domain/jobs.ts';
import { speakAsBot } from '#messages/speak.ts';
import { setReminder } from '#notices/reminders.ts';
import { requirePostTarget } from '#plans/proposal/post-targets.ts';
import type { ChatPort, ReminderPort } from '#tools/ports.ts';

/** What a tool asks of the database. A failure is told without its query, which nobody reading a card can use. */
export async function forTool<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof CountersignError) throw cause;
    throw isTransient(cause)
      ? new CountersignError('database_unavailable', 'the database is away; retry it.', {
          cause,
          passesAfterMs: 0,
        })
      : new CountersignError('internal', 'the database refused it.', { cause });
  }
}

export function createToolPorts(
  db: Database,
  enqueue: Enqueue<Transaction>,
): { chat: ChatPort; reminders: ReminderPort } {
  return {
    chat: {
      async post({ conversation, from, user, text, once }) {
        await forTool(() =>
          db.transaction(async (tx) => {
            await requirePostTarget(tx, { conversation: from, requester: user }, conversation);
            await speakAsBot({ enqueue }, tx, { conversation, says: text, once });
          }),
        );
      },
    },
    reminders: {
      set: (reminder) => forTool(() => setReminder({ db, enqueue }, reminder)),
    },
  };
}
