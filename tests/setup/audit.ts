// Changes the audit log as only retention may: to empty it, age entries, or tamper.
import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';

/** Runs `statement` in a transaction that the log takes for retention's. */
export function changeAudit(db: Pick<Database, 'transaction'>, statement: SQL): Promise<void> {
  return db.transaction(async (tx) => {
    await tx.execute(sql`select set_config('countersign.retention', 'on', true)`);
    await tx.execute(statement);
  });
}
