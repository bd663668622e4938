// Dependencies of the inbox, and what adapters provide: one handler per platform.
import type { Database, Queryable, Transaction } from '#db/database.ts';
import { retryUntilDatabaseAnswers } from '#db/transient.ts';
import type { InboxEvent } from '#domain/chat/inbox.ts';
import type { Random } from '#domain/clock.ts';
import type { Enqueue, EnqueueAll } from '#domain/jobs.ts';
import type { PlatformName } from '#domain/platform-name.ts';
import type { RetryRule } from './retry.ts';

export type EventAttempt = {
  /** From 1, including interrupted ones. */
  attempt: number;
  /** Aborts when the process stops, the attempt times out, or another worker takes the thread. */
  signal: AbortSignal;
  /**
   * Marks the event as handled in the handler's own transaction, so that both commit or neither. Throws `lease_lost` if another
   * worker took the event; roll back then.
   */
  markHandled(tx: Queryable): Promise<void>;
  /** Milliseconds from storing to taking the event, by the database's clock. */
  age(): number;
  /**
   * The reply to the event's waiter (`wait-until-handled.ts`): JSON, stored with the mark. If it isn't read in time, the event is
   * handled once more without a waiter.
   */
  reply(value: unknown): void;
  /** Deletes the body of an event that is not for the bot. */
  forget(): void;
};

/**
 * Handles an event. May run again after an error or a crash, even if the work was done, so it must deduplicate by `event.id` or
 * work in the transaction that marks the event.
 * @throws to be retried; `passesAfterMs` of a CountersignError is respected
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
  /** Attempts that may end their process before the event is set aside. */
  deaths: number;
  /** Seconds after which a silent holder's thread is given to another. */
  leaseSeconds: number;
  /** Timeout of one attempt. */
  tryWithinMs: number;
  /** Seconds before recovery wakes an idle thread whose wakeup may still be on its way. */
  lateSeconds: number;
  /** Seconds after which no waiter is left. */
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
 * Retries an inbox statement while the database is unreachable, so that a handled event isn't handled again only because
 * recording failed.
 * @param stopping if aborted, the next failure is thrown. @throws permanent errors
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
