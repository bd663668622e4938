// Changes the audit log as nobody but retention may, to begin anew, to make entries old, or to tamper with it.
import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';

/** Runs `statement` in a transaction that the log takes for retention's. */
export function changeAudit(db: Pick<Database, 'transaction'>, statement: SQL): Promise<void> {
  return db.transaction(async (tx) => {
    await tx.execute(sql`select set_config('countersign.retention', 'on', true)`);
    await tx.execute(statement);
  });
}
