// Messages while no worker plans are answered and kept.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Plan } from '#domain/plan/plan.ts';
import { useDatabase } from '../../setup/database.ts';
import { ana, openTestInstance, type TestInstance } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';

const database = useDatabase();
let gateway: TestInstance;
let worker: TestInstance;
beforeAll(async () => {
  gateway = await openTestInstance(database.url, { work: false });
});
afterAll(async () => {
  await worker.close();
  await gateway.close();
});

/** @returns the run of the last */
async function say(conversation: string, ...texts: string[]): Promise<string> {
  let run: string | null = null;
  for (const text of texts) run = (await gateway.service.say(conversation, text, ana)).run_id;
  return run ?? '';
}

async function planOf(run: string): Promise<Plan> {
  const id = await waitFor('a plan', async () => (await gateway.service.getRun(run)).plan_id);
  return gateway.service.getPlan(id);
}

test('a request without a worker says that none is running, until one is, which hears all that was said', async () => {
  const { service } = gateway;
  const alone = await say('alone', 'Create a.txt saying "A"');
  const two = await say('c-two', 'Create a.txt saying "A"', 'Create b.txt saying "B"');
  const one = await say('c-one', 'Hm, well, the other thing', 'Create c.txt saying "C"');
  expect(await service.getRun(alone)).toMatchObject({ activity: { kind: 'waiting' } });
  expect(await service.activityIn('alone')).toMatchObject({ activity: { kind: 'waiting' } });
  worker = await openTestInstance(database.url);
  await planOf(alone);
  expect(await service.getRun(alone)).not.toHaveProperty('activity');
  // Only consecutive commands are one plan.
  const both = await planOf(two);
  expect([both.title, both.counts.pending]).toEqual([expect.stringMatching(/a\.txt.*b\.txt/), 2]);
  const last = await planOf(one);
  expect([last.title, last.counts.pending]).toEqual([expect.stringContaining('c.txt'), 1]);
});
