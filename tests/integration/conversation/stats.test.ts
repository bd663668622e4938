// `plans stats`: plans by status, and requests without a tool.
import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { findPlans } from '#conversation/find-plans.ts';
import { readPlanStats } from '#db/plans/stats.ts';
import { type Actor, person } from '#domain/people/actor.ts';
import { countStatements } from '../../fixtures/counted-database.ts';
import { settled } from '../../fixtures/model-instance.ts';
import { changeAudit } from '../../setup/audit.ts';
import { copyRows } from '../../setup/copy-rows.ts';
import { ana, ben, noop } from '../../setup/instance.ts';
import { useInstance } from '../../setup/use-instance.ts';

const instance = useInstance();
beforeEach(() =>
  changeAudit(
    instance.db,
    sql`truncate countersign.plans, countersign.runs, countersign.messages, countersign.audit, countersign.chat_places,
      countersign.identities cascade`,
  ),
);

async function ask(conversation: string, text: string, actor = ana) {
  const { run_id } = await instance.service.say(conversation, text, actor);
  if (run_id === null) throw new Error('Nothing was asked.');
  return settled(instance, run_id);
}

const within = (tenant: string, names: string[]) => ({
  ...{ tenant: `slack:${tenant}`, names, asked: names, tasks: [], approves: false, operations: [] },
});

async function toldTo(reader: Actor) {
  const { service } = instance;
  const found = await findPlans({ read: service, service }, 'stats', {
    ...{ id: reader.id, timezone: 'UTC', account: reader },
  });
  if (found.kind !== 'stats') throw new Error(`It was read as ${found.kind}.`);
  return found.stats.gaps.map(({ wanted, people }) => [wanted, people]);
}

test('plans are counted by their status, by the same two statements however many there are', async () => {
  const draft = { title: 'One', steps: [noop('a')] };
  for (let i = 0; i < 3; i++) await instance.service.propose(draft, {}, ana);
  const { id, version } = await instance.service.propose(draft, {}, ana);
  await instance.service.reject(id, { version }, ana);
  const counted = countStatements(instance.db);
  expect((await readPlanStats(counted.db.query)).plans).toEqual({ proposed: 3, rejected: 1 });
  expect(counted.statements()).toBe(2);
  counted.forget();
  const copied = { id: sql`'PLAN-' || lpad(n::text, 8, '0')` };
  await copyRows(instance.db.query, 'plans', 3000, copied, sql`t.id = ${id}`);
  expect((await readPlanStats(counted.db.query)).plans).toEqual({ proposed: 3, rejected: 3001 });
  expect(counted.statements()).toBe(2);
});

test('what no tool can do is told with how often and by how many it was asked, the most frequent first', async () => {
  const { response_text: answer } = await ask('one', 'Call flights_book with to: Rome');
  expect(answer).toContain('No connected operation is called flights_book');
  await ask('two', 'call  flights_book with to: Paris', ben);
  await ask('three', 'Call flights_book', ana);
  await ask('four', 'Call plumber_call');
  await ask('five', 'What is in the workspace?');
  const { gaps, gap_days } = await instance.service.stats();
  expect(gap_days).toBe(90);
  expect(gaps.map(({ wanted, times, people }) => [wanted, times, people])).toEqual([
    ['flights_book', 3, 2],
    ['plumber_call', 1, 1],
  ]);
  await changeAudit(
    instance.db,
    sql`
    update countersign.audit set at = at - interval '91 days' where reason = 'flights_book'`,
  );
  expect((await instance.service.stats()).gaps.map(({ wanted }) => wanted)).toEqual([
    'plumber_call',
  ]);
});

test('of several organisations each counts its own, and of what was asked elsewhere what its reader asked', async () => {
  await ask('globex', 'Call flights_book');
  await ask('console', 'Call plumber_call', ben);
  await instance.db.query.execute(sql`
    update countersign.runs set tenant = 'slack:T1' where conversation = 'globex'`);
  const requestedTools = async (tenant: string, name: string) =>
    (await readPlanStats(instance.db.query, within(tenant, [name]))).gaps.map(
      ({ wanted }) => wanted,
    );
  expect(await requestedTools('T1', 'cleo')).toEqual(['flights_book']);
  expect(await requestedTools('T2', 'cleo')).toEqual([]);
  expect(await requestedTools('T2', ben.id)).toEqual(['plumber_call']);
  expect(await requestedTools('T2', ana.id)).toEqual([]);
});

test('a chat is told of no wish that one person alone had, whoever reads, and under however many names they had it', async () => {
  const anaInSlack = person('slack:T1:U1', 'slack');
  await ask('one', 'Call flights_book');
  await ask('two', 'Call flights_book', ben);
  for (const n of [1, 2, 3]) await ask(`plumber ${n}`, 'Call plumber_call');
  expect(await toldTo(ben)).toEqual([['flights_book', 2]]);
  expect(await toldTo(ana)).toEqual([['flights_book', 2]]);
  expect((await instance.service.stats()).gaps.map(({ wanted }) => wanted)).toEqual([
    'plumber_call',
    'flights_book',
  ]);
  await ask('slack', 'Call plumber_call', anaInSlack);
  expect(await toldTo(ben)).toEqual([
    ['plumber_call', 2],
    ['flights_book', 2],
  ]);
  await instance.db.query.execute(sql`
    insert into countersign.identities (account, person)
    values (${anaInSlack.id}, ${ana.id}), (${ana.id}, ${ana.id})`);
  expect(await toldTo(ben)).toEqual([['flights_book', 2]]);
  expect((await instance.service.stats()).gaps).toMatchObject([
    { times: 4, people: 1 },
    { times: 2 },
  ]);
});

test('many wishes of one person, each of them frequent, take the place of none that several had', async () => {
  await ask('one', 'Call flights_book');
  await ask('two', 'Call flights_book', ben);
  await ask('three', 'Call plumber_call');
  await instance.db.query.execute(sql`
    insert into countersign.audit (actor, actor_kind, via, action, reason, data)
    select actor, actor_kind, via, action, reason || ' number ' || wish, data
    from countersign.audit, generate_series(1, 20) wish, generate_series(1, 3) often
    where reason = 'plumber_call'`);
  const all = (await instance.service.stats()).gaps;
  expect(all).toHaveLength(10);
  expect(all.map(({ wanted }) => wanted)).not.toContain('flights_book');
  expect(await toldTo(ana)).toEqual([['flights_book', 2]]);
});
