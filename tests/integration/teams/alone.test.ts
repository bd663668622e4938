// Private answers in Teams: the stats, and account linking.
import { expect, test } from 'vitest';
import { person } from '#domain/people/actor.ts';
import { readLinkCommand } from '#domain/people/link.ts';
import type { Person } from '../../fixtures/teams/chats.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { clearInbox } from '../inbox/bench.ts';
import { awaitMessage, useTeamsInstance } from './teams-instance.ts';

const database = useDatabase();

test('the stats are for whoever asks alone, wherever they ask, and tell them of no wish that one person alone had', async () => {
  const { teams, instance } = await useTeamsInstance(database);
  await clearInbox(instance);
  const [ana, ben] = [teams.addPerson('ana'), teams.addPerson('ben')];
  const channel = teams.addChannel([ana, ben]);
  const ask = async (by: Person, text: string) => {
    const { conversation } = await teams.say(by, channel, text);
    await awaitMessage(teams, conversation, 'No connected operation is called');
  };
  await ask(ana, 'Call flights_book with to: Rome');
  await ask(ben, 'Call flights_book with to: Paris');
  await ask(ana, 'Call plumber_call');
  const before = teams.messages.length;
  await teams.say(ben, channel, 'plans stats');
  const own = teams.addPersonal(ben).id;
  const answerText = JSON.stringify((await awaitMessage(teams, own, 'flights_book')).activity);
  expect(answerText).toContain('2 times, by 2 people');
  expect(answerText).not.toContain('plumber_call');
  // A public answer would come before this one.
  const next = await teams.say(ben, channel, 'help');
  await awaitMessage(teams, next.conversation, 'plans that need you, run');
  const since = teams.messages.slice(before);
  expect(since.map(({ conversation }) => conversation)).toEqual([own, next.conversation]);
});

test('a code from Slack, sent to the bot in Teams, makes both one person in Teams at once, until it is removed', async () => {
  const { teams, instance } = await useTeamsInstance(database);
  const { service } = instance;
  await clearInbox(instance);
  const ana = teams.addPerson('ana');
  const chat = teams.addPersonal(ana);
  const ask = async (text: string, answer: string) => {
    const before = teams.messages.length;
    await teams.say(ana, chat, text);
    return waitFor(`an answer with “${answer}”`, async () =>
      teams.messages
        .slice(before)
        .map(({ activity }) => JSON.stringify(activity))
        .find((line) => line.includes(answer)),
    );
  };

  const elsewhere = person('slack:T1:U1', 'slack');
  const plan = await service.propose(
    { title: 'Asked in Slack', steps: [noop('1')] },
    {},
    elsewhere,
  );
  await ask('plans mine', "You haven't asked for anything yet");
  const given = await service.link(readLinkCommand(''), elsewhere);
  if (given.kind !== 'code') throw new Error('No code was given.');
  await ask('plans link WRONG-WRONG', 'This code is unknown');
  expect(await service.personOf(elsewhere.id)).toBe(elsewhere.id);

  await ask(`plans link ${given.code}`, 'Linked');
  expect(await service.personOf(elsewhere.id)).toBe('ana@example.com');
  await ask('plans mine', plan.id);
  expect(await ask('plans link show', 'You are ')).toContain('slack:T1:U1');
  await ask('plans link remove', 'Unlinked');
  await ask('plans all', plan.id);
  expect(await service.personOf(elsewhere.id)).toBe(elsewhere.id);
});
