// Where threads are entered, and events settled with the next taken: those of several threads with one statement and one
// commit. What it waits for has a limit; a thread that somebody keeps waiting, or that fails, is then asked for alone.
import type { Queryable } from '#store/database.ts';
import { gather } from '#store/gather.ts';
import { enterThread, type Lease, settleAndTake, type Taken } from '#store/sql/inbox-thread.ts';
import {
  enterThreads,
  type Settled,
  type Settling,
  settleAndTakeEach,
} from '#store/sql/inbox-threads.ts';
import { mayDivide } from '#store/transient.ts';
import { keyOfThread } from './slips.ts';

/** How the server treats what several threads share: milliseconds after which it ends it, and how it is planned. */
export const sharedSession = {
  lockMs: 100,
  statementMs: 5000,
  settings: {
    // Each of its statements finds its rows by an index, whatever Postgres knew of the tables when it planned them.
    enable_seqscan: 'off',
    enable_hashjoin: 'off',
    enable_mergejoin: 'off',
  },
};

const atMost = 50;

export type ThreadDesk = {
  /** As `enterThread`. */
  enter(lease: Lease): Promise<Taken>;
  /** As `settleAndTake`. */
  settleAndTake(settling: Settling): Promise<Settled>;
};

/**
 * @param db for one alone, however long that waits
 * @param shared for several; its connections are as `sharedSession` says
 */
export function createThreadDesk(
  db: Pick<Queryable, 'run'>,
  shared: Pick<Queryable, 'run'>,
  leaseSeconds: number,
): ThreadDesk {
  const enterAlone = (on: Pick<Queryable, 'run'>, lease: Lease) =>
    enterThread(on, lease, leaseSeconds);
  const settleAlone = (on: Pick<Queryable, 'run'>, { lease, event, reply }: Settling) =>
    settleAndTake(on, lease, event, { leaseSeconds, reply });
  return {
    enter: gather<Lease, Taken>({
      keyOf: keyOfThread,
      atMost,
      async together(leases) {
        const [lease] = leases;
        if (lease === undefined || leases.length > 1)
          return enterThreads(shared, leases, leaseSeconds);
        return [await enterAlone(shared, lease)];
      },
      apart: { is: mayDivide, alone: (lease) => enterAlone(db, lease) },
    }),
    settleAndTake: gather<Settling, Settled>({
      keyOf: ({ lease }) => keyOfThread(lease),
      atMost,
      async together(settlings) {
        const [settling] = settlings;
        if (settling === undefined || settlings.length > 1)
          return settleAndTakeEach(shared, settlings, leaseSeconds);
        return [await settleAlone(shared, settling)];
      },
      apart: { is: mayDivide, alone: (settling) => settleAlone(db, settling) },
    }),
  };
}
