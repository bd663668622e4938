// A blocked step causes no wakeups between workers.
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useDatabase } from '../../setup/database.ts';
import { ana, noop, openTestInstance, runPlan, type TestInstance } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';

const database = useDatabase();
let instance: TestInstance;
let other: TestInstance;
let client: Client;

beforeAll(async () => {
  const options = { recoverEveryMs: 100 };
  instance = await openTestInstance(database.url, options);
  other = await openTestInstance(database.url, options);
  client = new Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await other.close();
  await instance.close();
});

test('two workers do not keep waking each other about it', async () => {
  let wakeups = 0;
  client.on('notification', ({ payload }) => {
    if (payload?.startsWith('work:')) wakeups++;
  });
  await client.query('listen countersign');
  const steps = [noop('1'), { ...noop('2', '1'), capabilities: ['gpu'] }];
  const { id } = await runPlan(instance, steps, ana);
  await waitFor('what is missing to be shown', async () => {
    const { blocked, counts } = await instance.service.overview(id);
    return blocked.length > 0 && counts.succeeded === 1;
  });
  // Several rounds of both workers.
  await pause(200);
  const before = wakeups;
  await pause(400);
  expect(wakeups - before).toBeLessThanOrEqual(2);
});
