// Required people in Teams: one mention and one message.
import { expect, test } from 'vitest';
import type { PlanDraft } from '#domain/plan/plan.ts';
import { cardOf, type Message } from '../../fixtures/teams/sent-cards.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop, reach, scriptedPlanner } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { awaitMessage, useTeamsInstance } from './teams-instance.ts';

const database = useDatabase();
const draft: PlanDraft = { title: 'Ship it', steps: [noop('a')] };
const planner = scriptedPlanner(() => ({ kind: 'proposal', draft }));
const settings = {
  guardedTools: ['control_noop'],
  guardedApprovers: { control_noop: { kind: 'named', people: ['ben@example.com'] } },
};
const mentions = (message: Message) =>
  JSON.stringify(cardOf(message)).split('"mention"').length - 1;

async function askInChannel(others: object = {}) {
  const opened = await useTeamsInstance(database, { planner, settings });
  const { teams } = opened;
  const [ana, ben] = [teams.addPerson('ana'), teams.addPerson('ben', others)];
  const channel = teams.addChannel([ana, ben]);
  const { conversation } = await teams.say(ana, channel, 'ship it');
  const card = await awaitMessage(teams, conversation, '"approve"');
  return { ...opened, ana, ben, conversation, card, benAlone: teams.addPersonal(ben) };
}

test('an approver is mentioned on the card and told alone, with what is asked and a link to the card', async () => {
  const { teams, instance, ana, ben, conversation, card, benAlone } = await askInChannel();
  const first = JSON.stringify(cardOf(card));
  expect(first).toContain('<at>ben</at>: please approve or reject this.');
  expect(mentions(card)).toBe(1);
  expect(first).toContain(ben.id);
  const notice = await awaitMessage(teams, benAlone.id, 'asks for your approval');
  expect(JSON.stringify(notice.activity)).toContain(`/${card.id}?`);
  const plan = /PLAN-[0-9a-f]+/.exec(first)?.[0] ?? '';
  expect(first).toContain('Guarded: ');
  await teams.press(ana, card, ['Approve', 'Approve and run']);
  await waitFor('the changed card', async () => card.updates > 0);
  // An edit sends no notification.
  expect(mentions(card)).toBe(0);
  await teams.press(ben, card, ['Approve', 'Approve and run']);
  await reach(instance, plan, 'completed');
  await waitFor('nobody to be asked any more', async () => {
    return !JSON.stringify(cardOf(card)).includes('please approve');
  });
  const inChannel = teams.messages.filter((one) => one.conversation === conversation);
  expect(inChannel.filter((one) => mentions(one) > 0)).toEqual([]);
  expect(teams.messages.filter((one) => one.conversation === benAlone.id)).toEqual([notice]);
});

test('a name of any letters is no markup', async () => {
  const { card, ben } = await askInChannel({ name: '<b>*Ben*</b>\n{x} [y](z)' });
  const cardText = JSON.stringify(cardOf(card));
  expect(cardText).toContain(ben.id);
  expect(cardText).not.toMatch(/\*Ben\*|<b>|\]\(z/);
});

test('in a chat with one person nobody is mentioned', async () => {
  const { teams } = await useTeamsInstance(database, { planner, settings });
  const ana = teams.addPerson('ana');
  const chat = teams.addPersonal(ana);
  await teams.say(ana, chat, 'ship it');
  expect(mentions(await awaitMessage(teams, chat.id, '"approve"'))).toBe(0);
});

const opening = /^POST \/v3\/conversations$/;

test('a chat that cannot be opened for a while posts no card twice', async () => {
  const opened = await useTeamsInstance(database, { planner, settings });
  const { teams } = opened;
  const [ana, ben] = [teams.addPerson('ana'), teams.addPerson('ben')];
  const channel = teams.addChannel([ana, ben]);
  teams.refuse({ status: 429, headers: { 'retry-after': '0' }, path: opening }, 3);
  const { conversation } = await teams.say(ana, channel, 'ship it');
  const card = await awaitMessage(teams, conversation, '"approve"');
  await teams.press(ana, card, ['Approve', 'Approve and run']);
  await waitFor('the changed card', async () => card.updates > 0);
  const cards = teams.messages.filter(
    (one) => one.conversation === conversation && JSON.stringify(one).includes('PLAN-'),
  );
  expect(cards).toEqual([card]);
});
