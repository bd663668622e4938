// Planning alternates between people; a flood delays its sender.
import { sql } from 'drizzle-orm';
import { expect, onTestFinished, test } from 'vitest';
import { findAbandonedRuns } from '#db/planning/runs.ts';
import { type Actor, person } from '#domain/people/actor.ts';
import type { Planner } from '#domain/planning/run.ts';
import { useDatabase } from '../../setup/database.ts';
import { openTestInstance, scriptedPlanner, type TestInstance } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';

const database = useDatabase();

// Planning for people in `held` waits for `gate`.
async function openWithGate(held: string[]) {
  const gate = Promise.withResolvers<void>();
  const planned: string[] = [];
  const answer = scriptedPlanner(() => ({ kind: 'answer', text: 'Done.' }));
  const planner: Planner = {
    ...answer,
    async plan(request, signal) {
      planned.push(request.user);
      if (held.includes(request.user)) await gate.promise;
      return answer.plan(request, signal);
    },
  };
  const instance = await openTestInstance(database.url, { planner });
  onTestFinished(async () => {
    gate.resolve();
    await instance.close();
  });
  return { instance, planned, open: gate.resolve };
}

const mallory = person('mallory', 'api');
const trudy = person('trudy', 'api');
const ben = person('ben', 'api');

async function flood({ service }: TestInstance, actor: Actor, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent++)
    await service.startRun({ text: `request ${sent}`, conversation: `${actor.id}-${sent}` }, actor);
}

test('while the requests of one person wait for a slow planner, another person is planned for', async () => {
  const { instance, planned } = await openWithGate(['eve']);
  await flood(instance, person('eve', 'api'), 20);
  await waitFor('the planners to be busy', async () => planned.length >= 3);
  const { run_id } = await instance.service.startRun({ text: 'hello' }, ben);
  await waitFor('the answer', async () => {
    const { planning_status } = await instance.service.getRun(run_id);
    return planning_status === 'complete';
  });
  expect(planned.filter((who) => who === 'eve').length).toBeLessThanOrEqual(4);
});

test('whoever asks behind two floods is planned for among the next few, and every request is', async () => {
  const { instance, planned, open } = await openWithGate(['mallory', 'trudy']);
  const countOf = (who: string) => planned.filter((one) => one === who).length;
  await flood(instance, mallory, 150);
  await flood(instance, trudy, 150);
  await waitFor('the planners to be busy', async () => countOf('mallory') + countOf('trudy') >= 4);
  const before = planned.length;
  const { run_id } = await instance.service.startRun({ text: 'hello' }, ben);
  open();
  await waitFor('the answer', async () => {
    const { planning_status } = await instance.service.getRun(run_id);
    return planning_status === 'complete';
  });
  expect(planned.indexOf('ben') - before).toBeLessThan(8);
  const [ofMallory, ofTrudy] = [countOf('mallory'), countOf('trudy')];
  await waitFor('all of them', async () => countOf('mallory') + countOf('trudy') === 300, {
    timeoutMs: 30_000,
  });
  expect(Math.abs(ofMallory - ofTrudy)).toBeLessThan(20);
});

test('a person who asks now and then stands in the round that is served, not behind it', async () => {
  const instance = await openTestInstance(database.url, { work: false });
  onTestFinished(() => instance.close());
  const waiting = sql`select group_id as who, priority from pgboss.job
    where name = 'plan' and state = 'created' order by created_on`;
  const start = async (actor: Actor) =>
    void (await instance.service.startRun({ text: 'x' }, actor));
  await instance.db.query.execute(sql`delete from pgboss.job where name = 'plan'`);
  for (const actor of [mallory, mallory, mallory, ben, mallory, ben, trudy]) await start(actor);
  expect((await instance.db.query.execute(waiting)).rows).toEqual([
    { who: 'mallory', priority: 0 },
    { who: 'mallory', priority: -1 },
    { who: 'mallory', priority: -2 },
    { who: 'ben', priority: 0 },
    { who: 'mallory', priority: -3 },
    { who: 'ben', priority: -1 },
    { who: 'trudy', priority: 0 },
  ]);
  await instance.db.query.execute(
    sql`delete from pgboss.job where name = 'plan' and priority > -2 and state = 'created'`,
  );
  await start(ben);
  expect((await instance.db.query.execute(waiting)).rows.at(-1)).toEqual({
    who: 'ben',
    priority: -2,
  });
});

test('a request that waits long for its turn is not given up', async () => {
  const instance = await openTestInstance(database.url, { work: false });
  onTestFinished(() => instance.close());
  const { run_id } = await instance.service.startRun({ text: 'x' }, ben);
  const abandonedFor = 600;
  await instance.db.query.execute(sql`
    update countersign.runs set updated_at = clock_timestamp() - interval '1 day' where id = ${run_id}`);
  const found = async () =>
    (await findAbandonedRuns(instance.db.query, abandonedFor, 100)).map(({ id }) => id);
  expect(await found()).not.toContain(run_id);
  await instance.db.query.execute(sql`delete from pgboss.job where name = 'plan'`);
  expect(await found()).toContain(run_id);
});
