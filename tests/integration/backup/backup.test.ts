// Restoring a backup: all rows return, and nothing starts by itself.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { writeBackup } from '#db/backup/dump.ts';
import { restoreBackup } from '#db/backup/restore.ts';
import { migrate, migrateWithin, migrationState, migrationsFolder } from '#db/migrate.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { emptyDatabase, type FreshDatabase } from '../../setup/database.ts';
import { ana, noop, openTestInstance, reach, runPlan } from '../../setup/instance.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

const instance = useInstance();
let folder: string;
let file: string;
let done: string;
let open: string;
const targets: FreshDatabase[] = [];

async function target(): Promise<FreshDatabase> {
  const database = await emptyDatabase();
  targets.push(database);
  return database;
}

async function ask<Row extends object>(url: string, statement: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

let restores = 0;
// Set-aside schemas are named by the second.
const restore = (url: string, options: { force?: boolean; resume?: boolean; from?: string } = {}) =>
  restoreBackup(url, options.from ?? file, {
    now: new Date(Date.now() + 1000 * restores++),
    force: options.force ?? false,
    resume: options.resume ?? false,
    folders: { workspace: join(folder, 'restored') },
  });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-backup-'));
  file = join(folder, 'backup.tar.gz');
  const finished = await runPlan(instance, { title: 'Tab\tand “quotes”', steps: [noop('a')] });
  await reach(instance, finished.id, 'completed');
  const waiting = await runPlan(instance, {
    title: 'Goes on',
    steps: [draftStep('ask', 'Say yes', 'human_task', { question: 'Yes?' }), noop('b', 'ask')],
  });
  await reach(instance, waiting.id, 'executing');
  [done, open] = [finished.id, waiting.id];
  const long = `${'long/'.repeat(30)}name.txt`;
  await instance.db.pool.query(`insert into countersign.inbox (platform, tenant, thread, kind, body, received_at)
    values ('slack', 'T1', 'C1', 'event', 'press', now())`);
  await instance.db.pool.query(`insert into countersign.access_tokens (id, hash, account, name, role, created_at)
    values ('valid', 'a', 'ana', 'one', 'viewer', now())`);
  await instance.db.pool.query(`insert into countersign.sign_in_sessions (hash, account, created_at, used_at, expires_at)
    values ('b', 'ana', now(), now(), now() + interval '1 day')`);
  await mkdir(join(instance.workspace, 'long/'.repeat(30)), { recursive: true });
  await writeFile(join(instance.workspace, long), 'Hello');
  await writeBackup(instance.db.url, file, {
    version: 'test',
    now: new Date(),
    folders: { workspace: instance.workspace },
  });
});
afterAll(async () => {
  for (const database of targets) await database.close();
  await rm(folder, { recursive: true, force: true });
});

test('brings every row and file back, and what was running waits for a person', async () => {
  const { url } = await target();
  const restored = await restore(url);
  expect(restored).toMatchObject({ paused: 1, set_aside: 1, files: 2, tokens: 1 });
  expect(await readFile(join(folder, 'restored', `${'long/'.repeat(30)}name.txt`), 'utf8')).toBe(
    'Hello',
  );
  const steps = (at: string) =>
    ask(at, 'select * from countersign.plan_steps order by plan_id, position');
  expect(await steps(url)).toEqual(await steps(instance.db.url));
  expect(await ask(url, 'select from countersign.sign_in_sessions')).toEqual([]);
  expect(await ask(url, 'select from countersign.backends')).toEqual([]);
  const copy = await openTestInstance(url);
  try {
    expect(await copy.service.getPlan(done)).toMatchObject({
      status: 'completed',
      title: 'Tab\tand “quotes”',
    });
    expect(await copy.service.getPlan(open)).toMatchObject({ status: 'executing', paused: true });
    await runPlan(copy, { title: 'New', steps: [noop('a')] });
    const { version } = await copy.service.getPlan(open);
    await copy.service.resume(open, { version }, ana);
    expect((await copy.service.getPlan(open)).paused).toBe(false);
    await expect(restore(url, { force: true })).rejects.toMatchObject({ code: 'already_decided' });
  } finally {
    await copy.close();
  }
  await expect(restore(url)).rejects.toThrow(/--force/);
  const { kept } = await restore(url, { force: true, resume: true });
  expect(kept).toEqual([
    expect.stringMatching(/^countersign_before_\d{14}$/),
    expect.stringMatching(/^countersign_migrations_before_\d{14}$/),
  ]);
  const [row] = await ask<{ paused: number; aside: number }>(
    url,
    `select (select count(*)::int from countersign.plans where paused_at is not null) as paused,
      (select count(*)::int from pg_namespace where nspname like 'countersign_before_%') as aside`,
  );
  expect(row).toEqual({ paused: 0, aside: 1 });
});

test('throws nothing away unasked, not even a workspace of Slack that nobody has asked for anything in', async () => {
  const { url } = await target();
  await (await openTestInstance(url)).close();
  await ask(url, `insert into countersign.slack_workspaces values ('T1', 'E1')`);
  await expect(restore(url)).rejects.toThrow(/--force/);
  expect(await ask(url, 'delete from countersign.slack_workspaces returning team')).toHaveLength(1);
  // Tables of an idle process count as empty.
  await restore(url);
});

const stateOf = async (url: string) =>
  (
    await ask<{ plans: number; aside: number }>(
      url,
      `select (select count(*)::int from countersign.plans) as plans,
        (select count(*)::int from pg_namespace where nspname like 'countersign_before_%') as aside`,
    )
  )[0];

describe('into a database that has data', () => {
  let url: string;
  beforeAll(async () => {
    ({ url } = await target());
    await restore(url);
  });

  test('that fails half-way has changed nothing, and can be run again', async () => {
    const path = join(folder, 'restored', `${'long/'.repeat(30)}name.txt`);
    await writeFile(path, 'Mine');
    const before = await stateOf(url);
    await ask(
      url,
      `create function public.refuse() returns event_trigger language plpgsql as $$
       declare full_by_now boolean := false; begin
         if to_regclass('countersign.plans') is not null then
           execute 'select exists (select from countersign.plans)' into full_by_now;
         end if;
         if full_by_now then raise exception 'No space left on device'; end if;
       end $$;
     create event trigger refuse on ddl_command_start when tag in ('ALTER TABLE') execute function public.refuse()`,
    );
    await expect(restore(url, { force: true })).rejects.toThrow(
      /^The restore failed, and changed nothing\..* \(No space left on device\)\.$/,
    );
    expect(await stateOf(url)).toEqual(before);
    await ask(url, 'drop event trigger refuse');
    expect(await readFile(path, 'utf8')).toBe('Mine');
    expect(await readdir(join(folder, 'restored'))).toEqual(['.countersign', 'long']);
    await restore(url, { force: true });
    expect(await stateOf(url)).toEqual({ ...before, aside: (before?.aside ?? 0) + 1 });
    expect(await readFile(path, 'utf8')).toBe('Hello');
  });

  test('gives way to a process that starts meanwhile', async () => {
    await ask(url, 'create schema pgboss; create table pgboss.job (id int)');
    const before = await stateOf(url);
    const holder = new Client({ connectionString: url });
    const starter = new Client({ connectionString: url, application_name: 'countersign gateway' });
    await holder.connect();
    try {
      await holder.query('begin; lock table pgboss.job');
      const refused = expect(restore(url, { force: true })).rejects.toThrow(
        /^Countersign is running/,
      );
      await waitFor('the restore to be under way', async () => {
        const waiting = await ask(
          url,
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
          and application_name = 'restore of countersign'`,
        );
        return waiting.length > 0;
      });
      await starter.connect();
      await holder.query('rollback');
      await refused;
      expect(await stateOf(url)).toEqual(before);
    } finally {
      await starter.end();
      await holder.end();
      await ask(url, 'drop schema pgboss cascade');
    }
  });
});

test('brings a backup of an older schema up to date', async () => {
  const [older, newer] = [await target(), await target()];
  const entries = z
    .object({ entries: z.array(z.object({ tag: z.string(), when: z.number() })) })
    .parse(
      JSON.parse(await readFile(join(migrationsFolder, 'meta', '_journal.json'), 'utf8')),
    ).entries;
  const last = entries.find(({ tag }) => tag.startsWith('0032_'));
  if (last === undefined) throw new Error('there is no such migration');
  const client = new Client({ connectionString: older.url });
  await client.connect();
  try {
    await client.query('begin');
    await migrateWithin(client, last);
    await client.query(`insert into countersign.inbox (platform, tenant, thread, kind, body, received_at)
      values ('slack', 'T1', 'C1', 'event', 'press', now())`);
    await client.query('commit');
  } finally {
    await client.end();
  }
  expect((await migrationState(older.url)).applied.at(-1)).toBe(last.tag);
  const from = join(folder, 'older.tar.gz');
  await writeBackup(older.url, from, { version: 'test', now: new Date(), folders: {} });
  expect(await restore(newer.url, { from })).toMatchObject({ set_aside: 1 });
  expect(await migrationState(newer.url)).toMatchObject({ pending: [], unknown: null });
  expect(await migrate(newer.url)).toEqual([]);
});

test('refuses a backup that is damaged or from a newer version, and leaves the database as it is', async () => {
  const { url } = await target();
  const bytes = await readFile(file);
  const cut = join(folder, 'cut.tar.gz');
  await writeFile(cut, bytes.subarray(0, Math.floor(bytes.length / 2)));
  await expect(restore(url, { from: cut })).rejects.toMatchObject({ code: 'invalid_request' });
  const plain = gunzipSync(bytes);
  const changed = join(folder, 'changed.tar.gz');
  const text = plain.toString('latin1').replace('Goes on', 'Goes of');
  await writeFile(changed, gzipSync(Buffer.from(text, 'latin1')));
  await expect(restore(url, { from: changed })).rejects.toThrow(/damaged: plan/);
  const newer = join(folder, 'newer.tar.gz');
  const later = plain.toString('latin1').replace(/"when": 1(\d{12})/, '"when": 9$1');
  await writeFile(newer, gzipSync(Buffer.from(later, 'latin1')));
  await expect(restore(url, { from: newer })).rejects.toMatchObject({ code: 'schema_too_new' });
  expect(await ask(url, `select from pg_namespace where nspname = 'countersign'`)).toEqual([]);
});
