// Without a model: messages in the form of a change revise plans.
import { expect, test } from 'vitest';
import type { Actor } from '#domain/people/actor.ts';
import type { RunView } from '#domain/planning/run.ts';
import { ana, ben } from '../../setup/instance.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

const instance = useInstance();
const agent: Actor = { kind: 'model', id: 'An agent', via: 'mcp' };

async function ask(conversation: string, actor: Actor = ana) {
  const text = 'write "A" to a.txt, then write "B" to b.txt';
  const { run_id } = await instance.service.startRun({ text, conversation, user: ana.id }, actor);
  const id = await waitFor('the plan', async () => (await instance.service.getRun(run_id)).plan_id);
  return { id, run_id };
}

test('one message makes one version, in the chat and as a reply, more than three times', async () => {
  const conversation = 'bare changes';
  const { id, run_id } = await ask(conversation);
  const { service } = instance;
  const next = async (text: string, way: 'say' | 'reply') => {
    const { version } = await service.getPlan(id);
    if (way === 'say') await service.say(conversation, text, ana);
    else await service.reply(run_id, text, ana);
    await waitFor(text, async () => {
      const plan = await service.getPlan(id);
      return plan.version === version + 1 && plan.status === 'proposed';
    });
    return service.getSteps(id, ['1', '2']);
  };
  expect(await next('step 2 text: C', 'say')).toMatchObject([{}, { args: { content: 'C' } }]);
  const [timed] = await next('Change the time of step 1 to 2 December 2030 at 10:00.', 'reply');
  expect(timed?.not_before).toMatch(/^2030-12-02T/);
  const [moved] = await next('change the time to 11:30', 'say');
  expect(Date.parse(moved?.not_before ?? '')).toBe(Date.parse(timed?.not_before ?? '') + 5_400_000);
  expect(await next('call it d.txt', 'say')).toMatchObject([{}, { args: { path: 'd.txt' } }]);
  await next('then: post "done" here', 'reply');
  expect((await service.getPlan(id)).total_steps).toBe(3);
});

test('where none waits it is a request; what a plan lacks is refused', async () => {
  const { service } = instance;
  const { run_id } = await service.say('none waits', 'step 2 text: C', ana);
  const answer = await waitFor('an answer', async () => {
    const run = await service.getRun(run_id ?? '');
    return run.planning_status === 'running' ? null : run.response_text;
  });
  expect(answer).toContain('“help all” lists all commands');
  const { id } = await ask('of ana');
  for (const text of ['step 9 text: C', 'remove step 7']) {
    await service.say('of ana', text, ana);
    expect((await service.messages('of ana', { limit: 20 })).at(-1)?.text).toMatch(
      /^There is no step/,
    );
    expect((await service.getPlan(id)).status).toBe('proposed');
  }
});

test('words of someone who may not change the plan are a suggestion', async () => {
  const { service } = instance;
  const { id, run_id } = await ask('of ana alone');
  await service.say('of ana alone', 'step 2 text: C', ben);
  await service.reply(run_id, 'step 1 text: D', ben);
  await waitFor('the suggestions', async () => {
    const { findings } = await service.listFindings(id, { limit: 9 });
    return findings.filter(({ category }) => category === 'suggestion').length === 2;
  });
  expect(await service.getPlan(id)).toMatchObject({ version: 1, status: 'proposed' });
});

test('an agent changes the plan that it proposed', async () => {
  const { service } = instance;
  const { id, run_id } = await ask('of an agent', agent);
  await service.reply(run_id, 'step 2 text: C', agent);
  await waitFor('the next version', async () => (await service.getPlan(id)).version === 2);
  expect(await service.getSteps(id, ['2'])).toMatchObject([{ args: { content: 'C' } }]);
});

test('an answer to the question of another request changes nothing that waits', async () => {
  const { service } = instance;
  const { id } = await ask('two requests');
  const { run_id } = await service.say('two requests', 'add "Zoe" to the calendar', ana);
  const until = (done: (run: RunView) => boolean) =>
    waitFor('the planner', async () => {
      const run = await service.getRun(run_id ?? '');
      return done(run) ? run : null;
    });
  await until(({ questions = [] }) => questions.length > 0);
  await service.say('two requests', 'tomorrow at 10:00', ana);
  const { plan_id } = await until((run) => run.plan_id !== undefined);
  expect([await service.getPlan(id), await service.getPlan(plan_id ?? '')]).toMatchObject([
    { version: 1, status: 'proposed' },
    { version: 1, status: 'proposed' },
  ]);
});
