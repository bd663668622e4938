// Dependencies of the inbox, and its handlers per platform.
import type { Database, Queryable, Transaction } from '#db/database.ts';
import { retryUntilDatabaseAnswers } from '#db/transient.ts';
import type { InboxEvent } from '#domain/chat/inbox.ts';
import type { Random } from '#domain/clock.ts';
import type { Enqueue, EnqueueAll } from '#domain/jobs.ts';
import type { PlatformName } from '#domain/platform-name.ts';
import type { RetryRule } from './retry.ts';

export type EventAttempt = {
  /** From 1, with interrupted ones. */
  attempt: number;
  /** Process stops, timeout, or another worker took the thread. */
  signal: AbortSignal;
  /** Commits with the handler's transaction. Throws `lease_lost` if another worker took the event; roll back then. */
  markHandled(tx: Queryable): Promise<void>;
  /** Milliseconds since storing, by the database's clock. */
  age(): number;
  /**
   * JSON for the event's waiter (`wait-until-handled.ts`), stored with the mark. If unread in time, the event is handled again
   * without a waiter.
   */
  reply(value: unknown): void;
  /** Deletes the body: not for the bot. */
  forget(): void;
};

/**
 * May rerun after an error or crash, so deduplicate by `event.id` or work in the marking transaction.
 * @throws to be retried, after `passesAfterMs`
 */
export type InboxHandler = (event: InboxEvent, attempt: EventAttempt) => Promise<void>;

export type InboxHandlers = Record<PlatformName, InboxHandler>;

export type InboxContext = {
  db: Database;
  enqueue: Enqueue<Transaction>;
  enqueueAll: EnqueueAll<Transaction>;
  handlers: InboxHandlers;
  random: Random;
  rule: InboxRule;
  warn(message: string, error?: unknown): void;
};

export type InboxRule = RetryRule & {
  /** Attempts that may kill their process before the event is set aside. */
  deaths: number;
  /** Then a silent holder's thread is given away. */
  leaseSeconds: number;
  /** Per attempt. */
  tryWithinMs: number;
  /** Then recovery wakes an idle thread. */
  lateSeconds: number;
  /** Then no waiter is left. */
  unreadSeconds: number;
};

/** The program's settings. */
export const inboxRule: InboxRule = {
  tries: 8,
  deaths: 3,
  backoffMs: 1000,
  longestBackoffMs: 60_000,
  maxWaitMs: 24 * 3600 * 1000,
  leaseSeconds: 10,
  tryWithinMs: 120_000,
  lateSeconds: 5,
  unreadSeconds: 15,
};

/**
 * Retries while the database is away, lest a handled event is handled again.
 * @param stopping throws the next failure
 * @throws permanent errors
 */
export function retryWhileAway<T>(
  { warn }: InboxContext,
  work: () => Promise<T>,
  stopping: AbortSignal,
): Promise<T> {
  return retryUntilDatabaseAnswers(
    work,
    (error) => warn('The inbox is waiting for the database.', error),
    stopping,
  );
}
