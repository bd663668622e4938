// Limits of one person: what is reached is refused with what to do, and nobody else is held up by it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { person } from '#domain/people/actor.ts';
import { useDatabase } from '../../setup/database.ts';
import { ana, ben, noop, openTestInstance, type TestInstance } from '../../setup/instance.ts';

const database = useDatabase();
let instance: TestInstance;
beforeAll(async () => {
  // Nobody plans here, so requests stay open.
  instance = await openTestInstance(database.url, {
    work: false,
    settings: { limits: { person: { open_runs: 2, waiting_plans: 1 } } },
  });
});
afterAll(() => instance.close());

test('of ten requests of one person at once two are planned; the others are told what was reached', async () => {
  const ask = () => instance.service.startRun({ text: 'Create a.md saying A' }, ben);
  const asked = await Promise.allSettled(Array.from({ length: 10 }, ask));
  const refused = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  expect(refused).toHaveLength(8);
  for (const error of refused)
    expect(error).toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining('2 of your requests are being planned'),
      details: { limit: 'open_runs', retry_after_seconds: 30 },
    });
  await instance.service.startRun({ text: 'Create a.md saying A' }, person('cleo', 'api'));
});

test('who has a plan that waits is asked to decide about it first', async () => {
  const { service } = instance;
  const draft = { title: 'One', steps: [noop('a')] };
  const plan = await service.propose(draft, { user: 'ana' }, ana);
  const ask = () => service.startRun({ text: 'Create a.md saying A' }, ana);
  await expect(ask()).rejects.toMatchObject({ details: { limit: 'waiting_plans' } });
  await service.cancel(plan.id, { version: plan.version }, ana);
  await ask();
});
