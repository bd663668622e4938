// What is said while nothing has been said yet to what was said before: neither is lost.
import { expect, test } from 'vitest';
import type { Plan } from '#domain/plan/plan.ts';
import { useDatabase } from '../../setup/database.ts';
import { ana, openTestInstance } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';

const database = useDatabase();

/** Has ana say these things before anybody plans. @returns the plan that comes of it */
async function planAfter(conversation: string, ...texts: string[]): Promise<Plan> {
  const gateway = await openTestInstance(database.url, { work: false });
  let run: string | null = null;
  for (const text of texts) run = (await gateway.service.say(conversation, text, ana)).run_id;
  const worker = await openTestInstance(database.url);
  try {
    const id = await waitFor('a plan', async () => {
      const { plan_id } = await worker.service.getRun(run ?? '');
      return plan_id;
    });
    return await worker.service.getPlan(id);
  } finally {
    await worker.close();
    await gateway.close();
  }
}

test('two commands one after the other are one plan', async () => {
  const said = ['Create a.txt saying A', 'Create b.txt saying B'];
  const plan = await planAfter('c-two', ...said);
  expect(plan.title).toMatch(/a\.txt.*b\.txt/);
  expect(plan.counts.pending).toBe(2);
});

test('a command after something that is none is planned by itself', async () => {
  const said = ['Hm, well, the other thing', 'Create c.txt saying C'];
  const plan = await planAfter('c-one', ...said);
  expect(plan.title).toContain('c.txt');
  expect(plan.counts.pending).toBe(1);
});
