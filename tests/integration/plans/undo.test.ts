// Undoing before approval proposes an earlier version again.
import { expect, test } from 'vitest';
import { readDraft } from '#plans/views/draft.ts';
import { refusalCode } from '../../fixtures/refusal.ts';
import { holdStep, writeStep } from '../../fixtures/steps.ts';
import { ana, ben, scriptedPlanner } from '../../setup/instance.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

const draft = {
  title: 'Notes',
  steps: [holdStep(), writeStep('1', 'a.txt', 'hold'), writeStep('2', 'b.txt', '1')],
  risks: ['Ana is away'],
};
const instance = useInstance({
  planner: scriptedPlanner(() => ({ kind: 'proposal', draft })),
  work: true,
});

const request = 'write the notes of today';

async function ask(conversation: string) {
  const { run_id } = await instance.service.startRun({ text: request, conversation }, ana);
  const id = await waitFor('the plan', async () => (await instance.service.getRun(run_id)).plan_id);
  return { id, run_id };
}
async function edit(id: string) {
  const { revision } = await instance.service.getPlan(id);
  const operations = [
    { op: 'remove_steps' as const, steps: { ids: ['2'] } },
    { op: 'update_steps' as const, steps: { ids: ['1'] }, set: { args: { content: 'other' } } },
  ];
  await instance.service.patch(id, { base_revision: revision, operations }, ana);
}
const draftOf = (id: string, version?: number) => readDraft(instance.db.query, id, version);
const lastIn = async (conversation: string) =>
  (await instance.service.messages(conversation, { limit: 100 })).at(-1)?.text;
const stateOf = async (id: string) => {
  const { version, status } = await instance.service.getPlan(id);
  return { version, status };
};

test('a word brings the version before back as the next one, and names any other', async () => {
  const conversation = 'undo words';
  const { id, run_id } = await ask(conversation);
  const first = await draftOf(id);
  await edit(id);
  const second = await draftOf(id);
  expect(second).not.toEqual(first);
  await instance.service.say(conversation, 'Undo', ana);
  expect(await lastIn(conversation)).toMatch(/restored version 1 of PLAN-\w+ as version 3/);
  expect(await stateOf(id)).toEqual({ version: 3, status: 'proposed' });
  expect(await draftOf(id)).toEqual(first);
  await instance.service.reply(run_id, 'go back to version 2', ana);
  expect(await draftOf(id)).toEqual(second);
  expect(await draftOf(id, 1)).toEqual(first);
  await instance.service.say(conversation, 'approve', ana);
  expect((await instance.service.getPlan(id)).decided_by).toBe('ana');
});

test('a press goes back from the version drawn, once, and only by people who may change the plan', async () => {
  const conversation = 'undo press';
  const { id } = await ask(conversation);
  await edit(id);
  const { service } = instance;
  expect(await refusalCode(service.goBack(id, { version: 2, to: null }, ben))).toBe('not_allowed');
  expect(await refusalCode(service.goBack(id, { version: 2, to: 7 }, ana))).toBe('invalid_request');
  const pressed = { once: 'press 1', at: new Date() };
  const press = () => service.goBack(id, { version: 2, to: null, pressed }, ana);
  await press();
  await press();
  expect(await stateOf(id)).toEqual({ version: 3, status: 'proposed' });
  expect(await refusalCode(service.goBack(id, { version: 2, to: null }, ana))).toBe(
    'stale_version',
  );
});

test('in version 1 the plan is withdrawn, and its words come back to be sent again', async () => {
  const conversation = 'undo the first';
  const { id } = await ask(conversation);
  await instance.service.say(conversation, 'undo', ana);
  expect(await stateOf(id)).toEqual({ version: 1, status: 'cancelled' });
  expect(await lastIn(conversation)).toMatch(
    new RegExp(`^${id} was withdrawn\\. .*\n\n${request}$`, 's'),
  );
});

test('a plan that runs is not undone', async () => {
  const conversation = 'undo nothing';
  const { id, run_id } = await ask(conversation);
  await instance.service.say(conversation, 'approve', ana);
  expect(await refusalCode(instance.service.reply(run_id, 'undo', ana))).toBe('invalid_transition');
  expect((await instance.service.getPlan(id)).status).not.toBe('cancelled');
  await instance.service.say(conversation, 'undo', ana);
  expect(await lastIn(conversation)).toMatch(/^Completed steps of PLAN-\w+ stay done/);
});
