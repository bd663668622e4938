// Linking accounts with `/plans link` in Slack.
import { expect, test } from 'vitest';
import { person } from '#domain/people/actor.ts';
import { readLinkCommand } from '#domain/people/link.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { clearInbox } from '../inbox/bench.ts';
import { type SlackInstance, useSlackInstance } from '../slack/slack-instance.ts';

const database = useDatabase();

const asking =
  (slack: SlackInstance['slack'], user: string, channel: string) => async (text: string) => {
    const before = slack.ephemerals(user).length;
    await slack.command(user, channel, '/plans', text);
    const all = await waitFor(`the answer to ${text}`, async () => {
      const now = slack.ephemerals(user);
      return now.length > before && now;
    });
    return JSON.stringify(all.at(-1)?.blocks);
  };

test('a code from Slack, sent from Teams, makes both one person in Slack at once, until it is removed', async () => {
  const { slack, instance } = await useSlackInstance(database);
  const { service } = instance;
  await clearInbox(instance);
  const ana = slack.addUser({ name: 'ana' });
  const channel = slack.addChannel({ name: 'release', members: [ana.id], bot: false }).id;
  const ask = asking(slack, ana.id, channel);

  const elsewhere = person('teams:X1:O1', 'teams');
  const plan = await service.propose(
    { title: 'Asked in Teams', steps: [noop('1')] },
    {},
    elsewhere,
  );
  expect(await ask('mine')).not.toContain(plan.id);
  expect(await ask('link show')).toContain('No other account is linked');

  const answer = await ask('link');
  const [, code = ''] = /Your code is ([2-9A-Z]{5}-[2-9A-Z]{5})/.exec(answer) ?? [];
  expect(answer).toContain(`plans link ${code}`);
  const outcome = await service.link(readLinkCommand(code), elsewhere);
  expect(outcome).toMatchObject({ kind: 'linked', person: 'ana@example.com' });

  expect(await ask('mine')).toContain(plan.id);
  expect(await ask('link show')).toContain('ana@example.com and teams:X1:O1');
  expect(await ask('link WRONG-WRONG')).toContain('This code is unknown');

  expect(await ask('link remove')).toContain('Unlinked');
  expect(await ask('mine')).not.toContain(plan.id);
  expect(await service.personOf(elsewhere.id)).toBe(elsewhere.id);
});

test('a single workspace beside several Teams tenants lists its own plans, in every list, and none of theirs', async () => {
  const { slack, instance } = await useSlackInstance(database, {
    env: {
      MicrosoftAppType: 'MultiTenant',
      MicrosoftAppId: crypto.randomUUID(),
      MicrosoftAppPassword: 'a secret',
      TEAMS_ALLOWED_TENANTS: 'any',
    },
  });
  await clearInbox(instance);
  const ana = slack.addUser({ name: 'ana' });
  const channel = slack.direct(ana.id).id;
  const ask = asking(slack, ana.id, channel);
  await slack.say(ana.id, channel, 'Create own.txt: hello');
  const own = await waitFor('the plan that was asked for here', async () => {
    const { plans } = await instance.service.listPlans({ limit: 10 });
    return plans.find(({ title }) => title.includes('own.txt'));
  });
  const teams = { ...person('teams:X1:O1', 'teams'), tenant: 'teams:X1' };
  const theirs = await instance.service.propose(
    { title: 'Asked in Teams', steps: [noop('1')] },
    {},
    teams,
  );
  for (const list of ['', 'all']) {
    const answer = await ask(list);
    expect(answer).toContain(own.id);
    expect(answer).not.toContain(theirs.id);
  }
  expect(await ask(theirs.id)).not.toContain('Asked in Teams');
});
