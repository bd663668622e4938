// Retention deletes ended data after archiving it on disk.
import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sealAudit } from '#db/audit/seals.ts';
import { verifyAudit } from '#db/audit/verify.ts';
import { readRetention } from '#db/retention.ts';
import { endRows } from '#db/steps/versions.ts';
import { systemRandom } from '#domain/clock.ts';
import { Settings } from '#domain/settings.ts';
import { tableRules } from '#retention/rules.ts';
import { previewRetention } from '#retention/run-retention.ts';
import { ana, noop, reach, runPlan } from '../../setup/instance.ts';
import { runRound } from '../../setup/retention.ts';
import { useInstance } from '../../setup/use-instance.ts';

const instance = useInstance();
const day = 86_400_000;
let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'countersign-archive-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const draft = (title: string) => ({ title, steps: [noop('a'), noop('b', 'a')] });

async function ended(title: string, days: number): Promise<string> {
  const { id } = await runPlan(instance, draft(title));
  await reach(instance, id, 'completed');
  await instance.db.query.execute(
    sql`update countersign.plans set updated_at = clock_timestamp() - make_interval(days => ${days}) where id = ${id}`,
  );
  return id;
}

const changeStep = (id: string) => endRows(instance.db.query, id, 2, [1]);

async function countRows(id: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const [table, rule] of Object.entries(tableRules)) {
    if (table !== 'plans' && !('with' in rule && rule.with === 'plan')) continue;
    const column = table === 'plans' ? sql`id` : sql`plan_id`;
    const { rows } = await instance.db.query.execute<{ n: number }>(
      sql`select count(*)::int as n from countersign.${sql.identifier(table)} where ${column} = ${id}`,
    );
    if (rows[0] !== undefined && rows[0].n > 0) counts[table] = rows[0].n;
  }
  return counts;
}

type Line = { table: string; row: Record<string, unknown> };

async function readArchive(kind: string): Promise<Line[]> {
  const folder = join(home, 'archive');
  const names = (await readdir(folder)).filter((name) => name.startsWith(`${kind}-`)).sort();
  const texts = await Promise.all(
    names.map(async (name) => {
      const bytes = await readFile(join(folder, name));
      return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
    }),
  );
  return texts
    .join('')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

test('a plan that ended long ago goes with all that is its, its whole record is archived, and its link says so', async () => {
  const old = await ended('Old', 366);
  const young = await ended('Young', 364);
  await changeStep(old);
  const before = await countRows(old);
  expect(before.plan_events ?? 0).toBeGreaterThan(3);
  expect(before.past_steps).toBe(1);
  const deleted = await runRound(instance.db, { home });
  expect(await countRows(old)).toEqual({});
  const large = Object.entries(tableRules).filter(([, rule]) => 'large' in rule);
  expect(deleted?.plans).toBe(large.reduce((sum, [table]) => sum + (before[table] ?? 0), 0));
  expect((await instance.service.getPlan(young)).status).toBe('completed');

  const lines = (await readArchive('plans')).filter(
    ({ row }) => row.plan_id === old || row.id === old,
  );
  const archived = Object.fromEntries(
    [...Map.groupBy(lines, ({ table }) => table)].map(([table, rows]) => [table, rows.length]),
  );
  expect(archived).toEqual({ ...before, 'plan.md': 1 });
  expect(lines.find(({ table }) => table === 'plan.md')?.row.text).toContain('Old');

  await expect(instance.service.getPlan(old)).rejects.toMatchObject({
    code: 'plan_deleted',
    details: { archive: expect.stringMatching(/^plans-\d{4}-\d{2}-\d{2}\.jsonl$/) },
  });
});

test('the name of a deleted plan is never given to another one', async () => {
  const { db, service } = instance;
  await db.query.execute(
    sql`insert into countersign.deleted_plans (id, ended_at) values ('PLAN-deadbeef', now())`,
  );
  const draws = ['deadbeef', 'deadbee0'];
  const hex = systemRandom.hex;
  const drawn = vi
    .spyOn(systemRandom, 'hex')
    .mockImplementation((bytes) => (bytes === 4 ? (draws.shift() ?? hex(bytes)) : hex(bytes)));
  try {
    expect((await service.propose(draft('Next'), { user: 'ana' }, ana)).id).toBe('PLAN-deadbee0');
  } finally {
    drawn.mockRestore();
  }
});

test('open plans stay however old they are, and so does one that a reminder still refers to', async () => {
  const { id: waiting } = await instance.service.propose(draft('Waiting'), { user: 'ana' }, ana);
  const reminded = await ended('Reminded', 400);
  await instance.db.query.execute(sql`
    insert into countersign.reminders (id, plan_id, "user", text, timezone, starts_at, next_at)
    values ('REM-1', ${reminded}, 'ana', 'Look', 'UTC', now(), now() + interval '1 year')`);
  await instance.db.query.execute(
    sql`update countersign.plans set updated_at = now() - interval '900 days' where id = ${waiting}`,
  );
  const kept = [await countRows(waiting), await countRows(reminded)];
  await runRound(instance.db, { settings: { plans: 30, events: null, attempts: null } });
  expect([await countRows(waiting), await countRows(reminded)]).toEqual(kept);
});

test('events and attempts of plans that ended go earlier, and who follows the plan goes on where they begin', async () => {
  const id = await ended('Trimmed', 100);
  const { revision } = await instance.service.getPlan(id);
  await runRound(instance.db, { home });
  const counts = await countRows(id);
  expect(counts).toMatchObject({ plan_events: 1, plan_steps: 2 });
  expect(counts.step_attempts).toBe(2);
  expect(await readArchive('events')).not.toEqual([]);
  const diff = await instance.service.diff(id, 0, 100);
  expect(diff).toMatchObject({ to: revision, more: false });
  await runRound(instance.db, { home, now: new Date(Date.now() + 90 * day) });
  expect((await countRows(id)).step_attempts).toBeUndefined();
  const attempts = (await readArchive('attempts')).filter(({ row }) => row.plan_id === id);
  expect(attempts).toHaveLength(2);
});

test('what is said goes after its plan and its run, never before', async () => {
  const { db } = instance;
  const id = await ended('Talked about', 10);
  const old = new Date(Date.now() - 500 * day).toISOString();
  await db.query.execute(sql`
    insert into countersign.runs (id, "user", via, conversation, planning_status, request, modes, plan_id, updated_at)
    values ('run-kept', 'ana', 'api', 'c', 'complete', 'x', '{}', ${id}, ${old}::timestamptz),
      ('run-old', 'ana', 'api', 'c', 'complete', 'x', '{}', null, ${old}::timestamptz),
      ('run-open', 'ana', 'api', 'c', 'needs_clarification', 'x', '{}', null, now())`);
  await db.query.execute(sql`
    insert into countersign.messages (conversation, run_id, author, name, text, plan_id, created_at)
    select 'c', run, 'bot', 'bot', said, plan, ${old}::timestamptz from (values
      ('about a plan that is kept', null, ${id}), ('about a run that is kept', 'run-kept', null),
      ('about a run that goes on', 'run-open', null), ('about an old run', 'run-old', null), ('about nothing', null, null)
    ) as m(said, run, plan)`);
  await runRound(db, { home });
  const { rows } = await db.query.execute<{ text: string }>(
    sql`select text from countersign.messages where conversation = 'c' order by id`,
  );
  expect(rows.map(({ text }) => text)).toEqual([
    'about a plan that is kept',
    'about a run that is kept',
    'about a run that goes on',
  ]);
  expect((await readArchive('messages')).map(({ row }) => row.text)).toEqual([
    'about an old run',
    'about nothing',
  ]);
  expect((await readArchive('runs')).map(({ row }) => row.id)).toContain('run-old');
});

test('an archive that cannot be written stops the deletion, says so, and stops nothing else', async () => {
  const { db } = instance;
  const id = await ended('Not archived', 400);
  await db.query.execute(
    sql`insert into countersign.presses (once, at) values ('old', now() - interval '30 days')`,
  );
  await writeFile(join(home, 'archive'), 'a file where the folder should be');
  const warned: string[] = [];
  await runRound(db, { home, warn: (message) => void warned.push(message) });
  expect((await countRows(id)).plans).toBe(1);
  expect(warned).toEqual([expect.stringContaining('the archive')]);
  expect((await readRetention(db.query))?.problem).toContain('retention.archive');
  const { rows } = await db.query.execute(sql`select from countersign.presses where once = 'old'`);
  expect(rows).toEqual([]);
  await rm(join(home, 'archive'));
  await runRound(db, { home });
  expect((await countRows(id)).plans).toBeUndefined();
  expect((await readRetention(db.query))?.problem).toBeNull();
});

test('a plan that somebody goes on with while it is archived stays', async () => {
  const { db } = instance;
  const id = await ended('Taken up again', 400);
  // Deletion checks the archived revision.
  await db.transaction(async (tx) => {
    await tx.execute(sql`update countersign.plans set revision = revision + 1 where id = ${id}`);
    await runRound(db, { home });
  });
  expect((await countRows(id)).plans).toBe(1);
  await runRound(db, { home });
  expect((await countRows(id)).plans).toBeUndefined();
});

test('a round that was cut off is gone on with, and its archive is readable', async () => {
  const { db } = instance;
  // Died after deleting the plan's row, mid-line.
  const cutOff = async (title: string, parts: string) => {
    const plan = await ended(title, 400);
    await changeStep(plan);
    await db.transaction(async (tx) => {
      await tx.execute(sql`select set_config('countersign.in_parts', ${parts}, true)`);
      await tx.execute(
        sql`insert into countersign.deleted_plans (id, ended_at) values (${plan}, now() - interval '400 days')`,
      );
      await tx.execute(sql`delete from countersign.plans where id = ${plan}`);
    });
    return plan;
  };
  const id = await cutOff('Cut off', 'past_steps');
  expect(await countRows(id)).toMatchObject({ plan_steps: 2, past_steps: 1 });
  // The previous release doesn't know past steps.
  const before = await countRows(await cutOff('Cut off before', 'on'));
  expect(before).toMatchObject({ plan_steps: 2 });
  expect(before.past_steps).toBeUndefined();
  const other = await ended('Whole', 400);
  await runRound(db, { home });
  expect(await countRows(id)).toEqual({});
  const [file = ''] = await readdir(join(home, 'archive'));
  await appendFile(join(home, 'archive', file), '{"table":"plans","row":{"id":"PLA');
  const last = await ended('Last', 400);
  await runRound(db, { home });
  const ids = (await readArchive('plans')).flatMap(({ table, row }) =>
    table === 'plans' ? [row.id] : [],
  );
  expect(ids).toEqual([other, last]);
  await runRound(db, { home, now: new Date(Date.now() + day) });
  expect(await readdir(join(home, 'archive'))).toContain(`${file}.gz`);
  expect((await readArchive('plans')).length).toBeGreaterThan(2);
});

test('one round runs at a time', async () => {
  const [one, other] = await Promise.all([runRound(instance.db), runRound(instance.db)]);
  expect([one, other].filter((result) => result === null)).toHaveLength(1);
});

test('a dry run counts what a round then deletes', async () => {
  const { db } = instance;
  await runRound(db);
  await ended('Counted', 400);
  const settings = Settings.parse({ retention: { archive: false } }).retention;
  const clock = { now: () => new Date() };
  const found = await previewRetention({ db, clock, settings });
  expect(found).toMatchObject({ plans: 1, steps: 2 });
  await runRound(db);
  expect(await previewRetention({ db, clock, settings })).toMatchObject({ plans: 0, steps: 0 });
});

test('the old end of the audit log goes with its seals, archived first, and the rest can still be verified', async () => {
  const { db } = instance;
  await sealAudit(db, { key: null, clock: { now: () => new Date() } });
  const count = async () =>
    (await db.query.execute<{ n: number }>(sql`select count(*)::int as n from countersign.audit`))
      .rows[0]?.n ?? 0;
  const before = await count();
  expect(before).toBeGreaterThan(0);
  await runRound(db, { home, now: new Date(Date.now() + 1094 * day), settings: { plans: null } });
  expect(await count()).toBe(before);
  await runRound(db, { home, now: new Date(Date.now() + 1096 * day), settings: { plans: null } });
  expect(await count()).toBeLessThan(before);
  expect(await readArchive('audit')).toHaveLength(before);
  expect((await verifyAudit(db, { key: null })).fault).toBeNull();
});
