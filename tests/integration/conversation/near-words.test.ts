// Near-decisions show the decision again; nothing is decided or planned.
import { expect, test } from 'vitest';
import { draftStep } from '../../fixtures/steps.ts';
import { ana, noop, scriptedPlanner } from '../../setup/instance.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

let planned = 0;

const question = draftStep('1', 'Ask', 'human_confirm', { question: 'Ship?', assignee: 'ben' });

const planner = scriptedPlanner(({ text }) => {
  planned++;
  const remove = {
    ...draftStep('2', 'Clean up', 'workspace_delete', { path: 'payroll.csv' }, '1'),
    duration_minutes: 90,
  };
  if (text === 'Ask') return { kind: 'proposal', draft: { title: text, steps: [question] } };
  return { kind: 'proposal', draft: { title: text, steps: [noop('1'), remove] } };
});

const instance = useInstance({ planner, work: true });

async function ask(conversation: string, text = 'Clean') {
  const { run_id } = await instance.service.startRun({ text, conversation }, ana);
  const id = await waitFor('the plan', async () => (await instance.service.getRun(run_id)).plan_id);
  return { id, run_id };
}
async function lastIn(conversation: string) {
  const last = (await instance.service.messages(conversation, { limit: 100 })).at(-1);
  if (last === undefined) throw new Error('nothing was said');
  return last;
}

test.each([
  ['approve.', 'Did you mean to approve version 1'],
  ['LGTM', 'Did you mean to approve version 1'],
  ['looks good to me, go ahead', 'reply “approve”'],
  ['👍', 'Press Approve on the card'],
  ['cancel it', 'Reply “cancel”'],
  ['undo that', 'Reply “undo” to withdraw it'],
])('“%s” is answered with the card and its exact words', async (text, words) => {
  for (const way of ['say', 'reply'] as const) {
    const conversation = `near ${way} ${text}`;
    const { id, run_id } = await ask(conversation);
    const before = planned;
    if (way === 'say') await instance.service.say(conversation, text, ana);
    else await instance.service.reply(run_id, text, ana);
    const last = await lastIn(conversation);
    expect(last).toMatchObject({ author: 'bot', plan_id: id });
    expect(last.text).toContain(words);
    expect((await instance.service.getPlan(id)).status).toBe('proposed');
    expect(planned).toBe(before);
  }
});

test.each([
  [
    'what does step 2 do?',
    /Step 2 calls workspace_delete with \{"path":"payroll\.csv"\}.* Planner's reason: “Clean up”/,
  ],
  ['who can approve this?', /It waits for ana\./],
  ['why is step 2 guarded?', /Step 2 calls workspace_delete, which is guarded/],
  ['How long will it take?', /1 h 30 min/],
  ['what will it do?', /1 \(.+\) and 2 \(Permanently deletes payroll\.csv\)/],
  ['What does step 9 do?', /has no step 9 on its card\. The steps are numbered 1 to 2/],
])('“%s” is answered from the plan', async (text, words) => {
  const conversation = `question ${text}`;
  const { id } = await ask(conversation);
  const before = planned;
  await instance.service.say(conversation, text, ana);
  expect((await lastIn(conversation)).text).toMatch(words);
  expect((await instance.service.getPlan(id)).status).toBe('proposed');
  expect(planned).toBe(before);
});

test('where nothing waits, the same words are a request', async () => {
  const before = planned;
  await instance.service.say('nothing waits', 'ok', ana);
  await waitFor('a plan', async () => planned > before);
});

test.each(['yes', 'no'])(
  '“%s” to a question for another person names its buttons',
  async (text) => {
    const conversation = `question ${text}`;
    const { id } = await ask(conversation, 'Ask');
    const { version, digest } = await instance.service.getPlan(id);
    await instance.service.approve(id, { version, digest }, ana);
    await waitFor(
      'the question',
      async () => (await instance.service.getPlan(id)).counts.waiting === 1,
    );
    const before = planned;
    await instance.service.say(conversation, text, ana);
    expect(await lastIn(conversation)).toMatchObject({
      plan_id: id,
      text: expect.stringContaining('“Answer for ben”'),
    });
    expect(planned).toBe(before);
  },
);
