// What drawing Homes is given: whatever draws those of each platform that a process serves.
import type { ChatHomes } from '#contracts/chat.ts';
import type { Platform } from '#contracts/inbox.ts';
import type { Enqueue } from '#contracts/jobs.ts';
import type { Database, Transaction } from '#store/database.ts';

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
