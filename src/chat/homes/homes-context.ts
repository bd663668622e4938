// What drawing Home tabs depends on: one drawer per platform that the process serves.
import type { Database, Transaction } from '#db/database.ts';
import type { ChatHomes } from '#domain/chat/chat.ts';
import type { Platform } from '#domain/chat/inbox.ts';
import type { Enqueue } from '#domain/jobs.ts';

export type HomesContext = {
  db: Database;
  enqueue: Enqueue<Transaction>;
  /** Homes of another platform wait. */
  homes: Partial<Record<Platform, ChatHomes>>;
  warn(message: string, error?: unknown): void;
};

/** What it takes to ask for Homes. */
export type Asking = Pick<HomesContext, 'db' | 'enqueue'>;

/** Says that Homes of a platform are to be drawn. Wakeups for later gather what comes until then. */
export async function askToDraw(
  { enqueue }: Asking,
  tx: Transaction,
  platform: Platform,
  inMs: number,
): Promise<void> {
  const later = inMs > 0;
  const startAfter = later ? { startAfter: new Date(Date.now() + inMs) } : {};
  await enqueue(tx, 'homes', { platform }, { key: later ? 'later' : 'now', ...startAfter });
}
