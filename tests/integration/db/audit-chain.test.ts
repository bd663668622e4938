// The audit log: append-only, sealed and verified row by row.
import { type SQL, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { recordAudit } from '#db/audit/audit.ts';
import { type AuditKey, deriveAuditKey } from '#db/audit/chain.ts';
import { createSealing, findPrunable, pruneAudit, sealAudit } from '#db/audit/seals.ts';
import { verifyAudit } from '#db/audit/verify.ts';
import { type Database, openDatabase, type Queryable } from '#db/database.ts';
import { system } from '#domain/people/actor.ts';
import { changeAudit } from '../../setup/audit.ts';
import { useDatabase } from '../../setup/database.ts';

const database = useDatabase();
let db: Database;
let now = new Date('2026-05-04T09:00:00Z');
const clock = { now: () => now };
const key = deriveAuditKey(Buffer.alloc(32, 7));

beforeAll(() => {
  db = openDatabase(database.url, { max: 5, applicationName: 'test', onError: () => {} });
});
afterAll(() => db.close());
beforeEach(async () => {
  now = new Date('2026-05-04T09:00:00Z');
  await tamper(sql`truncate countersign.audit, countersign.audit_seals restart identity`);
});

// Like a database owner who knows of the trigger.
const tamper = (statement: SQL) => changeAudit(db, statement);

const record = (tx: Queryable, ...actions: string[]) =>
  recordAudit(
    tx,
    actions.map((action) => ({
      planId: 'PLAN-1',
      actor: system,
      action,
      data: { n: 1.5, of: null },
    })),
  );
const seal = (rows = 3, by: AuditKey | null = key) => sealAudit(db, { key: by, clock, rows });
const verify = (options: { from?: number; expect?: string } = {}, by: AuditKey | null = key) =>
  verifyAudit(db, { key: by, ...options });

// Seals of three, three, three and one.
async function sealTen() {
  await record(db.query, ...Array.from({ length: 10 }, (_, n) => `deed_${n + 1}`));
  return await seal();
}

describe('the audit log', () => {
  test.each([
    sql`update countersign.audit set reason = 'none'`,
    sql`delete from countersign.audit`,
    sql`truncate countersign.audit`,
    sql`update countersign.audit_seals set hash = ''`,
    sql`delete from countersign.audit_seals`,
  ])('refuses %#: it is append-only', async (statement) => {
    await record(db.query, 'approve');
    await seal();
    await expect(db.query.execute(statement)).rejects.toMatchObject({
      cause: { message: expect.stringContaining('append-only') },
    });
  });

  test('is whole after rows were sealed in batches, and says what is not sealed yet', async () => {
    const made = await sealTen();
    expect(made.map(({ count }) => count)).toEqual([3, 3, 3, 1]);
    await record(db.query, 'later');
    expect(await verify({ expect: made[1]?.hash ?? '' })).toMatchObject({
      ok: true,
      seals: 4,
      rows: 10,
      unkeyed: 0,
      unsealed: 1,
      last: { seq: 4, hash: made[3]?.hash },
    });
    expect(await verify({ from: 3 })).toMatchObject({ ok: true, seals: 2, rows: 4 });
  });

  test('seals a row whose id is smaller and whose transaction ends later', async () => {
    const begun = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const slow = db.transaction(async (tx) => {
      await record(tx, 'slow');
      begun.resolve();
      await end.promise;
    });
    await begun.promise;
    await record(db.query, 'quick');
    const sealing = seal();
    const { rows } = await db.query.execute<{ n: number }>(
      sql`select count(*)::int as n from countersign.audit_seals`,
    );
    expect(rows[0]?.n).toBe(0);
    end.resolve();
    await slow;
    expect(await sealing).toMatchObject([{ first_id: 1, last_id: 2, count: 2 }]);
    expect(await verify()).toMatchObject({ ok: true, unsealed: 0 });
  });

  test('is sealed once by many who try at the same time while others write', async () => {
    const writing = Promise.all(
      Array.from({ length: 40 }, (_, n) => db.transaction((tx) => record(tx, `deed_${n}`, 'more'))),
    );
    await Promise.all([seal(), seal(), seal(), seal()]);
    await writing;
    await seal(1000);
    expect(await verify()).toMatchObject({ ok: true, rows: 80, unsealed: 0 });
  });

  test.each<[string, ReturnType<typeof sql>, object]>([
    [
      'a changed row',
      sql`update countersign.audit set actor = 'ana' where id = 5`,
      { kind: 'row_changed', seal: 2, row: 5 },
    ],
    [
      'changed data',
      sql`update countersign.audit set data = '{"n":1.5}' where id = 5`,
      { kind: 'row_changed', seal: 2, row: 5 },
    ],
    [
      'a missing row',
      sql`delete from countersign.audit where id = 7`,
      { kind: 'row_missing', row: 7 },
    ],
    [
      'a row in a gap that an aborted transaction left',
      sql`insert into countersign.audit (id, actor, actor_kind, via, action) values (0, 'x', 'person', 'api', 'approve')`,
      { kind: 'row_added', seal: 1, row: 0 },
    ],
    [
      'a missing seal',
      sql`delete from countersign.audit_seals where seq = 2`,
      { kind: 'seal_missing', seal: 2 },
    ],
    [
      'a changed seal',
      sql`update countersign.audit_seals set sealed_at = sealed_at + interval '1 hour' where seq = 3`,
      { kind: 'seal_changed', seal: 3 },
    ],
    [
      'rows and seals that were removed as if retention had done it',
      sql`with gone as (delete from countersign.audit where id <= 3)
        update countersign.audit_seals set pruned = 'none:' || hash where seq = 1`,
      { kind: 'row_missing', seal: 1 },
    ],
  ])('names %s', async (_name, statement, fault) => {
    await sealTen();
    await tamper(statement);
    expect(await verify()).toMatchObject({ ok: false, fault });
  });

  test('finds a removed end by a hash that was kept elsewhere', async () => {
    const made = await sealTen();
    await tamper(sql`with gone as (delete from countersign.audit where id > 9)
      delete from countersign.audit_seals where seq = 4`);
    expect(await verify()).toMatchObject({ ok: true });
    expect(await verify({ expect: made[3]?.hash ?? '' })).toMatchObject({
      ok: false,
      fault: { kind: 'expected_missing' },
    });
  });

  test('does not take seals of another key, or of none after those with one', async () => {
    await sealTen();
    const other = deriveAuditKey(Buffer.alloc(32, 8));
    expect(await verify({}, other)).toMatchObject({ fault: { kind: 'key', seal: 1 } });
    expect(await verify({}, null)).toMatchObject({ fault: { kind: 'key', seal: 1 } });
    await record(db.query, 'later');
    await seal(3, null);
    expect(await verify()).toMatchObject({ seals: 4, fault: { kind: 'key', seal: 5 } });
  });

  test('does not pass a chain without any keyed seal once a key is set, and says since when there are some', async () => {
    await record(db.query, 'before the key');
    await seal(3, null);
    expect(await verify({}, null)).toMatchObject({ ok: true, unkeyed: 1, keyed_from: null });
    const fault = { kind: 'unkeyed', seal: 1, text: expect.stringContaining('--expect') };
    expect(await verify()).toMatchObject({ ok: false, seals: 1, fault });
    await record(db.query, 'after it');
    await seal();
    const keyed_from = { seq: 2, sealed_at: now.toISOString() };
    expect(await verify()).toMatchObject({ ok: true, seals: 2, unkeyed: 1, keyed_from });
    await tamper(sql`truncate countersign.audit_seals`);
    await seal(3, null);
    expect(await verify()).toMatchObject({ ok: false, fault: { kind: 'unkeyed', seal: 1 } });
    expect(await verify({ from: 2 })).toMatchObject({ ok: false, fault: { kind: 'unkeyed' } });
  });

  test('keeps old rows that are sealed while retention archives those before them', async () => {
    await record(db.query, 'a', 'b', 'c', 'd', 'e', 'f');
    await tamper(sql`update countersign.audit set at = '2026-01-01'`);
    const [first] = await seal();
    await tamper(sql`delete from countersign.audit_seals where seq > 1`);
    const through = await findPrunable(db.query, new Date('2026-02-01T00:00:00Z'));
    expect(through).toBe(first?.last_id);
    // After an upgrade the log is older than retention.
    await seal();
    expect(await db.transaction((tx) => pruneAudit(tx, through ?? 0, { key }))).toBe(3);
    const { rows } = await db.query.execute<{ id: number }>(
      sql`select id from countersign.audit where id <= 6 order by id`,
    );
    expect(rows.map(({ id }) => id)).toEqual([4, 5, 6]);
    expect(await verify()).toMatchObject({ ok: true, pruned_through: 1 });
  });

  test('is still whole after retention removed its old end, and says up to where', async () => {
    await record(db.query, 'a', 'b', 'c', 'd');
    await tamper(sql`update countersign.audit set at = '2026-01-01' where id <= 3`);
    await seal();
    const before = new Date('2026-02-01T00:00:00Z');
    const through = await findPrunable(db.query, before);
    expect(through).toBe(3);
    expect(await db.transaction((tx) => pruneAudit(tx, 3, { key }))).toBe(3);
    expect(await db.transaction((tx) => pruneAudit(tx, 3, { key }))).toBe(0);
    expect(await findPrunable(db.query, before)).toBeNull();
    const { rows } = await db.query.execute<{ id: number; action: string }>(
      sql`select id, action from countersign.audit order by id`,
    );
    expect(rows).toEqual([
      { id: 4, action: 'd' },
      { id: 5, action: 'audit_pruned' },
    ]);
    await seal();
    expect(await verify()).toMatchObject({ ok: true, pruned_through: 1, seals: 2, rows: 2 });
    await record(db.query, 'e');
    await tamper(sql`insert into countersign.audit (id, actor, actor_kind, via, action)
      values (2, 'x', 'person', 'api', 'approve')`);
    expect(await verify()).toMatchObject({ fault: { kind: 'row_added', row: 2 } });
  });

  test('is sealed by a worker once enough has come, or a minute has passed, and tells a hash a day', async () => {
    const reported: number[] = [];
    const round = createSealing(db, { key, clock, tell: ({ seq }) => reported.push(seq) });
    await record(db.query, 'first');
    await tamper(sql`update countersign.audit set at = ${now.toISOString()}`);
    await round();
    expect(await verify()).toMatchObject({ seals: 0, unsealed: 1 });
    now = new Date('2026-05-04T09:02:00Z');
    await round();
    await record(db.query, 'second');
    now = new Date('2126-05-04T09:02:00Z');
    await round();
    expect(await verify()).toMatchObject({ ok: true, seals: 2, unsealed: 0 });
    expect(reported).toEqual([1, 2]);
  });
});
