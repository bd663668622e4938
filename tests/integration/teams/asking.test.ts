// Questions in Teams during planning and runs.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { person } from '#domain/people/actor.ts';
import { draftStep } from '../../fixtures/steps.ts';
import type { Answer } from '../../fixtures/teams/connector.ts';
import { cardOf, findButton, type Message } from '../../fixtures/teams/sent-cards.ts';
import { useDatabase } from '../../setup/database.ts';
import { reach, scriptedPlanner } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { awaitMessage, findMessage, useTeamsInstance } from './teams-instance.ts';

const database = useDatabase();
const words = ({ body }: Answer) => JSON.stringify(body);
const planOf = (message: Message) =>
  /PLAN-[0-9a-f]+/.exec(JSON.stringify(cardOf(message)))?.[0] ?? '';

const form = [
  { name: 'amount', label: 'Amount in EUR', type: 'number', required: true, min: 0 },
  { name: 'room', type: 'choice', required: true, options: ['Blue', 'Green'] },
  { name: 'remarks' },
];
const asking = {
  kind: 'proposal' as const,
  draft: {
    title: 'Ask for the cost',
    steps: [
      {
        id: 'ask',
        description: 'Ask about the cost',
        tool: 'human',
        operation: 'task',
        args: { question: 'What did it cost?', assignee: 'ben@example.com', form },
      },
    ],
  },
};
const failing = {
  kind: 'proposal' as const,
  draft: {
    title: 'Read what is not there',
    steps: [
      {
        id: 'read',
        description: 'Read nothing.md',
        tool: 'workspace',
        operation: 'read',
        args: { path: 'nothing.md' },
      },
    ],
  },
};

const planner = scriptedPlanner(({ text }) => (text.startsWith('ask') ? asking : failing));

test('a form is filled in on the card by whom it is for, and what does not fit is said to them alone', async () => {
  const { teams, instance } = await useTeamsInstance(database, { planner });
  const ana = teams.addPerson('ana');
  const ben = teams.addPerson('ben');
  const cleo = teams.addPerson('cleo');
  const channel = teams.addChannel([ana, ben, cleo]);
  const { conversation } = await teams.say(ana, channel, 'ask for the cost');
  const card = await awaitMessage(teams, conversation, '"approve"');
  await teams.press(ana, card, 'Approve');
  // The first card asks too until it is replaced.
  const asked = await waitFor('the card that asks', async () => {
    const last = findMessage(teams, conversation, '"human_done"');
    return last?.id === card.id ? null : last;
  });
  const fill = (by: typeof ana, values: Record<string, string>) => {
    const inputs = Object.entries(values).map(([name, value]) => [`field:ask:${name}`, value]);
    return teams.press(by, asked, ['Fill in', 'Done'], Object.fromEntries(inputs));
  };
  expect(words(await fill(cleo, { amount: '80', room: 'Blue' }))).toContain('activity.message');
  expect(words(await fill(ben, { amount: '-1', room: 'Blue' }))).toContain('at least 0');
  expect(words(await fill(ben, { amount: '80' }))).toContain('is missing');
  expect((await instance.service.getPlan(planOf(card))).status).toBe('executing');
  expect(words(await fill(ben, { amount: '80', room: 'Blue', remarks: '' }))).toContain(
    '"AdaptiveCard"',
  );
  await reach(instance, planOf(card), 'completed');
  const [step] = await instance.service.getSteps(planOf(card), ['ask']);
  expect(JSON.stringify(step?.output)).toContain('80');
});

test('what repeats is listed to one person, who skips it once, changes it and ends it on the card', async () => {
  const { teams, instance } = await useTeamsInstance(database, { planner });
  const ana = teams.addPerson('ana');
  const chat = teams.addPersonal(ana);
  const user = 'ana@example.com';
  const actor = person(user, 'api');
  const series = {
    ...{ id: 'note', title: 'Weekly note', rrule: 'FREQ=DAILY', timezone: 'UTC', until: null },
    starts_at: new Date(Date.now() + 3_600_000).toISOString(),
    steps: [draftStep('note', 'Write', 'workspace_write', { path: 'a.txt', content: 'old' })],
  };
  const draft = { title: 'Notes', steps: [], series: [series] };
  const { id, digest } = await instance.service.propose(draft, { user }, actor);
  await instance.service.approve(id, { version: 1, digest }, actor);
  await reach(instance, id, 'executing');
  await teams.say(ana, chat, 'plans reminders');
  const list = await awaitMessage(teams, chat.id, 'Weekly note');
  const [entry] = await instance.service.listRecurring({ user });
  expect(words(await teams.press(ana, list, 'Skip once'))).toContain('Left out once');
  expect((await instance.service.listRecurring({ user }))[0]?.next_at).toBe(entry?.then_at);
  // The old card names a skipped time.
  expect(words(await teams.press(ana, list, 'Skip once'))).toContain('is no longer the one shown');
  const entered = { 'when:0': 'every Tuesday at 9:00' };
  expect(words(await teams.press(ana, list, ['Change', 'Change it'], entered))).toContain(
    'needs an approval',
  );
  expect((await instance.service.getPlan(id)).pending_patch).not.toBeNull();
  expect(words(await teams.press(ana, list, ['End', 'End']))).toContain('Ended');
  expect(await instance.service.listRecurring({ user })).toEqual([]);
});

test('a dry run is a command, and a page of the details', async () => {
  const { teams } = await useTeamsInstance(database, { planner });
  const ana = teams.addPerson('ana');
  const chat = teams.addPersonal(ana);
  await teams.say(ana, chat, 'read it');
  const card = await awaitMessage(teams, chat.id, '"approve"');
  await teams.say(ana, chat, `plans ${planOf(card)} dry run`);
  await awaitMessage(teams, chat.id, '1 step to run');
  const details = await teams.press(ana, card, 'Details');
  const press = /"title":"Dry run".{0,80}"data":(\{[^}]*\})/.exec(words(details))?.[1] ?? '{}';
  const shown = await teams.invoke(ana, card, 'details', JSON.parse(press));
  expect(words(shown)).toContain('Nothing was called');
});

test('a failed step is retried with another value, as a change to approve; the finished plan is saved as a playbook', async () => {
  const { teams, instance } = await useTeamsInstance(database, { planner });
  await writeFile(join(instance.workspace, 'there.md'), 'yes');
  const ana = teams.addPerson('ana');
  const chat = teams.addPersonal(ana);
  await teams.say(ana, chat, 'read it');
  const card = await awaitMessage(teams, chat.id, '"approve"');
  await teams.press(ana, card, 'Approve');
  const failed = await awaitMessage(teams, chat.id, 'Edit and retry');
  const opens = { build: '', ...findButton(cardOf(failed), 'Edit and retry')?.data };
  const { body: dialog } = await teams.send(teams.describeBuild(ana, chat, opens));
  expect(JSON.stringify(dialog)).toContain('"value":"nothing.md"');
  const entered = { ...findButton(dialog, 'Propose change')?.data, build: 'next' };
  const path = { 'field:/path': '', 'other:/path': 'there.md' };
  await teams.send(teams.describeBuild(ana, chat, { ...entered, ...path }));
  const { pending_patch } = await instance.service.getPlan(planOf(card));
  expect(pending_patch).not.toBeNull();
  const asks = await awaitMessage(teams, chat.id, 'Approve the change');
  await teams.press(ana, asks, 'Approve the change');
  await reach(instance, planOf(card), 'completed');
  const done = await awaitMessage(teams, chat.id, 'Save as a playbook');
  const playbook = { 'field::name': 'read-it', 'field::params': 'file=there.md' };
  await teams.press(ana, done, ['Save as a playbook', 'Save'], playbook);
  const { params } = (
    await instance.service.getPlaybook('read-it', person('ana@example.com', 'api'))
  ).playbook;
  expect(params).toMatchObject([{ name: 'file', text: 'there.md' }]);
});
