// A bot in several tenants: people see only their own plans.
import { expect, test } from 'vitest';
import { person } from '#domain/people/actor.ts';
import type { Answer } from '../../fixtures/teams/connector.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop } from '../../setup/instance.ts';
import { clearInbox } from '../inbox/bench.ts';
import { awaitMessage, useTeamsInstance } from './teams-instance.ts';

const database = useDatabase();

async function useTenants(single: boolean) {
  const use = await useTeamsInstance(database, { single });
  const { teams, instance } = use;
  await clearInbox(instance);
  const ana = teams.addPerson('ana');
  const channel = teams.addChannel([ana]);
  const proposeAt = async (tenant: string, title: string) => {
    const place = { platform: 'teams' as const, tenant, channel: `19:${title}`, thread: null };
    const conversation = await instance.db.transaction((tx) =>
      instance.openConversation(tx, place),
    );
    const by = person('zoe@example.com', 'api');
    return instance.service.propose({ title, steps: [noop('a')] }, { conversation }, by);
  };
  const own = await proposeAt(teams.tenant, 'Ours');
  const other = await proposeAt('another-tenant', 'Theirs');
  return { ...use, ana, channel, own, other };
}

const words = ({ body }: Answer) => JSON.stringify(body);

// Tenants stay separate after sharing an instance once.
for (const single of [true, false]) {
  test(`${single ? 'of one tenant people see every plan of the instance' : 'of several tenants people find no plan of another in lists, by its number or by what a client asks for'}`, async () => {
    const { teams, ana, channel, own, other } = await useTenants(single);
    const { conversation } = await teams.say(ana, channel, 'plans all');
    const list = await awaitMessage(teams, conversation, own.id);
    expect(JSON.stringify(list.activity).includes(other.id)).toBe(single);
    const details = teams.describePress(ana, list, 'Details');
    const open = (id: string, data: object) => {
      const { version, digest } = id === own.id ? own : other;
      const press = { action: 'details', plan_id: id, version, digest, ...data };
      const value = { action: { type: 'Action.Execute', verb: 'details', data: press } };
      return teams.send({ ...details, id: undefined, value });
    };
    expect(words(await open(own.id, { list: 'all' }))).toContain('Ours');
    const answer = words(await open(other.id, { list: 'all' }));
    expect(answer.includes('Theirs')).toBe(single);
    expect(answer.includes(`There is no plan ${other.id}`)).toBe(!single);
    expect(words(await open(other.id, {}))).not.toContain('Theirs');
    const one = await teams.say(ana, channel, `plans ${other.id}`);
    const reply = await awaitMessage(teams, one.conversation, other.id);
    expect(JSON.stringify(reply.activity).includes('There is no plan')).toBe(!single);
  });

  test(`${single ? 'of one tenant the planner tells of every plan of the instance' : 'of several tenants the planner tells people of no plan of another'}`, async () => {
    const { teams, ana, channel, own, other } = await useTenants(single);
    const all = await teams.say(ana, channel, 'list all plans');
    const list = await awaitMessage(teams, all.conversation, own.id);
    expect(JSON.stringify(list.activity).includes(other.id)).toBe(single);
    const one = await teams.say(ana, channel, `plan ${other.id}`);
    const answer = await awaitMessage(teams, one.conversation, other.id);
    expect(JSON.stringify(answer.activity).includes('Theirs')).toBe(single);
  });
}
