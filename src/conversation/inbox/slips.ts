// The slips that say which threads have something open.
import { hash } from 'node:crypto';
import {
  type AuthoredThread,
  type InboxSlip,
  type InboxThread,
  threadsASlip,
} from '#contracts/inbox.ts';
import type { Enqueue } from '#contracts/jobs.ts';
import type { Transaction } from '#store/database.ts';

/**
 * Of the slips of one thread alone that may be taken now at most one waits. A digest, since names together may be longer than an
 * index holds.
 */
export function keyOfThread({ platform, tenant, thread }: InboxThread): string {
  return hash('sha256', JSON.stringify([platform, tenant, thread]), 'hex');
}

/**
 * Sends the slip of one thread.
 * @param startAfter not before; now when left out. A later slip has a key of its own: those that are sent meanwhile would
 *   otherwise be dropped for it, and it may be an hour away
 */
export async function sendSlip(
  { enqueue }: { enqueue: Enqueue<Transaction> },
  tx: Transaction,
  { platform, tenant, thread }: InboxThread,
  startAfter?: Date,
): Promise<void> {
  const payload = { platform, tenant, thread };
  const key = keyOfThread(payload);
  const options =
    startAfter === undefined ? { key } : { key: `${key}@${startAfter.toISOString()}`, startAfter };
  await enqueue(tx, 'inbox', payload, options);
}

/** `person`: whose turn it takes. */
type Slip = { payload: InboxSlip; key: string; person?: string };

/** Platforms call people of several workspaces by the same id. */
function takeTurn({ tenant }: InboxThread, author: string | undefined): { person?: string } {
  return author === undefined ? {} : { person: hash('sha256', JSON.stringify([tenant, author])) };
}

/** A slip for each thread, in one order everywhere: whoever sends one waits for those who are sending the same. */
export function slipsFor(threads: AuthoredThread[]): Slip[] {
  const slips = new Map(
    threads.map(({ platform, tenant, thread, author }) => {
      const payload = { platform, tenant, thread };
      return [keyOfThread(payload), { payload, ...takeTurn(payload, author) }];
    }),
  );
  return [...slips].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, slip]) => ({ key, ...slip }));
}

/** One slip for all of `first` and `others`. Sent again for the same threads it has the same key. */
function shareSlip(first: Slip, others: Slip[]): Slip {
  if (others.length === 0) return first;
  const named = others.map(({ payload: { tenant, thread } }) => ({ tenant, thread }));
  const key = hash('sha256', [first, ...others].map((slip) => slip.key).join(), 'hex');
  const { person } = first;
  const isOnes = person !== undefined && others.every((other) => other.person === person);
  return { key, payload: { ...first.payload, others: named }, ...(isOnes ? { person } : {}) };
}

/** Who has one thread in a moment shares slips with others like that; who has several has slips of their own. */
function groupByTurn(slips: Slip[]): Slip[][] {
  const byPerson = Map.groupBy(slips, ({ person }) => person);
  const groups = Map.groupBy(slips, ({ payload: { platform }, person }) => {
    const several = person !== undefined && (byPerson.get(person)?.length ?? 0) > 1;
    return `${platform} ${several ? person : ''}`;
  });
  return [...groups.values()];
}

/**
 * Slips for threads of a moment, which share them: such a slip is written, taken and noted as done as a whole. In one order, as
 * those of `slipsFor`. A thread that is busy while nobody takes slips is named in many of them, at most one a sending; who finds
 * the same threads over and over sends one for each (`slipsFor`), of which one waits.
 */
export function sharedSlipsFor(threads: AuthoredThread[]): Slip[] {
  const shared: Slip[] = [];
  for (const slips of groupByTurn(slipsFor(threads))) {
    for (let from = 0; from < slips.length; from += threadsASlip) {
      const [first, ...others] = slips.slice(from, from + threadsASlip);
      if (first !== undefined) shared.push(shareSlip(first, others));
    }
  }
  return shared.sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** The threads that a slip names. */
export function threadsOf({ others = [], ...first }: InboxSlip): InboxThread[] {
  return [first, ...others.map((other) => ({ platform: first.platform, ...other }))];
}
