// The model a plan names: approved, or refused before the run.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PlanDraft } from '#domain/plan/plan.ts';
import { type OpenAiDouble, start } from '../../fixtures/openai-double.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import { ana, openTestInstance, reach, runPlan, type TestInstance } from '../../setup/instance.ts';

const database = useDatabase();
let server: OpenAiDouble;
let instance: TestInstance;

const open = (model: string) =>
  openTestInstance(database.url, {
    env: { OPENAI_BASE_URL: server.url, EXECUTOR_MODEL: model, PLANNER_MODEL: 'planner' },
    settings: {
      prices: { '*': { input: 0, output: 0 }, named: { input: 0, output: 0 } },
    },
  });

beforeAll(async () => {
  server = await start({
    script: ({ tools }) =>
      tools === undefined
        ? { text: 'A letter.' }
        : { calls: [{ name: 'workspace_write', args: { path: 'a.md', content: 'chosen' } }] },
  });
  instance = await open('usual');
});
afterAll(async () => {
  await instance.close();
  await server.close();
});

const writesText: PlanDraft = {
  title: 'Write a letter',
  steps: [
    draftStep('text', 'Write', 'text_write', { instructions: 'A letter.' }),
    draftStep(
      'save',
      'Save',
      'workspace_write',
      { path: 'a.md', content: { $decide: 'a word' } },
      'text',
    ),
  ],
};
const usesNone: PlanDraft = {
  title: 'List',
  steps: [draftStep('list', 'List', 'workspace_list', {})],
};

it.each([
  ['the process offers', undefined, 'usual'],
  ['the plan names, as it has a price', 'named', 'named'],
  ['the plan names, as the planner uses it', 'planner', 'planner'],
])('the model runs that %s', async (_, executor_model, expected) => {
  const from = server.requests.length;
  const draft = executor_model === undefined ? writesText : { ...writesText, executor_model };
  const { id } = await runPlan(instance, draft);
  expect((await reach(instance, id, 'completed')).executor_model).toBe(expected);
  expect(server.requests.slice(from).map(({ model }) => model)).toEqual([expected, expected]);
});

it('a model that is not offered is refused at proposal', async () => {
  const proposed = instance.service.propose(
    { ...writesText, executor_model: 'gpt-6-luna' },
    { user: 'ana' },
    ana,
  );
  await expect(proposed).rejects.toMatchObject({ code: 'invalid_request' });
});

it('a plan whose model is gone is refused at approval if a step needs it, and otherwise runs', async () => {
  const [needs, needsNone] = await Promise.all(
    [writesText, usesNone].map((draft) => instance.service.propose(draft, { user: 'ana' }, ana)),
  );
  await instance.close();
  instance = await open('later');
  const { service } = instance;
  const approve = (plan = needs) =>
    service.approve(plan?.id ?? '', { version: 1, digest: plan?.digest ?? '' }, ana);
  const from = server.requests.length;
  await expect(approve()).rejects.toMatchObject({
    code: 'preflight_failed',
    details: { problems: [{ step_id: 'text' }, { step_id: 'save' }] },
  });
  await approve(needsNone);
  expect((await reach(instance, needsNone?.id ?? '', 'completed')).status).toBe('completed');
  expect(server.requests.length).toBe(from);
});
