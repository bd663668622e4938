// The protocol of every decision.
import type { Commit, Database, Queryable, Transaction } from '#db/database.ts';
import type { PlanRow } from '#db/plans/plans.ts';

/** Checks run in this order, under the lock. */
export type Ruling<Row, Authority, Outcome> = {
  lock(tx: Transaction): Promise<Row>;
  /** @throws `not_allowed` */
  requireAllowed(q: Queryable, row: Row): Promise<Authority>;
  /** By the same person, with no other decision since. */
  isRepeated(q: Queryable, row: Row, authority: Authority): Promise<boolean>;
  /** @throws `stale_version`, `digest_mismatch`, `already_decided`, `invalid_transition` */
  requireCurrent(q: Queryable, row: Row, authority: Authority): Promise<void>;
  /** Slow calls: after the checks, before the transaction. */
  prepare?: { read(q: Queryable): Promise<Row>; ask(row: Row): Promise<void> };
  apply(tx: Transaction, row: Row, authority: Authority): Promise<Outcome>;
};

/** The commit checks under the lock. @returns yields null for a repeat */
export async function decide<Row, Authority, Outcome>(
  db: Pick<Database, 'query'>,
  ruling: Ruling<Row, Authority, Outcome>,
): Promise<Commit<{ outcome: Outcome } | null>> {
  const check = async (q: Queryable, row: Row): Promise<{ authority: Authority } | null> => {
    const authority = await ruling.requireAllowed(q, row);
    if (await ruling.isRepeated(q, row, authority)) return null;
    await ruling.requireCurrent(q, row, authority);
    return { authority };
  };
  const { prepare } = ruling;
  if (prepare !== undefined) {
    const seen = await prepare.read(db.query);
    if ((await check(db.query, seen)) === null) return async () => null;
    await prepare.ask(seen);
  }
  return async (tx) => {
    const row = await ruling.lock(tx);
    const checked = await check(tx, row);
    return checked === null ? null : { outcome: await ruling.apply(tx, row, checked.authority) };
  };
}

/** `14:02 UTC`. */
export function clockTime(date: Date | null): string {
  return date === null ? 'an unknown time' : `${date.toISOString().slice(11, 16)} UTC`;
}

export function currentOf(row: PlanRow): Record<string, unknown> {
  return {
    version: row.version,
    digest: row.digest,
    status: row.status,
    revision: row.revision,
    decided_by: row.decided_by,
    decided_at: row.decided_at?.toISOString() ?? null,
  };
}
