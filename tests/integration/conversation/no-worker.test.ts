// A gateway alone: people read that nobody can plan, instead of a planner that thinks.
import { expect, test } from 'vitest';
import { useDatabase } from '../../setup/database.ts';
import { ana, openTestInstance } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';

const database = useDatabase();

test('a request without a worker says that none is running, until one is', async () => {
  const gateway = await openTestInstance(database.url, { work: false });
  const { service } = gateway;
  const asked = { text: 'Create a.txt saying A', conversation: 'alone' };
  const { run_id } = await service.startRun(asked, ana);
  expect(await service.getRun(run_id)).toMatchObject({ activity: { kind: 'waiting' } });
  expect(await service.activityIn('alone')).toMatchObject({ activity: { kind: 'waiting' } });
  const worker = await openTestInstance(database.url);
  await waitFor('the plan', async () => (await service.getRun(run_id)).plan_id !== undefined);
  expect(await service.getRun(run_id)).not.toHaveProperty('activity');
  await worker.close();
  await gateway.close();
});
