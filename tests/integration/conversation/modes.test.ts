// Planning modes: set by words or a control, stored with the plan.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PlanningRequest } from '#domain/planning/run.ts';
import { settled } from '../../fixtures/model-instance.ts';
import { useDatabase } from '../../setup/database.ts';
import { ana, openTestInstance, scriptedPlanner, type TestInstance } from '../../setup/instance.ts';

const database = useDatabase();
let instance: TestInstance;
let asked: PlanningRequest[] = [];

beforeAll(async () => {
  const planner = scriptedPlanner((request) => {
    asked.push(request);
    if (request.text === 'Ask me')
      return { kind: 'question', text: 'Which?', questions: [{ id: 'which', text: 'Which?' }] };
    const step = { description: 'Read', tool: 'workspace', operation: 'list', args: {} };
    return { kind: 'proposal', draft: { title: 'A plan', steps: [step] } };
  });
  instance = await openTestInstance(database.url, { planner });
});
afterAll(() => instance.close());

async function say(conversation: string, text: string, options = {}) {
  asked = [];
  const { run_id } = await instance.service.say(conversation, text, ana, options);
  return settled(instance, run_id ?? '');
}

const extensive = { plan_reasoning_mode: 'extensive', planning_mode: 'extensive' };
test('words choose the modes, and the plan keeps them', async () => {
  const run = await say('words', 'Plan this extensively at level 7: list all files');
  const modes = { ...extensive, reasoning_level: 7 };
  expect(asked).toMatchObject([{ text: 'list all files', modes }]);
  const plan = await instance.service.getPlan(run.plan_id ?? '');
  expect(plan.context.modes).toEqual(modes);
});

test('a control beside the words counts before them', async () => {
  const modes = { planning_mode: 'normal' as const, reasoning_level: 1 };
  await say('control', 'Plan this extensively: list all files', { modes });
  expect(asked).toMatchObject([{ modes: { ...modes, plan_reasoning_mode: 'extensive' } }]);
});

test('an answer can choose them as well', async () => {
  await say('answer', 'Ask me');
  await say('answer', 'The second one. Plan it in detail.');
  expect(asked).toMatchObject([{ text: 'The second one', modes: extensive }]);
});
