// Changes the audit log as only retention may.
import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';

export function changeAudit(db: Pick<Database, 'transaction'>, statement: SQL): Promise<void> {
  return db.transaction(async (tx) => {
    await tx.execute(sql`select set_config('countersign.retention', 'on', true)`);
    await tx.execute(statement);
  });
}
