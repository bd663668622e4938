// One protocol for every decision: authorize, detect a repeat, check that what was shown is current, then commit.
import type { Commit, Database, Queryable, Transaction } from '#db/database.ts';

/** One decision about one subject. The checks run in this order, under the subject's lock. */
export type Ruling<Row, Standing, Outcome> = {
  lock(tx: Transaction): Promise<Row>;
  /** @throws `not_allowed` */
  requireAllowed(q: Queryable, row: Row): Promise<Standing>;
  /** Whether the same person did just this before, and nothing else was decided since. */
  isRepeated(q: Queryable, row: Row, standing: Standing): Promise<boolean>;
  /** @throws `stale_version`, `digest_mismatch`, `already_decided`, `invalid_transition`, with what holds now */
  requireCurrent(q: Queryable, row: Row, standing: Standing): Promise<void>;
  /** Slow calls to tools and calendars: after the checks, before the transaction. */
  prepare?: { read(q: Queryable): Promise<Row>; ask(row: Row): Promise<void> };
  /** Row, audit entry, event and job: all of them or none. */
  apply(tx: Transaction, row: Row, standing: Standing): Promise<Outcome>;
};

/** Prepares a decision; the commit runs the checks under the lock. @returns a commit, which yields null for a repeat */
export async function decide<Row, Standing, Outcome>(
  db: Pick<Database, 'query'>,
  ruling: Ruling<Row, Standing, Outcome>,
): Promise<Commit<{ outcome: Outcome } | null>> {
  const judge = async (q: Queryable, row: Row): Promise<{ standing: Standing } | null> => {
    const standing = await ruling.requireAllowed(q, row);
    if (await ruling.isRepeated(q, row, standing)) return null;
    await ruling.requireCurrent(q, row, standing);
    return { standing };
  };
  const { prepare } = ruling;
  if (prepare !== undefined) {
    const seen = await prepare.read(db.query);
    if ((await judge(db.query, seen)) === null) return async () => null;
    await prepare.ask(seen);
  }
  return async (tx) => {
    const row = await ruling.lock(tx);
    const judged = await judge(tx, row);
    return judged === null ? null : { outcome: await ruling.apply(tx, row, judged.standing) };
  };
}
