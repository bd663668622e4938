// Whether several organisations share the instance; stored for workers without chats.
import { sql } from 'drizzle-orm';
import type { Tenancy } from '#domain/tenancy.ts';
import type { Database, Queryable } from '../database.ts';
import { type Listener, notify } from '../notify.ts';
import { countersign } from '../schema/columns.ts';
import { tenancy } from '../schema.ts';
import { retryUntilDatabaseAnswers } from '../transient.ts';

/** Oldest first; `first`: the oldest of its platform. */
async function readTenants(db: Queryable): Promise<{ tenant: string; first: boolean }[]> {
  return db.rows(sql`
    select tenant, row_number() over (partition by split_part(tenant, ':', 1) order by began, tenant) = 1 as first
    from (
      select tenant, min(created_at) as began from (
        select tenant, min(created_at) as created_at from ${countersign}.plans group by tenant
        union all select tenant, min(created_at) from ${countersign}.runs group by tenant
      ) known where tenant is not null group by tenant
    ) tenants order by began, tenant`);
}

async function readRow(db: Queryable): Promise<Tenancy | null> {
  const [row] = await db.select({ apart: tenancy.apart, owners: tenancy.owners }).from(tenancy);
  return row ?? null;
}

/** Until something is stored: two organisations of one platform mean a shared instance. */
async function guess(db: Queryable): Promise<Tenancy> {
  const apart = (await readTenants(db)).some(({ first }) => !first);
  return { apart, owners: [] };
}

/** The shared folder stays with each platform's first organisation if it had the instance to itself. */
async function keep(db: Database, apart: boolean): Promise<Tenancy> {
  const before = await readRow(db.query);
  if (before !== null && (before.apart || !apart)) return before;
  return db.transaction(async (tx) => {
    const added = await tx
      .insert(tenancy)
      .values({ name: 'tenancy', apart: false })
      .onConflictDoNothing()
      .returning();
    const [row] = await tx.select().from(tenancy).for('update');
    if (!apart || row?.apart === true) return row ?? { apart, owners: [] };
    const tenants = await readTenants(tx);
    // Before 0.2 nothing was stored: among several, the former sole organisation is unknown.
    const isKnown = added.length === 0 || tenants.length === 1;
    const owners = isKnown ? tenants.flatMap(({ tenant, first }) => (first ? [tenant] : [])) : [];
    await tx.update(tenancy).set({ apart, owners });
    await notify(tx, 'tenancy');
    return { apart, owners };
  });
}

/** @param configured whether this process separates organisations, or null if it serves none */
export async function followTenancy(
  db: Database,
  listener: Pick<Listener, 'on'>,
  configured: boolean | null,
  warn: (message: string, error: unknown) => void,
): Promise<() => Tenancy> {
  const read = async () => (await readRow(db.query)) ?? (await guess(db.query));
  let now: Tenancy | null = null;
  // Before reading, so that no change is missed.
  listener.on('tenancy', () => {
    const late = (error: unknown) =>
      warn("Could not read this instance's organisations; retrying.", error);
    retryUntilDatabaseAnswers(read, late).then((found) => {
      if (JSON.stringify(found) !== JSON.stringify(now)) now = found;
    }, late);
  });
  const first = configured === null ? await read() : await keep(db, configured);
  now ??= first;
  return () => now ?? first;
}
