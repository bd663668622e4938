// What parts may cost together: the soft ceiling of their turn holds the rest back until a person says a word.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ModelInstance, openModelInstance } from '../../fixtures/model-instance.ts';
import { partIn, planFiles, scaffold } from '../../fixtures/parts.ts';
import { useDatabase } from '../../setup/database.ts';

const database = useDatabase();
let instance: ModelInstance;

beforeAll(async () => {
  // A call may cost some fifteen cents, and costs a third of one: there is room for less than half of them.
  instance = await openModelInstance(database.url, {
    env: { SOFT_BUDGET_PER_TURN_USD: '0.18' },
    settings: { prices: { 'gpt-4.1': { input: 30, output: 0 } } },
  });
});
afterAll(() => instance.close());

const ids = Array.from({ length: 30 }, (_, at) => `p${at + 1}`);

test('the rest of the parts waits for a word, is named to the model again, and nothing is planned twice', async () => {
  let whole = 0;
  let missing: string[] = [];
  instance.play((body) => {
    const part = partIn(body);
    if (part !== null) return planFiles([{ id: '1', path: `${part}.txt` }]);
    whole += 1;
    if (whole === 1) return scaffold(ids.map((id) => ({ id })));
    const seen = body.messages.map(({ content }) => content).join(' ');
    missing = ids.filter((id) => seen.includes(`Everything of ${id} is written`));
    return scaffold(missing.map((id) => ({ id })));
  });
  const held = await instance.ask('Write up all regions', { planning_mode: 'extensive' });
  expect(held.response_text).toMatch(/^[12]?\d of 30 parts planned\./);
  expect(held).toMatchObject({ planning_status: 'needs_clarification' });
  expect(held.plan_id).toBeUndefined();
  const run = await instance.reply(held.run_id, 'Yes, go on');
  expect(missing.length).toBeLessThan(30);
  const { steps } = await instance.service.listSteps(run.plan_id ?? '', { limit: 200 });
  expect(steps.map(({ id }) => id).sort()).toEqual(ids.map((id) => `${id}-1`).sort());
  const asked = instance.requests().flatMap((body) => partIn(body) ?? []);
  expect(asked.sort()).toEqual(ids.toSorted());
});
