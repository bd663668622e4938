// Dependencies of the inbox, and its handlers per platform.
import type { Database, Queryable, Transaction } from '#db/database.ts';
import { retryUntilDatabaseAnswers } from '#db/transient.ts';
import type { InboxEvent } from '#domain/chat/inbox.ts';
import type { Random } from '#domain/clock.ts';
import type { Enqueue, EnqueueAll } from '#domain/jobs.ts';
import type { PlatformName } from '#domain/platform-name.ts';
import type { RetryRule } from './retry.ts';

export type EventAttempt = {
  /** From 1. */
  attempt: number;
  /** Aborts when the process stops, on timeout, or if another worker takes the thread. */
  signal: AbortSignal;
  /** Commits with the handler's transaction. Throws `lease_lost`; roll back then. */
  markHandled(tx: Queryable): Promise<void>;
  /** Milliseconds since storing, by the database's clock. */
  age(): number;
  /** JSON for the waiter (`wait-until-handled.ts`). If unread in time, the event is handled again without one. */
  reply(value: unknown): void;
  /** Deletes the body, if not for the bot. */
  forget(): void;
};

/**
 * May rerun after a crash: deduplicate by `event.id`, or work in the marking transaction.
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
  /** Crashed attempts before the event is set aside. */
  deaths: number;
  /** After this, a silent holder loses its thread. */
  leaseSeconds: number;
  /** Per attempt. */
  tryWithinMs: number;
  /** After this, recovery wakes an idle thread. */
  lateSeconds: number;
  /** After this, no waiter is left. */
  unreadSeconds: number;
};

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

/** @param stopping throws the next failure @throws permanent errors */
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
