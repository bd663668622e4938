// Seals the audit log and prunes its old end.
// IDs precede commits, so a round seals only up to an ID whose writers have all ended.
import { setTimeout as pause } from 'node:timers/promises';
import { and, asc, count, desc, eq, gt, isNotNull, isNull, lt, lte, sql } from 'drizzle-orm';
import type { Clock } from '#domain/clock.ts';
import { system } from '#domain/people/actor.ts';
import type { Database, Queryable, Transaction } from '../database.ts';
import { schemaName } from '../instance.ts';
import { countersign } from '../schema/columns.ts';
import { audit, auditSeals } from '../schema.ts';
import { isoOf } from '../time.ts';
import { recordAudit } from './audit.ts';
import {
  type AuditKey,
  type AuditRow,
  type AuditSeal,
  digestRows,
  hashSeal,
  signPruning,
} from './chain.ts';

const rowsASeal = 1000;
const sealAfterMs = 60_000;
/** The server ends transactions that idle longer. */
const writersWithinMs = 5000;
const lookEveryMs = 20;
const sealsARound = 20;
const prunedAtOnce = 3;

export async function readRows(
  db: Queryable,
  { after, through, limit }: { after: number; through: number; limit: number },
): Promise<AuditRow[]> {
  return db.values(sql`
    select to_jsonb(a) || jsonb_build_object('at', ${isoOf('a.at', 'microseconds')}) as row
    from ${countersign}.audit a where a.id > ${after} and a.id <= ${through} order by a.id limit ${limit}`);
}

async function readLastSeal(db: Queryable): Promise<AuditSeal | null> {
  const [last] = await db.select().from(auditSeals).orderBy(desc(auditSeals.seq)).limit(1);
  return last ?? null;
}

/** `unsealed` counts up to 10,000. */
export type AuditState = {
  last: Pick<AuditSeal, 'seq' | 'hash' | 'last_id' | 'sealed_at' | 'key_id'> | null;
  unsealed: number;
  oldest_unsealed: Date | null;
};

export async function readAuditState(db: Queryable, counted = 10_000): Promise<AuditState> {
  const last = await readLastSeal(db);
  const open = gt(audit.id, last?.last_id ?? 0);
  const [oldest] = await db
    .select({ at: audit.at })
    .from(audit)
    .where(open)
    .orderBy(asc(audit.id))
    .limit(1);
  const some = db.select({ id: audit.id }).from(audit).where(open).limit(counted).as('some');
  const [found] = oldest === undefined ? [] : await db.select({ n: count() }).from(some);
  const unsealed = found?.n ?? 0;
  return { last, unsealed, oldest_unsealed: oldest?.at ?? null };
}

async function readWriters(db: Queryable): Promise<string[]> {
  return db.values(sql`
    select distinct virtualtransaction as writer from pg_locks
    where locktype = 'relation' and relation = '${countersign}.audit'::regclass
      and database = (select oid from pg_database where datname = current_database())
      and mode = 'RowExclusiveLock' and granted`);
}

/** An ID up to which no further row can appear, or null if a writer hasn't ended in time. */
async function findHorizon(db: Queryable): Promise<number | null> {
  const { rows } = await db.execute<{ id: number }>(
    sql`select last_value as id from ${countersign}.audit_id_seq`,
  );
  let open = new Set(await readWriters(db));
  for (let waited = 0; open.size > 0; waited += lookEveryMs) {
    if (waited >= writersWithinMs) return null;
    await pause(lookEveryMs);
    const still = new Set(await readWriters(db));
    open = new Set([...open].filter((writer) => still.has(writer)));
  }
  return rows[0]?.id ?? 0;
}

async function lockChain(tx: Transaction): Promise<boolean> {
  const { rows } = await tx.execute<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock(hashtextextended(${`${schemaName} audit`}, 0)) as locked`,
  );
  return rows[0]?.locked === true;
}

/** @returns null if no rows are due or another process is sealing */
async function sealNext(
  db: Database,
  horizon: number,
  { key, clock, rows: most }: Required<SealOptions>,
): Promise<AuditSeal | null> {
  return await db.transaction(async (tx) => {
    if (!(await lockChain(tx))) return null;
    const before = await readLastSeal(tx);
    const rows = await readRows(tx, { after: before?.last_id ?? 0, through: horizon, limit: most });
    const [first, last] = [rows[0], rows.at(-1)];
    if (first === undefined || last === undefined) return null;
    const newest = Math.max(...rows.map(({ at }) => Date.parse(at)));
    const seal = {
      seq: (before?.seq ?? 0) + 1,
      first_id: first.id,
      last_id: last.id,
      count: rows.length,
      ...digestRows(rows),
      previous: before?.hash ?? '',
      key_id: key?.id ?? null,
      newest_at: new Date(newest),
      sealed_at: clock.now(),
      pruned: null,
    };
    const sealed = { ...seal, hash: hashSeal(seal, key) };
    await tx.insert(auditSeals).values(sealed);
    return sealed;
  });
}

export type SealOptions = { key: AuditKey | null; clock: Clock; rows?: number };

export async function sealAudit(
  db: Database,
  { rows = rowsASeal, ...options }: SealOptions,
): Promise<AuditSeal[]> {
  const horizon = await findHorizon(db.query);
  if (horizon === null) return [];
  const made: AuditSeal[] = [];
  while (made.length < sealsARound) {
    const seal = await sealNext(db, horizon, { ...options, rows });
    if (seal === null) break;
    made.push(seal);
  }
  return made;
}

/** `tell` gets each UTC day's first seal for the log; a hash kept elsewhere proves the chain later. */
export function createSealing(
  db: Database,
  options: SealOptions & { tell(seal: AuditSeal): void },
): () => Promise<void> {
  const dayOf = (at: Date) => at.toISOString().slice(0, 10);
  return async () => {
    const { last, unsealed, oldest_unsealed } = await readAuditState(db.query, rowsASeal);
    if (oldest_unsealed === null) return;
    const age = options.clock.now().getTime() - oldest_unsealed.getTime();
    if (unsealed < rowsASeal && age < sealAfterMs) return;
    let day = last === null ? null : dayOf(last.sealed_at);
    for (const seal of await sealAudit(db, options)) {
      if (dayOf(seal.sealed_at) !== day) options.tell(seal);
      day = dayOf(seal.sealed_at);
    }
  };
}

/** The trigger refuses other deletions. */
const allowRetention = sql`select set_config('countersign.retention', 'on', true)`;

/** The last row of the seals entirely before `before`, or null. */
export async function findPrunable(db: Queryable, before: Date): Promise<number | null> {
  const { rows } = await db.execute<{ through: number | null }>(sql`
    select max(s.last_id) as through from ${countersign}.audit_seals s where s.pruned is null and not exists (
      select 1 from ${countersign}.audit_seals k
      where k.pruned is null and k.seq <= s.seq and k.newest_at >= ${before.toISOString()}::timestamptz)`);
  return rows[0]?.through ?? null;
}

/**
 * Removes a few whole seals' rows from the old end, up to row `through`, and logs it. The last of these seals stays as the
 * chain's signed anchor. @returns rows removed; 0 when done
 */
export async function pruneAudit(
  tx: Transaction,
  through: number,
  { key }: { key: AuditKey | null },
): Promise<number> {
  if (!(await lockChain(tx))) return 0;
  const oldest = await tx
    .select({ seq: auditSeals.seq, hash: auditSeals.hash, last_id: auditSeals.last_id })
    .from(auditSeals)
    .where(and(isNull(auditSeals.pruned), lte(auditSeals.last_id, through)))
    .orderBy(asc(auditSeals.seq))
    .limit(prunedAtOnce);
  const anchor = oldest.at(-1);
  if (anchor === undefined) return 0;
  await tx.execute(allowRetention);
  const { rowCount } = await tx.delete(audit).where(lte(audit.id, anchor.last_id));
  await tx.delete(auditSeals).where(lt(auditSeals.seq, anchor.seq));
  await tx
    .update(auditSeals)
    .set({ pruned: signPruning(anchor, key) })
    .where(eq(auditSeals.seq, anchor.seq));
  await recordAudit(tx, [
    {
      planId: null,
      actor: system,
      action: 'audit_pruned',
      data: { rows: rowCount ?? 0, through_seal: anchor.seq, hash: anchor.hash },
    },
  ]);
  return rowCount ?? 0;
}

export async function readAnchor(db: Queryable): Promise<AuditSeal | null> {
  const [anchor] = await db
    .select()
    .from(auditSeals)
    .where(isNotNull(auditSeals.pruned))
    .orderBy(desc(auditSeals.seq))
    .limit(1);
  return anchor ?? null;
}
