// Migrations: applied once, refused against a newer database.
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { eq } from 'drizzle-orm';
import { Client } from 'pg';
import pino from 'pino';
import { afterEach, expect, inject, test } from 'vitest';
import { loadConfig } from '#app/config.ts';
import { examine } from '#app/doctor.ts';
import { openDatabase } from '#db/database.ts';
import { migrate, migrateWithin, migrationState, migrationsFolder } from '#db/migrate.ts';
import { findWaitingPatch } from '#db/plans/patches.ts';
import { readPlanRow } from '#db/plans/plans.ts';
import { planSteps, plans } from '#db/schema.ts';
import { iterateSteps } from '#db/steps/pages.ts';
import { compareSteps } from '#db/steps/versions.ts';
import { digestPlan, sealOf } from '#plans/content/digests.ts';
import { readHeader } from '#plans/content/preflight.ts';
import { emptyDatabase, type FreshDatabase, freshDatabase } from '../../setup/database.ts';
import { expectVersions, readVersion } from '../../setup/kept-versions.ts';
import { waitFor } from '../../wait.ts';

const fixtures = join(import.meta.dirname, '../../fixtures/upgrade');
const files = readdirSync(migrationsFolder)
  .filter((name) => name.endsWith('.sql'))
  .map((name) => name.replace(/\.sql$/, ''))
  .sort();

let database: FreshDatabase | undefined;

async function query(text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: database?.url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

async function withDatabase(open: () => Promise<FreshDatabase>): Promise<string> {
  database = await open();
  return database.url;
}
afterEach(async () => {
  await database?.close();
  database = undefined;
});

test('an empty database is migrated by exactly one of eight callers at once, once and in order', async () => {
  const url = await withDatabase(emptyDatabase);
  expect(await migrationState(url)).toEqual({ applied: [], pending: files, unknown: null });
  expect(await query("select 1 from pg_namespace where nspname like 'countersign%'")).toEqual([]);
  const results = await Promise.all(Array.from({ length: 8 }, () => migrate(url)));
  expect(results.filter((applied) => applied.length > 0)).toEqual([files]);
  expect(await query('select count(*)::int as n from countersign_migrations.applied')).toEqual([
    { n: files.length },
  ]);
  expect(await migrate(url)).toEqual([]);
  expect(await migrationState(url)).toEqual({ applied: files, pending: [], unknown: null });
});

test('a database of a newer build is refused, and the error says which and what to do', async () => {
  const url = await withDatabase(freshDatabase);
  expect(await migrationState(url)).toMatchObject({ pending: [], unknown: null });
  const year3000 = Date.UTC(3000, 0, 1);
  await query(
    `insert into countersign_migrations.applied (hash, created_at) values ('x', ${year3000})`,
  );
  await expect(migrate(url)).rejects.toMatchObject({
    code: 'schema_too_new',
    message: expect.stringMatching(
      /3000-01-01.*Upgrade Countersign, use another database .* backup from before/,
    ),
  });
  expect(await migrationState(url)).toMatchObject({ unknown: new Date(year3000) });
});

test('doctor says what is to come on an older schema, and leaves it as it is', async () => {
  const url = await withDatabase(freshDatabase);
  await query(
    'delete from countersign_migrations.applied where id = (select max(id) from countersign_migrations.applied)',
  );
  const home = await mkdtemp(join(tmpdir(), 'countersign-doctor-'));
  const config = loadConfig({ DATABASE_URL: url, COUNTERSIGN_HOME: home }, home);
  const findings = await examine(config, pino({ level: 'silent' }));
  expect(findings.find(({ part }) => part === 'Migrations')).toMatchObject({
    state: 'broken',
    text: `1 migration to come: ${files.at(-1)}`,
    advice: expect.stringContaining('Make a backup, then'),
  });
  expect(await migrationState(url)).toMatchObject({ pending: [files.at(-1)] });
  await rm(home, { recursive: true });
});

test('a database that is not on its server is told apart from a server that is away', async () => {
  const url = inject('databaseServer').replace(/countersign$/, 'no_such_database');
  await expect(migrate(url)).rejects.toMatchObject({
    code: 'database_unavailable',
    message: expect.stringMatching(
      /is not there \(.*\)\. Create it, or correct its name in DATABASE_URL\.$/,
    ),
  });
});

test('a server that is not there is named without its password', async () => {
  const error: unknown = await migrate('postgres://me:secret@127.0.0.1:1/nowhere').catch((e) => e);
  expect(error).toMatchObject({ code: 'database_unavailable' });
  expect(String(error)).toMatch(/nowhere at 127\.0\.0\.1:1 cannot be reached/);
  expect(String(error)).not.toContain('secret');
});

const fail = (error: Error) => {
  throw error;
};

async function openBefore(tag: string, url: string): Promise<Client> {
  const journal = JSON.parse(readFileSync(join(migrationsFolder, 'meta/_journal.json'), 'utf8'));
  const old = new Client({ connectionString: url });
  await old.connect();
  await migrateWithin(old, journal.entries[files.indexOf(tag) - 1]);
  return old;
}

const migrationWaits = (old: Client) =>
  waitFor('the migration to wait for a lock', async () => {
    const { rows } = await old.query(
      'select from pg_locks l join pg_database d on d.oid = l.database where not l.granted and d.datname = current_database()',
    );
    return rows.length > 0;
  });

test('a process of the version before that leaves an orphan while the schema is upgraded stops nothing', async () => {
  const url = await withDatabase(emptyDatabase);
  const old = await openBefore('0047_node_steps_node', url);
  await old.query("begin; set local session_replication_role = 'replica'");
  await old.query(
    "insert into countersign.node_steps (plan_id, version, node_id, step_id) values ('gone', 1, 'a', 'b')",
  );
  const migrating = migrate(url);
  await migrationWaits(old);
  await old.query('commit');
  await old.end();
  expect(await migrating).toContain('0047_node_steps_node');
  expect(await query('select from countersign.node_steps')).toEqual([]);
});

test.each([
  ['plan_version_steps', 'plan_steps'],
  ['step_states', 'plan_steps'],
  ['plan_steps', 'step_states'],
])(
  'a process of the version before that writes %s, then %s goes on while the schema is upgraded',
  async (...tables) => {
    const url = await withDatabase(emptyDatabase);
    const old = await openBefore('0048_step_rows', url);
    const [first, then] = tables.map((one) => `delete from countersign.${one} where plan_id = 'P'`);
    await old.query(`begin; ${first}`);
    const migrating = migrate(url);
    const settled = Promise.allSettled([migrating]);
    await migrationWaits(old);
    await old.query(then ?? '');
    await old.query('commit');
    await old.end();
    await settled;
    expect(await migrating).toContain('0048_step_rows');
  },
);

test('versions that a program of the version before writes after the upgrade are kept as they were', async () => {
  const url = await withDatabase(freshDatabase);
  const db = openDatabase(url, { max: 2, applicationName: 'versions', onError: fail });
  const run = (text: string) => query(text.replaceAll('@', 'countersign.'));
  const step = (position: number, word: string) =>
    `('P', ${position}, 's${position}', '${word}', 'control', 'noop', '{}', 'read')`;
  const insert = (...steps: string[]) =>
    run(
      `insert into @plan_steps (plan_id, position, step_id, description, tool, operation, args, effect) values ${steps}`,
    );
  const archive = (version: number, where: string, added = '') =>
    `insert into @plan_version_steps (plan_id, version, position, step_id, content)
     select 'P', ${version}, position, step_id, jsonb_build_object('id', step_id, 'description', description, 'tool', tool,
       'operation', operation, 'args', args, 'not_before', not_before, 'notes', notes, 'after', '[]'::jsonb)
     from @plan_steps where plan_id = 'P' and ${where} ${added};`;
  const wordsAt = async (version: number) =>
    (await readVersion(db.query, 'P', version)).map(({ description }) => description);
  try {
    await insert(step(1, 'one'), step(2, 'two'), step(3, 'three'));
    await run(`insert into @step_states (plan_id, position, step_id, lane, priority, dependents, unmet)
      select plan_id, position, step_id, 1, 0, 0, 0 from @plan_steps`);
    await run(`begin;
      ${archive(1, 'position = 1', "union all select 'P', 1, 4, 's4', 'null'::jsonb")}
      update @plan_steps set description = 'eins' where position = 1;
      insert into @plan_steps (plan_id, position, step_id, description, tool, operation, args, effect) values ${step(4, 'four')};
      commit`);
    await run(`begin;
      ${archive(2, 'position = 2')}
      update @step_states set status = 'cancelled', lane = 0 where position = 2;
      commit`);
    await run(`begin;
      ${archive(3, 'true')}
      delete from @plan_steps; delete from @step_states;
      insert into @plan_steps (plan_id, position, step_id, description, tool, operation, args, effect) values ${step(1, 'new')};
      commit`);
    expect(await wordsAt(1)).toEqual(['one', 'two', 'three']);
    expect(await wordsAt(2)).toEqual(['eins', 'two', 'three', 'four']);
    expect(await wordsAt(3)).toEqual(['eins', 'three', 'four']);
    expect(await wordsAt(4)).toEqual(['new']);
    const differences = await compareSteps(db.query, 'P', 1, 3, 10);
    expect(differences.map(({ kind, before, after }) => [kind, before?.id, after?.id])).toEqual([
      ['added', undefined, 's4'],
      ['changed', 's1', 's1'],
      ['removed', 's2', undefined],
    ]);
  } finally {
    await db.close();
  }
});

test('a version that was proposed again stays apart from the one before it, also when its steps ran again', async () => {
  const url = await withDatabase(emptyDatabase);
  await query(gunzipSync(readFileSync(join(fixtures, '0047_node_steps_node.sql.gz'))).toString());
  const { plans: ids } = JSON.parse(
    readFileSync(join(fixtures, '0047_node_steps_node.json'), 'utf8'),
  );
  // As if version 2 had been proposed, not patched.
  await query(`
    delete from countersign.plan_version_steps where plan_id = '${ids.changed}' and version = 1;
    insert into countersign.plan_version_steps
    select plan_id, 1, position, step_id, content from countersign.plan_version_steps
    where plan_id = '${ids.changed}' and version = 2
    union all
    select s.plan_id, 1, s.position, s.step_id, to_jsonb(s) || jsonb_build_object('id', s.step_id, 'after', (
      select coalesce(jsonb_agg(jsonb_build_object('id', p.step_id, 'type', e.type, 'lag_minutes', e.lag_minutes)), '[]')
      from countersign.plan_edges e join countersign.plan_steps p on p.plan_id = e.plan_id and p.position = e.predecessor
      where e.plan_id = s.plan_id and e.successor = s.position))
    from countersign.plan_steps s where s.plan_id = '${ids.changed}' and s.step_id in ('task', 'b');
    update countersign.plan_patches set added = 0, rerun = 1 where plan_id = '${ids.changed}' and version = 2`);
  await migrate(url);
  const db = openDatabase(url, { max: 2, applicationName: 'reruns', onError: fail });
  try {
    expect(await expectVersions(db.query, ids.changed)).toBe(5);
  } finally {
    await db.close();
  }
});

test.each(globSync('*.sql.gz', { cwd: fixtures }))(
  'every plan, version and step of %s has the digest and the seal that it was stored with',
  async (name) => {
    const url = await withDatabase(emptyDatabase);
    await query(gunzipSync(readFileSync(join(fixtures, name))).toString());
    await migrate(url);
    const db = openDatabase(url, { max: 2, applicationName: 'digests', onError: fail });
    try {
      const ids = await db.query.select({ id: plans.id }).from(plans);
      expect(ids.length).toBeGreaterThan(10);
      for (const { id } of ids) {
        const row = await readPlanRow(db.query, id);
        const digest = await digestPlan(
          await readHeader(db.query, row),
          iterateSteps(db.query, id),
        );
        expect([id, digest]).toEqual([id, row.digest]);
        // A waiting change is the next version since 0054.
        const waits = name > '0054' && (await findWaitingPatch(db.query, id)) !== null;
        expect(await expectVersions(db.query, id)).toBe(row.version + (waits ? 1 : 0));
        const sealed = await db.query.select().from(planSteps).where(eq(planSteps.plan_id, id));
        const seals = new Map(sealed.map(({ step_id, seal }) => [step_id, seal]));
        for await (const step of iterateSteps(db.query, id))
          expect([id, step.id, sealOf(step)]).toEqual([id, step.id, seals.get(step.id)]);
      }
    } finally {
      await db.close();
    }
  },
);
