// What `plans stats` counts: plans by status, and what people asked for that no tool can do, each of their wishes once.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readPlanStats } from '#store/plan-stats.ts';
import { countStatements } from '#tests/fixtures/counted-database.ts';
import { useDatabase } from '#tests/setup/database.ts';
import { ana, ben, noop, openTestHouse, type TestHouse } from '#tests/setup/house.ts';
import { waitFor } from '#tests/wait.ts';

const database = useDatabase();
let house: TestHouse;
beforeAll(async () => {
  house = await openTestHouse(database.url);
});
afterAll(() => house.close());
beforeEach(() =>
  house.db.query.execute(
    sql`truncate countersign.plans, countersign.runs, countersign.messages, countersign.audit, countersign.chat_places cascade`,
  ),
);

/** Asks the offline planner, and waits until it has answered. */
async function ask(conversation: string, text: string, actor = ana) {
  const { run_id } = await house.service.say(conversation, text, actor);
  if (run_id === null) throw new Error('Nothing was asked.');
  return waitFor('an answer', async () => {
    const run = await house.service.getRun(run_id);
    return run.planning_status !== 'running' && run;
  });
}

const within = (tenant: string, names: string[]) => ({
  ...{ platform: 'slack' as const, tenant, names, tasks: [], approves: false, operations: [] },
});

test('plans are counted by their status, however many there are, by one statement', async () => {
  const draft = { title: 'One', steps: [noop('a')] };
  for (let i = 0; i < 3; i++) await house.service.propose(draft, {}, ana);
  const { id, version } = await house.service.propose(draft, {}, ana);
  await house.service.reject(id, { version }, ana);
  expect((await house.service.stats()).plans).toEqual({ proposed: 3, rejected: 1 });
  // Many more than were ever read page by page.
  await house.db.query.execute(sql`
    insert into countersign.plans select (jsonb_populate_record(p, jsonb_build_object('id', 'PLAN-' || lpad(n::text, 8, '0')))).*
    from countersign.plans p, generate_series(1, 3000) n where p.id = ${id}`);
  const counted = countStatements(house.db);
  expect((await readPlanStats(counted.db.query)).plans).toEqual({ proposed: 3, rejected: 3001 });
  expect(counted.statements()).toBe(2);
});

test('what no tool can do is told with how often and by how many it was asked, the most frequent first', async () => {
  const { response_text: said } = await ask('one', 'Book me a flight to Rome');
  expect(said).toContain("I can't book flights");
  await ask('two', 'book  me a flight to Paris', ben);
  await ask('three', 'Book me a flight', ana);
  await ask('four', 'Call the plumber');
  await ask('five', 'What is in the workspace?');
  const { gaps, gap_days } = await house.service.stats();
  expect(gap_days).toBe(90);
  expect(gaps.map(({ wanted, times, people }) => [wanted, times, people])).toEqual([
    ['book flights', 3, 2],
    ['call the plumber', 1, 1],
  ]);
  await house.db.query.execute(sql`
    update countersign.audit set at = at - interval '91 days' where reason = 'book flights'`);
  expect((await house.service.stats()).gaps.map(({ wanted }) => wanted)).toEqual([
    'call the plumber',
  ]);
});

test('of several organisations each counts its own, and of what was asked elsewhere what its reader asked', async () => {
  await ask('globex', 'Book me a flight');
  await ask('console', 'Call the plumber', ben);
  await house.db.query.execute(sql`
    insert into countersign.chat_places (conversation, platform, tenant, channel) values ('globex', 'slack', 'T1', 'C1')`);
  const wishes = async (tenant: string, name: string) =>
    (await readPlanStats(house.db.query, within(tenant, [name]))).gaps.map(({ wanted }) => wanted);
  expect(await wishes('T1', 'cleo')).toEqual(['book flights']);
  expect(await wishes('T2', 'cleo')).toEqual([]);
  expect(await wishes('T2', ben.id)).toEqual(['call the plumber']);
  // Whoever asked in the other organisation's chat reads it there.
  expect(await wishes('T2', ana.id)).toEqual([]);
});
