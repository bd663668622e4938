// Messages over the documented length are refused on every surface.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { longestMessage } from '#domain/text.ts';
import { useDatabase } from '../../setup/database.ts';
import {
  ana,
  noop,
  openTestInstance,
  reach,
  scriptedPlanner,
  type TestInstance,
} from '../../setup/instance.ts';
import { readsOf } from '../../setup/reads.ts';
import { waitFor } from '../../wait.ts';

const database = useDatabase();
let instance: TestInstance;
let asked: string[] = [];
beforeAll(async () => {
  const planner = scriptedPlanner(({ text }) => {
    asked.push(text);
    return { kind: 'answer', text: 'Read.' };
  });
  instance = await openTestInstance(database.url, { planner });
});
afterAll(() => instance.close());
beforeEach(() => {
  asked = [];
});

const tooLong = 'a '.repeat(50_000).trimEnd();
const limit = /99,999 characters; I read at most 20,000/;
const refused = { code: 'invalid_request', message: expect.stringMatching(limit) };
const { textsIn } = readsOf(() => instance);

test('a message of a chat that is too long is answered with the limit, and no planner is asked', async () => {
  const reply = await instance.service.say('slack-long', tooLong, ana, { once: 'test:long' });
  expect(reply).toEqual({ run_id: null });
  const [message, answer, ...more] = await textsIn('slack-long');
  expect(message?.length).toBeLessThan(1000);
  expect(answer).toMatch(limit);
  expect(more).toEqual([]);
  await instance.service.say('slack-long', tooLong, ana, { once: 'test:long' });
  expect(await textsIn('slack-long')).toHaveLength(2);
  expect(asked).toEqual([]);
});

test('a message of the greatest length reaches the planner whole', async () => {
  const text = 'x'.repeat(longestMessage);
  await instance.service.say('slack-whole', text, ana);
  await waitFor('the planner', async () => asked.length > 0);
  expect(asked).toEqual([text]);
});

test('a request, a reply and feedback that are too long are refused with the limit', async () => {
  const { service } = instance;
  await expect(service.startRun({ text: tooLong }, ana)).rejects.toMatchObject(refused);
  const { run_id } = await service.startRun({ text: 'hello' }, ana);
  await expect(service.reply(run_id, tooLong, ana)).rejects.toMatchObject(refused);
  const draft = { title: 'Nothing', steps: [noop('a')] };
  const plan = await service.propose(draft, {}, ana);
  const decision = { version: plan.version, feedback: tooLong };
  await expect(service.proposeChanges(plan.id, decision, ana)).rejects.toMatchObject(refused);
  await expect(service.reject(plan.id, decision, ana)).rejects.toMatchObject(refused);
  expect((await reach(instance, plan.id, 'proposed')).version).toBe(plan.version);
});
