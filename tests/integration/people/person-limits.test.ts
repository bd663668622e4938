// Limits per person don't delay other people.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { person } from '#domain/people/actor.ts';
import { useDatabase } from '../../setup/database.ts';
import { ana, ben, noop, openTestInstance, type TestInstance } from '../../setup/instance.ts';

const database = useDatabase();
let instance: TestInstance;
beforeAll(async () => {
  instance = await openTestInstance(database.url, {
    work: false,
    settings: { limits: { person: { open_runs: 2, waiting_plans: 1 } } },
  });
});
afterAll(() => instance.close());

test('of ten requests of one person at once two are planned; the others are told what was reached', async () => {
  const ask = () => instance.service.startRun({ text: 'Create a.md saying "A"' }, ben);
  const asked = await Promise.allSettled(Array.from({ length: 10 }, ask));
  const refused = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  expect(refused).toHaveLength(8);
  for (const error of refused)
    expect(error).toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining('You have 2 requests being planned'),
      details: { limit: 'open_runs', retry_after_seconds: 30 },
    });
  await instance.service.startRun({ text: 'Create a.md saying "A"' }, person('cleo', 'api'));
});

test('who has a plan that waits is asked to decide about it first', async () => {
  const { service } = instance;
  const draft = { title: 'One', steps: [noop('a')] };
  const plan = await service.propose(draft, { user: 'ana' }, ana);
  const ask = () => service.startRun({ text: 'Create a.md saying "A"' }, ana);
  await expect(ask()).rejects.toMatchObject({ details: { limit: 'waiting_plans' } });
  await expect(service.propose(draft, { user: 'ana' }, ana)).rejects.toMatchObject({
    code: 'rate_limited',
    message: expect.stringContaining('You have 1 plan waiting for a decision'),
  });
  await service.cancel(plan.id, { version: plan.version }, ana);
  const agent = { kind: 'model', id: 'agent', via: 'mcp' } as const;
  const both = await Promise.allSettled(
    [agent, agent].map((one) => service.propose(draft, { user: 'ana' }, one)),
  );
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const { plans } = await service.listPlans({ status: ['proposed'], user: 'ana', limit: 10 });
  expect(plans).toHaveLength(1);
  const [left] = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  if (left !== undefined) await service.cancel(left.id, { version: left.version }, ana);
  await ask();
});

describe('who has spent what planning may cost in a day', () => {
  let spent: TestInstance;
  const cleo = person('cleo', 'api');
  const refused = {
    code: 'rate_limited',
    message:
      'Models have cost $1.50 today for cleo, and the limit is $1.00. Ask again after midnight UTC.',
    details: { limit: 'usd_per_day', retry_after_seconds: expect.any(Number) },
  };
  const turnOf = async (id: string) => (await spent.service.getRun(id)).turn;
  const spend = (began: string) =>
    spent.db.query.execute(sql`
      with before as (delete from countersign.model_calls)
      insert into countersign.model_calls (run_id, turn, "user", model, stage, estimate_usd, cost_usd, began_at)
      values ('run-of-today', 1, 'cleo', 'm', 'DRAFT_OUTLINE', 1, 1.5, now() - ${began}::interval)`);

  beforeAll(async () => {
    spent = await openTestInstance(database.url, {
      work: false,
      settings: { limits: { person: { planning_usd_per_day: 1 } } },
    });
  });
  afterAll(() => spent.close());

  test('goes on with no request by replying, and nobody does in their place, until the next day', async () => {
    const { service } = spent;
    const { run_id: id, conversation } = await service.startRun(
      { text: 'Create b.md saying "B"' },
      cleo,
    );
    await spend('0');
    await expect(service.startRun({ text: 'Create c.md' }, cleo)).rejects.toMatchObject(refused);
    await expect(service.reply(id, 'and c.md too', cleo)).rejects.toMatchObject(refused);
    await expect(service.reply(id, 'and c.md too', ben)).rejects.toMatchObject(refused);
    await expect(service.say(conversation, 'and c.md too', cleo)).rejects.toMatchObject(refused);
    expect(await turnOf(id)).toBe(1);
    await service.reply(id, 'remember that tea is at four', cleo);
    const own = await service.startRun({ text: 'Create d.md saying "D"' }, ben);
    await service.reply(own.run_id, 'and e.md too', cleo);
    expect(await turnOf(own.run_id)).toBe(2);
    await spend('1 day');
    await service.reply(id, 'and c.md too', cleo);
    expect(await turnOf(id)).toBe(2);
  });

  test('has no plan changed by a planner, and rejects it', async () => {
    const { service } = spent;
    await spend('0');
    const propose = () => service.propose({ title: 'One', steps: [noop('a')] }, {}, cleo);
    const plan = await propose();
    const changeRequest = { version: 1, feedback: 'Do it twice' };
    await expect(service.proposeChanges(plan.id, changeRequest, cleo)).rejects.toMatchObject(
      refused,
    );
    expect(await service.getPlan(plan.id)).toMatchObject({ status: 'proposed', version: 1 });
    await service.reject(plan.id, { version: 1 }, cleo);
    expect(await service.getPlan(plan.id)).toMatchObject({ status: 'rejected' });
  });
});
