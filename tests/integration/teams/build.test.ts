// The builder in Teams, from the command to the card.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { person as personIn } from '#domain/people/actor.ts';
import { checkAdaptiveCard } from '../../fixtures/adaptive-card.ts';
import type { Person, TeamsChat } from '../../fixtures/teams/chats.ts';
import { type Card, readCard, submitOf } from '../../fixtures/teams/press.ts';
import { cardOf, findButton } from '../../fixtures/teams/sent-cards.ts';
import { useDatabase } from '../../setup/database.ts';
import { waitFor } from '../../wait.ts';
import { awaitMessage, type TeamsInstance, useTeamsInstance } from './teams-instance.ts';

const database = useDatabase();

const Dialog = z.object({
  task: z.object({
    type: z.literal('continue'),
    value: z.object({ card: z.object({ content: z.looseObject({}) }) }),
  }),
});

async function openDialog(
  { teams }: TeamsInstance,
  person: Person,
  place: TeamsChat,
  at: { root?: string; chosen?: string } = {},
  begun: { build: string } = { build: 'open' },
) {
  let card: Card = {};
  let answer: unknown = null;
  const send = async (data: { build: string }) => {
    ({ body: answer } = await teams.send(teams.describeBuild(person, place, data, at)));
    const dialog = Dialog.safeParse(answer);
    if (!dialog.success) return;
    card = dialog.data.task.value.card.content;
    expect(checkAdaptiveCard(card)).toEqual([]);
    expect(Buffer.byteLength(JSON.stringify(card))).toBeLessThanOrEqual(28 * 1024);
  };
  await send(begun);
  return {
    read: () => readCard(card),
    card: () => card,
    answer: () => answer,
    press: (title: string, typed?: Record<string, string>) => send(submitOf(card, title, typed)),
  };
}

const field = (name: string) => `field:${name}`;
const other = (name: string) => `other:${name}`;

test('two steps are built from the command, changed, proposed in the chat and run', async () => {
  const use = await useTeamsInstance(database);
  const { teams, instance } = use;
  await mkdir(join(instance.workspace, 'in'), { recursive: true });
  await writeFile(join(instance.workspace, 'in/source.md'), 'From the source');
  const ana = teams.addPerson('ana');
  const chat = teams.addPersonal(ana);
  await teams.say(ana, chat, 'plans new');
  const message = await awaitMessage(teams, chat.id, 'task/fetch');
  expect(findButton(cardOf(message), 'Build a plan')?.data).toMatchObject({ build: 'open' });
  const dialog = await openDialog(use, ana, chat);
  await dialog.press('Find', { words: 'read the text of a file' });
  await dialog.press('Fill in', { operation: 'workspace_read' });
  await dialog.press('Add step', { [field('/path')]: 'in/source.md' });
  expect(dialog.read()).toContain('Reads in/source.md');
  await dialog.press('Find', { words: 'write a file' });
  await dialog.press('Fill in', { operation: 'workspace_write' });
  await dialog.press('Back');
  expect(dialog.read()).not.toContain('{{1/text}}');
  await dialog.press('Find', { words: 'write a file' });
  await dialog.press('Fill in', { operation: 'workspace_write' });
  expect(dialog.read()).toContain('{{1/text}}');
  await dialog.press('Add step', { [other('/path')]: 'new.md' });
  expect(dialog.read()).toContain('Content is missing.');
  await dialog.press('Add step', { [field('/content')]: 'Copied: {{1/text}}' });
  expect(dialog.read()).toContain('Creates new.md');
  expect(dialog.read()).toContain('after 1');
  await dialog.press('Edit', { step: '2' });
  await dialog.press('Save step', { [field('/path')]: '', [other('/path')]: 'copy.md' });
  expect(dialog.read()).toContain('Creates copy.md');
  await dialog.press('Remove', { step: '1' });
  expect(dialog.read()).not.toContain('Reads in/source.md');
  await dialog.press('Undo');
  await dialog.press('Propose', { repeats: 'FREQ=DAILY' });
  expect(dialog.read()).toContain('Say when it runs first.');
  await dialog.press('Propose', { repeats: 'once', title: 'Copy the source' });
  expect(dialog.answer()).toEqual({});
  const card = await awaitMessage(teams, chat.id, 'Copy the source');
  await teams.press(ana, card, 'Approve');
  await waitFor('the copy', () =>
    readFile(join(instance.workspace, 'copy.md'), 'utf8').catch(() => false),
  );
  expect(await readFile(join(instance.workspace, 'copy.md'), 'utf8')).toBe(
    'Copied: From the source',
  );
});

test('begun on a message of a channel, it is proposed below its post, and sent twice once', async () => {
  const use = await useTeamsInstance(database);
  const { teams, instance } = use;
  const ana = teams.addPerson('ana');
  const channel = teams.addChannel([ana]);
  const dialog = await openDialog(use, ana, channel, { chosen: '1700' });
  await dialog.press('Find', { words: 'wait' });
  await dialog.press('Fill in', { operation: 'control_wait' });
  await dialog.press('Add step', { [field('/seconds')]: '5', at: '2050-01-02 09:00' });
  expect(dialog.read()).toContain('not before 2050-01-02 09:00');
  const data = submitOf(dialog.card(), 'Propose', { title: 'Wait a little' });
  const sent = teams.describeBuild(ana, channel, data, { chosen: '1700' });
  await Promise.all([teams.send(sent), teams.send(sent)]);
  await awaitMessage(teams, `${channel.id};messageid=1700`, 'Wait a little');
  const { plans } = await instance.service.listPlans({ limit: 50 });
  expect(plans.filter(({ title }) => title === 'Wait a little')).toHaveLength(1);
});

test('a dialog of an unknown form is not taken', async () => {
  const { teams } = await useTeamsInstance(database);
  const ana = teams.addPerson('ana');
  const group = teams.addGroup([ana]);
  const good = teams.describeBuild(ana, group, { build: 'search' });
  const wrong = [
    teams.describeBuild(ana, group, { build: 'delete everything' }),
    { ...good, name: 'task/fetch' },
    { ...good, value: null },
    { ...good, name: 'composeExtension/submitAction' },
  ];
  for (const activity of wrong) expect((await teams.send(activity)).status).toBe(501);
});

test('a repetition that the dialog does not offer is none', async () => {
  const use = await useTeamsInstance(database);
  const { teams, instance } = use;
  const ana = teams.addPerson('ana');
  const chat = teams.addPersonal(ana);
  const dialog = await openDialog(use, ana, chat);
  await dialog.press('Find', { words: 'wait' });
  await dialog.press('Fill in', { operation: 'control_wait' });
  await dialog.press('Add step', { [field('/seconds')]: '5' });
  await dialog.press('Propose', { repeats: 'constructor', title: 'Wait once' });
  expect(dialog.answer()).toEqual({});
  await awaitMessage(teams, chat.id, 'Wait once');
  const { plans } = await instance.service.listPlans({ limit: 50 });
  expect(plans.filter(({ title }) => title === 'Wait once')).toHaveLength(1);
});

test('a person is picked among the members of the conversation', async () => {
  const use = await useTeamsInstance(database);
  const { teams } = use;
  const [ana, ben, clara] = ['ana', 'ben', 'clara'].map((name) => teams.addPerson(name));
  if (ana === undefined || ben === undefined || clara === undefined) throw new Error('No people');
  const dialog = await openDialog(use, ana, teams.addGroup([ana, ben]));
  await dialog.press('Find', { words: 'ask a person yes or no' });
  await dialog.press('Fill in', { operation: 'human_confirm' });
  expect(JSON.stringify(dialog.card())).toContain('graph.microsoft.com/users?scope=currentContext');
  const pick = (person: Person) => ({
    [field('/question')]: 'Shall I go ahead?',
    [field('/assignee')]: person.aadObjectId,
  });
  await dialog.press('Add step', pick(ben));
  expect(dialog.read()).toContain('Asks ben@example.com');
  await dialog.press('Edit', { step: '1' });
  await dialog.press('Save step', pick(clara));
  expect(JSON.stringify(dialog.answer())).toContain('That person is not in this conversation.');
});

test('a playbook is found, filled in and proposed', async () => {
  const use = await useTeamsInstance(database);
  const { teams, instance } = use;
  const ana = teams.addPerson('dora');
  const chat = teams.addPersonal(ana);
  const dialog = await openDialog(use, ana, chat);
  await dialog.press('Find', { words: 'playbook' });
  await dialog.press('Fill in', { operation: 'playbook two-files' });
  await dialog.press('Add step', { [field('/first')]: 'Plums' });
  expect(dialog.read()).toContain('Creates b.txt');
  await dialog.press('Propose', { repeats: 'once' });
  const card = await awaitMessage(teams, chat.id, 'Write two files');
  const id = /PLAN-[0-9a-f]{8}/.exec(JSON.stringify(card))?.[0] ?? '';
  const { steps } = await instance.service.listSteps(id, { limit: 5 });
  expect(steps.map(({ args }) => args.content)).toEqual(['Plums', 'Pears', undefined]);
});

test('a step of a waiting plan is edited from its details: the next version, with its diff on the card', async () => {
  const use = await useTeamsInstance(database);
  const { teams, instance } = use;
  const { service } = instance;
  const ana = teams.addPerson('ana');
  const ben = teams.addPerson('ben');
  const chat = teams.addPersonal(ana);
  await teams.say(ana, chat, 'write "Plums" to a.md, then ask ana@example.com "Fine?"');
  const card = await awaitMessage(teams, chat.id, '"details"');
  const id = /PLAN-[0-9a-f]{8}/.exec(JSON.stringify(card))?.[0] ?? '';
  const details = async (on: typeof card) => (await teams.press(ana, on, 'Details')).body;
  const shown = await details(card);
  const open = (title: string, person = ana, place = chat, from: unknown = shown) => {
    const data = { build: '', ...findButton(from, title)?.data };
    return openDialog(use, person, place, {}, data);
  };
  const first = await open('Edit 1');
  expect(JSON.stringify(first.card())).toContain('"value":"Plums"');
  const change = { [field('/content')]: 'Quinces', at: '2050-01-02 09:00' };
  await first.press('Propose change', change);
  expect(JSON.stringify(first.answer())).toContain('Proposed.');
  expect((await service.getPlan(id)).version).toBe(2);
  const { steps } = await service.listSteps(id, { limit: 5 });
  expect(steps[0]).toMatchObject({ args: { path: 'a.md', content: 'Quinces' } });
  expect(steps[0]?.not_before).toContain('2050-01-02');
  const next = await awaitMessage(teams, chat.id, 'Changed since version 1');
  const second = await open('Edit 2', ana, chat, await details(next));
  const { version } = await service.getPlan(id);
  await service.goBack(id, { version, to: 1 }, personIn('ana@example.com', 'teams'));
  await second.press('Propose change', { [field('/question')]: 'Good?' });
  expect(second.read()).toContain('The plan has changed');
  expect(JSON.stringify(second.card())).toContain('"value":"Good?"');
  const elsewhere = await open('Edit 1', ben, teams.addPersonal(ben));
  expect(elsewhere.card()).toEqual({});
});
