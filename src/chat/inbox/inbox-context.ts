// What the inbox depends on, and what adapters provide: one handler per platform.
import type { Database, Queryable, Transaction } from '#db/database.ts';
import { retryUntilDatabaseAnswers } from '#db/transient.ts';
import type { InboxEvent } from '#domain/chat/inbox.ts';
import type { Random } from '#domain/clock.ts';
import type { Enqueue, EnqueueAll } from '#domain/jobs.ts';
import type { PlatformName } from '#domain/platform-name.ts';
import type { RetryRule } from './retry.ts';

/** One try at an event. */
export type EventAttempt = {
  /** Counts the tries, those that were cut off included; from 1. */
  attempt: number;
  /** Aborted when the process stops, when the time for one try is over, and when the thread was given to another. */
  signal: AbortSignal;
  /**
   * Marks the event as handled in a transaction of the handler, which then commits together with what the handler
   * writes: both happen once, or neither. Throws `lease_lost` when another took the event since; let that roll back.
   */
  markHandled(tx: Queryable): Promise<void>;
  /** Milliseconds since the event was stored. By one clock, the database's, up to when it was taken. */
  age(): number;
  /**
   * What somebody is told who waits for this event (`wait-until-handled.ts`): JSON, stored with the mark. If nobody has
   * read it by the time that nobody can wait any more, the event is handled once more, and then nobody waits for a reply.
   */
  reply(value: unknown): void;
  /** The event is not for the bot: its body is deleted. */
  forget(): void;
};

/**
 * Does what an event asks for. May be called again with the same event: after it threw, and when a process died before
 * the event was marked, even though the work was done. So what it does it does once for each `event.id`, or in the
 * transaction that marks the event.
 * @throws to have it tried again; what `passesAfterMs` says of a CountersignError is obeyed
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
  /** Tries that an event gets of which none came back: each has ended its process. */
  deaths: number;
  /** A thread whose holder has not been heard of for this long is given to another. */
  leaseSeconds: number;
  /** What one try may take. */
  tryWithinMs: number;
  /** A thread that nobody is at is looked after when it is this late: until then its wakeup may be on its way. */
  lateSeconds: number;
  /** Nobody waits any more for the reply to an event that was handled so long ago. */
  unreadSeconds: number;
};

/** How the inbox of a program works. */
export const inboxRule: InboxRule = {
  tries: 8,
  deaths: 3,
  backoffMs: 1000,
  longestBackoffMs: 60_000,
  patienceMs: 24 * 3600 * 1000,
  leaseSeconds: 10,
  tryWithinMs: 120_000,
  lateSeconds: 5,
  unreadSeconds: 15,
};

/**
 * Retries a statement of the inbox while the database is unreachable, so that a handled event is not handled again just because
 * recording it failed.
 * @param stopping aborted: the next failure is thrown. @throws what does not pass
 */
export function retryWhileAway<T>(
  { warn }: InboxContext,
  work: () => Promise<T>,
  stopping: AbortSignal,
): Promise<T> {
  return retryUntilDatabaseAnswers(
    work,
    (error) => warn('The inbox waits for the database.', error),
    stopping,
  );
}
