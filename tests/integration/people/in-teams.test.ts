// Linking in Teams as people do it there: a code from somewhere else, sent in a message; and what that changes in Teams at once.
import { expect, test } from 'vitest';
import { person } from '#domain/people/actor.ts';
import { readLinkCommand } from '#domain/people/link.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { clearInbox } from '../inbox/bench.ts';
import { useTeamsInstance } from '../teams/teams-instance.ts';

const database = useDatabase();

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
        .find((said) => said.includes(answer)),
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
