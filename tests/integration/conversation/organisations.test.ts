// Conversations belong to their first speaker's organisation.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPlansOfRun } from '#conversation/plans-within.ts';
import { serveWithin } from '#conversation/serve-within.ts';
import { migrationsFolder } from '#db/migrate.ts';
import { createPortfolioReader } from '#db/plans/portfolio.ts';
import { systemClock } from '#domain/clock.ts';
import type { PlanScope } from '#domain/plan/scope.ts';
import type { Service } from '#domain/service.ts';
import { createRinging, setReminder } from '#notices/reminders.ts';
import { useDatabase } from '../../setup/database.ts';
import { ana, ben, noop, openTestInstance, type TestInstance } from '../../setup/instance.ts';

const database = useDatabase();
const tenants = ['slack:T1', 'slack:T2'] as const;
const [here, there] = tenants;
const ofHere = { ...ana, tenant: here };
const ofThere = { ...ben, tenant: there };
let instance: TestInstance;
let ours: Service;
let theirs: Service;

beforeAll(async () => {
  instance = await openTestInstance(database.url, { work: false });
  ours = serveWithin(instance.service, { tenant: here, reader: 'ana' });
  theirs = serveWithin(instance.service, { tenant: there, reader: 'ben' });
});
afterAll(() => instance.close());

const tenantsIn = async (conversation: string) => {
  const { rows } = await instance.db.query.execute<{ tenant: string | null }>(
    sql`select tenant from countersign.messages where conversation = ${conversation} order by id`,
  );
  return rows.map(({ tenant }) => tenant);
};
const textsIn = async (service: Service, conversation: string) =>
  (await service.messages(conversation, { limit: 10 })).map(({ text }) => text);

async function expectHidden(service: Service, conversation: string): Promise<void> {
  const missing = { code: 'not_found' };
  await expect(service.messages(conversation, { limit: 10 })).rejects.toMatchObject(missing);
  await expect(service.activityIn(conversation)).rejects.toMatchObject(missing);
  await expect(service.isSpokenIn(conversation)).rejects.toMatchObject(missing);
  await expect(service.say(conversation, 'status', ofThere)).rejects.toMatchObject(missing);
  await expect(
    service.startRun({ text: 'Create a.md saying "A"', conversation }, ofThere),
  ).rejects.toMatchObject(missing);
  const stream = service.watchConversation(conversation, 0, AbortSignal.timeout(5000));
  await expect(stream[Symbol.asyncIterator]().next()).rejects.toMatchObject(missing);
}

test('words that came to no request and no plan are read by their organisation only', async () => {
  await ours.say('words', 'approve', ofHere);
  expect(await tenantsIn('words')).toEqual([here, here]);
  expect(await textsIn(ours, 'words')).toEqual(['approve', expect.any(String)]);
  await expectHidden(theirs, 'words');
});

test('the beginning of a message that was too long is read by its organisation only', async () => {
  await ours.say('long', `Quetzal ${'x'.repeat(200_000)}`, ofHere);
  expect((await textsIn(ours, 'long'))[0]).toContain('Quetzal');
  await expectHidden(theirs, 'long');
});

test('what was said stays with its organisation when its request and its plan are deleted', async () => {
  await ours.startRun({ text: 'Create a.md saying "A"', conversation: 'kept' }, ofHere);
  await instance.db.query.execute(sql`delete from countersign.runs where conversation = 'kept'`);
  expect(await textsIn(ours, 'kept')).toEqual(['Create a.md saying "A"']);
  await expectHidden(theirs, 'kept');
});

test('of two organisations that speak first at the same moment one has the conversation', async () => {
  // Skips the earlier check, for the race.
  const { service } = instance;
  for (let n = 0; n < 10; n++) {
    const id = `race-${n}`;
    const results = await Promise.allSettled([
      service.say(id, 'approve', ofHere),
      service.startRun({ text: 'Create a.md saying "A"', conversation: id }, ofThere),
      service.say(id, 'status', ofThere),
      service.say(id, 'reject', ofHere),
    ]);
    const owners = new Set(await tenantsIn(id));
    expect(owners.size).toBe(1);
    const refused = results.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(refused).toHaveLength(2);
    for (const error of refused) expect(error).toMatchObject({ code: 'not_found' });
    const winners = owners.has(here) ? ours : theirs;
    expect((await textsIn(winners, id)).length).toBeGreaterThan(0);
  }
});

test('the list shows no title of another organisation where a plan of ours was proposed meanwhile', async () => {
  await ours.propose({ title: 'Ours', steps: [noop('a')] }, { conversation: 'crossed' }, ofHere);
  const listed = async (service: Service) =>
    (await service.listConversations({ limit: 100 })).conversations.map(({ id }) => id);
  await instance.db.query.execute(sql`
    insert into countersign.messages (conversation, tenant, author, name, text)
    values ('crossed', ${there}, 'person', 'ben', 'Quetzal')`);
  expect(await listed(ours)).not.toContain('crossed');
  expect(await listed(theirs)).not.toContain('crossed');
  expect(await listed(instance.service)).toContain('crossed');
});

test('the migration gives messages to whom all of a conversation belongs, and to nobody else', async () => {
  const { query } = instance.db;
  const asked = [
    ['old', ofHere],
    ['mixed', ofHere],
    ['operator', ana],
  ] as const;
  for (const [conversation, actor] of asked)
    await instance.service.startRun({ text: 'Create a.md saying "A"', conversation }, actor);
  await query.execute(sql`
    insert into countersign.runs (id, "user", via, tenant, conversation, planning_status, request, modes)
    values ('run-mixed', 'ben', 'api', ${there}, 'mixed', 'complete', 'x', '{}')`);
  await query.execute(sql`update countersign.messages set tenant = null`);
  const file = await readFile(join(migrationsFolder, '0037_message_tenants.sql'), 'utf8');
  const fill = file.split('--> statement-breakpoint').find((text) => text.includes('UPDATE')) ?? '';
  await query.execute(sql.raw(fill));
  expect(await Promise.all(asked.map(([id]) => tenantsIn(id)))).toEqual([[here], [null], [null]]);
});

describe('reminders of people with one name in two organisations', () => {
  test('are said where only their own organisation reads', async () => {
    const { db } = instance;
    const context = {
      db,
      clock: systemClock,
      enqueue: async () => {},
      warn: (message: string, error?: unknown) => {
        throw new Error(message, { cause: error });
      },
    };
    for (const tenant of tenants) {
      const draft = { title: 'Remind me', steps: [noop('a')] };
      const plan = await instance.service.propose(draft, { user: 'ana' }, { ...ana, tenant });
      const due = new Date(Date.now() - 1000);
      await setReminder(context, {
        ...{ id: `reminder-${tenant}`, planId: plan.id, user: 'ana', conversation: null },
        ...{
          text: `Quetzal of ${tenant}`,
          rrule: null,
          timezone: 'UTC',
          startsAt: due,
          nextAt: due,
        },
      });
    }
    await createRinging(context)();
    for (const [service, tenant, other] of [
      [ours, here, there],
      [theirs, there, here],
    ] as const) {
      expect(await textsIn(service, `reminders:${tenant}:ana`)).toEqual([
        expect.stringContaining(`Quetzal of ${tenant}`),
      ]);
      const missing = { code: 'not_found' };
      await expect(textsIn(service, `reminders:${other}:ana`)).rejects.toMatchObject(missing);
      await expect(textsIn(service, 'reminders:nobody')).rejects.toMatchObject(missing);
    }
  });
});

test('a run from before organisations were kept apart shows its planner those of whoever speaks', async () => {
  const { service, db } = instance;
  const asked: PlanScope[] = [];
  const plansOf = (id: string) =>
    findPlansOfRun(
      db.query,
      (scope) => {
        asked.push(scope);
        return serveWithin(service, scope);
      },
      true,
      id,
    );
  const { run_id: id } = await service.startRun({ text: 'Create a.md saying "A"' }, ana);
  expect(await plansOf(id)).toBeNull();
  await ours.reply(id, 'and what else is planned?', ofHere);
  const theirPlan = await theirs.propose({ title: 'Theirs', steps: [noop('a')] }, {}, ofThere);
  const read = await plansOf(id);
  expect(asked).toEqual([{ tenant: here, reader: 'ana' }]);
  await expect(read?.getPlan(theirPlan.id)).rejects.toMatchObject({ code: 'plan_not_found' });
  await addBlock(theirPlan.id, 'ben');
  const portfolio = createPortfolioReader(db.query, { apart: true });
  const wanted = { people: ['ben'], from: new Date(0), to: new Date('2100-01-01'), exceptRun: id };
  expect((await portfolio(wanted)).blocks).toEqual([]);
  await service.reply(id, 'and this?', ana);
  expect(await plansOf(id)).toBeNull();
  expect((await portfolio(wanted)).blocks).toHaveLength(1);
});

async function addBlock(plan: string, person: string): Promise<void> {
  const { query } = instance.db;
  await query.execute(sql`
    insert into countersign.planning_artifacts (plan_id, version) values (${plan}, 1)
    on conflict do nothing`);
  await query.execute(sql`
    insert into countersign.outline_nodes (plan_id, version, node_id, position, title, structure, rhythm, level, content)
    values (${plan}, 1, 'n', 1, 'Review', 'task', 'one_off', 2, '{}')`);
  await query.execute(sql`
    insert into countersign.schedule_blocks (plan_id, version, node_id, starts_at, ends_at, fixed, holds, person)
    values (${plan}, 1, 'n', now(), now() + interval '1 hour', false, true, ${person})`);
}
