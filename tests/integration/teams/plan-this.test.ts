// “Plan this” in Teams: a dialog, and a plan in place.
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Answer } from '../../fixtures/teams/connector.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop, scriptedPlanner } from '../../setup/instance.ts';
import { awaitMessage, useTeamsInstance } from './teams-instance.ts';

const database = useDatabase();
const asked: string[] = [];
const planner = scriptedPlanner(({ text }) => {
  asked.push(text);
  return { kind: 'proposal', draft: { title: `About ${text.split('\n')[0]}`, steps: [noop('a')] } };
});

const Dialog = z.object({
  task: z.object({
    type: z.literal('continue'),
    value: z.object({
      title: z.string(),
      card: z.object({
        contentType: z.literal('application/vnd.microsoft.card.adaptive'),
        content: z.looseObject({
          actions: z.array(z.looseObject({ type: z.string(), data: z.unknown() })),
        }),
      }),
    }),
  }),
});
const dialogOf = ({ body }: Answer) => Dialog.parse(body).task.value.card.content;
const message = {
  id: '1700',
  by: 'Cleo',
  html: '<p>The launch slips &amp; legal is not told.</p>',
};

test('a message of a channel is planned below its post, with its words quoted', async () => {
  const { teams } = await useTeamsInstance(database, { planner });
  const ana = teams.addPerson('ana');
  const channel = teams.addChannel([ana]);
  const reply = { ...message, replyToId: '1600' };
  const opened = dialogOf(await teams.send(teams.describePlanThis(ana, channel, reply)));
  expect(JSON.stringify(opened)).toContain('The launch slips & legal is not told.');
  expect(opened.actions).toMatchObject([{ type: 'Action.Submit', data: { plan: 'this' } }]);
  const data = { plan: 'this', what: ' Tell legal ' };
  const { status, body } = await teams.send(teams.describePlanThis(ana, channel, reply, data));
  expect([status, body]).toEqual([200, {}]);
  await awaitMessage(teams, `${channel.id};messageid=1600`, 'About Tell legal');
  expect(asked.at(-1)).toBe(
    'Tell legal\n\nMessage from Cleo:\n> The launch slips & legal is not told.',
  );
});

test('a dialog that is sent twice plans once, and one without words plans the message itself', async () => {
  const { teams } = await useTeamsInstance(database, { planner });
  const ana = teams.addPerson('ana');
  const group = teams.addGroup([ana]);
  const once = { ...message, html: 'Write the minutes' };
  const sent = teams.describePlanThis(ana, group, once, { plan: 'this', what: '' });
  await Promise.all([teams.send(sent), teams.send(sent)]);
  await awaitMessage(teams, group.id, 'About Write the minutes');
  expect(asked.filter((text) => text === 'Write the minutes')).toHaveLength(1);
});

test('a word that decides is a request when it is in the message that is planned', async () => {
  const { teams, instance } = await useTeamsInstance(database, { planner });
  const ana = teams.addPerson('ana');
  const group = teams.addGroup([ana]);
  const waiting = { ...message, html: 'Book the room' };
  await teams.send(teams.describePlanThis(ana, group, waiting, { plan: 'this', what: '' }));
  const card = await awaitMessage(teams, group.id, 'About Book the room');
  const id = /PLAN-[0-9a-f]+/.exec(JSON.stringify(card.activity))?.[0] ?? '';
  const word = { ...message, id: '1701', html: 'approve' };
  await teams.send(teams.describePlanThis(ana, group, word, { plan: 'this', what: '' }));
  await awaitMessage(teams, group.id, 'About approve');
  expect((await instance.service.getPlan(id)).status).toBe('proposed');
});

test('where the app is not, Teams is asked to add it, and then the dialog comes', async () => {
  const { teams } = await useTeamsInstance(database, { planner });
  const ana = teams.addPerson('ana');
  const group = teams.addGroup([ana]);
  const { members } = group;
  teams.removeBot(group);
  const opened = dialogOf(await teams.send(teams.describePlanThis(ana, group, message)));
  const install = { msteams: { justInTimeInstall: true } };
  expect(opened.actions).toMatchObject([{ type: 'Action.Submit', data: install }]);
  const sent = teams.describePlanThis(ana, group, message, { plan: 'this', what: 'Tell legal' });
  expect(JSON.stringify((await teams.send(sent)).body)).toContain('Nothing was planned');
  group.members = members;
  const added = await teams.send(teams.describePlanThis(ana, group, message, install));
  expect(dialogOf(added).actions).toMatchObject([{ data: { plan: 'this' } }]);
});

test('nothing is planned of nothing, and what is of another form is not taken', async () => {
  const { teams } = await useTeamsInstance(database, { planner });
  const ana = teams.addPerson('ana');
  const group = teams.addGroup([ana]);
  const empty = { ...message, html: '<attachment id="1"></attachment>' };
  const sent = teams.describePlanThis(ana, group, empty, { plan: 'this', what: ' ' });
  const again = await teams.send(sent);
  expect(JSON.stringify(dialogOf(again))).toContain('There is no text in this message.');
  const good = teams.describePlanThis(ana, group, message, { plan: 'this', what: 'x' });
  const wrong = [
    { ...good, name: 'composeExtension/query' },
    { ...good, value: { ...good.value, commandId: 'other' } },
    { ...good, value: { ...good.value, commandContext: 'compose' } },
    { ...good, value: { ...good.value, data: { plan: 'that' } } },
    { ...good, value: { ...good.value, data: { plan: 'this', what: 'x'.repeat(4001) } } },
    { ...good, value: { ...good.value, messagePayload: { id: '1' } } },
  ];
  for (const activity of wrong) expect((await teams.send(activity)).status).toBe(501);
});
