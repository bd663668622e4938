// With one planning slot, a large plan's parts block no run.
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { wordsIn } from '../../fixtures/model-calls.ts';
import { settled } from '../../fixtures/model-instance.ts';
import { partIn, scaffold } from '../../fixtures/parts.ts';
import { ana, ben } from '../../setup/instance.ts';
import { useModelInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

const instance = useModelInstance({
  env: { SOFT_BUDGET_PER_TURN_USD: '2' },
  settings: { planning: { concurrency: 1, part_concurrency: 2 } },
});

test('a plain request is answered while a large plan waits for its parts', async () => {
  instance.play((body) => {
    if (partIn(body) !== null) return { hang: true };
    if (wordsIn(body).includes('hello there')) return { text: 'Hello, Ben.' };
    return scaffold([{ id: 'north' }, { id: 'south' }]);
  });
  const large = await instance.service.startRun(
    { text: 'Write up all regions', user: 'ana', planning_mode: 'extensive' },
    ana,
  );
  await waitFor('the parts to be asked for', () =>
    instance.requests().some((body) => partIn(body) !== null),
  );
  const plain = await instance.service.startRun({ text: 'hello there', user: 'ben' }, ben);
  expect((await settled(instance, plain.run_id)).planning_status).toBe('complete');
  expect((await instance.service.getRun(large.run_id)).planning_status).toBe('running');
  const { rows } = await instance.db.query.execute<{ n: number }>(
    sql`select count(*)::int as n from pgboss.job where name = 'plan'`,
  );
  expect(rows).toEqual([{ n: 2 }]);
  await instance.service.stopRun(large.run_id, undefined, ana);
  expect((await settled(instance, large.run_id)).planning_status).toBe('aborted');
});
