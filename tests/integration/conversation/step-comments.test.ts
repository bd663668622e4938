// Comments on steps become one proposal of changes.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Plan } from '#domain/plan/plan.ts';
import type { RunView } from '#domain/planning/run.ts';
import { startApi, type TestApi } from '../../fixtures/api.ts';
import { useDatabase } from '../../setup/database.ts';
import { type Client, createClient } from '../../setup/http-client.ts';
import { openTestInstance, type TestInstance } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';

const database = useDatabase();
let instance: TestInstance;
let server: TestApi;
let api: Client;

beforeAll(async () => {
  instance = await openTestInstance(database.url, { settings: { approvers: ['ana'] } });
  server = await startApi({ service: instance.service });
  api = createClient(server.origin);
});
afterAll(async () => {
  await server.close();
  await instance.close();
});

async function ask(text: string) {
  const run = await api.ask(text, { user: 'ana' });
  const plan = await api.plan(run.plan_id ?? '');
  return { run, plan, steps: await api.steps(plan.id) };
}

const requestChanges = (plan: Plan, body: object) =>
  api.post<Plan & { code: string; detail: string }>(`/api/plans/${plan.id}/propose-changes`, {
    version: plan.version,
    user: 'ana',
    ...body,
  });

const three =
  'Create a.txt saying "One" and create b.txt saying "Two" and create c.txt saying "Three"';

test('two comments and a note become version 2, and no other step differs by a byte', async () => {
  const { plan, steps } = await ask(three);
  const [a, b, c] = steps;
  const comments = [
    { step_id: c?.id, text: 'call it d.txt instead' },
    { step_id: a?.id, text: 'change "One" to "Uno"' },
  ];
  expect((await requestChanges(plan, { comments })).status).toBe(200);
  const second = await api.reach(plan.id, 'proposed');
  expect(second.version).toBe(2);
  expect(second.rejection_history.at(-1)?.feedback).toBe(
    'Step 1a (Creates a.txt): change "One" to "Uno"\nStep 1c (Creates c.txt): call it d.txt instead',
  );
  expect(second.rejection_history.at(-1)?.comments).toEqual(comments);
  const now = await api.steps(plan.id);
  const byPath = new Map(now.map((step) => [step.args.path, step]));
  expect([...byPath.keys()].sort()).toEqual(['a.txt', 'b.txt', 'd.txt']);
  expect(byPath.get('a.txt')?.args.content).toBe('Uno');
  const same = byPath.get('b.txt');
  expect([same?.id, same?.args, same?.description]).toEqual([b?.id, b?.args, b?.description]);
  expect(byPath.get('d.txt')?.args.content).toBe(c?.args.content);
});

test('a step is left out by its comment', async () => {
  const { plan, steps } = await ask(three);
  await requestChanges(plan, { comments: [{ step_id: steps[1]?.id, text: 'Leave it out' }] });
  const second = await api.reach(plan.id, 'proposed');
  expect(second).toMatchObject({ version: 2, total_steps: 2 });
});

test('a comment that another step would have to follow is asked about', async () => {
  const { run, plan, steps } = await ask('Create x/a.md saying "A", then copy it to x/b.md');
  const first = steps.find(({ operation }) => operation === 'write');
  await requestChanges(plan, { comments: [{ step_id: first?.id, text: 'call it c.md instead' }] });
  const asked = await waitFor('the question', async () => {
    const { body } = await api.get<RunView>(`/api/runs/${run.run_id}`);
    return body.turn === 2 && body.planning_status === 'needs_clarification' && body;
  });
  expect(JSON.stringify(asked.questions)).toContain('also uses x/a.md');
  expect((await api.plan(plan.id)).version).toBe(1);
});

test('a comment on a step that the plan has not is refused, and so is a wish without words', async () => {
  const { plan } = await ask(three);
  const foreign = await requestChanges(plan, {
    comments: [{ step_id: 'nowhere', text: 'Change it' }],
  });
  expect(foreign).toMatchObject({ status: 422, body: { code: 'unknown_step' } });
  expect((await requestChanges(plan, {})).body.code).toBe('feedback_required');
  expect((await requestChanges(plan, { comments: [] })).status).toBe(400);
  expect((await api.plan(plan.id)).status).toBe('proposed');
});

test('a comment nobody can read, and answers nobody can read, give the plan back', async () => {
  const { run, plan, steps } = await ask(three);
  await requestChanges(plan, { comments: [{ step_id: steps[0]?.id, text: 'make it nicer' }] });
  const turns = async (turn: number) =>
    waitFor('the planner', async () => {
      const { body } = await api.get<RunView>(`/api/runs/${run.run_id}`);
      return body.turn === turn && body.planning_status !== 'running' && body;
    });
  let now = await turns(2);
  for (let turn = 3; turn < 12 && (await api.plan(plan.id)).revising; turn++) {
    await api.reply(run.run_id, turn === 11 ? 'ask me nothing' : 'much nicer', 'ana');
    now = await turns(turn);
  }
  expect(await api.plan(plan.id)).toMatchObject({ status: 'proposed', version: 1 });
  expect(now.response_text).toContain('What should change?');
});
