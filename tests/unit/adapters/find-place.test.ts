import { expect, test } from 'vitest';
import { createAsk } from '#adapters/slack/calls/hold.ts';
import { createFindPlace as createSlackFinder } from '#adapters/slack/people/find-place.ts';
import { placeOf } from '#adapters/slack/signals/name-signal.ts';
import { createFindPlace as createTeamsFinder } from '#adapters/teams/talk/find-place.ts';
import { CountersignError } from '#domain/errors.ts';
import { createLimits } from '../fixtures/rate-limits.ts';
import { clientOf, useSlack } from '../fixtures/slack-client.ts';

const times = { start: Date.now(), passed: 0 };
const clock = { now: () => new Date(times.start + times.passed) };

async function inSlack() {
  const slack = await useSlack();
  const ana = slack.addUser({ name: 'ana' }).id;
  const channel = slack.addChannel({ name: 'ops', members: [ana] });
  const client = clientOf(slack);
  const find = createSlackFinder({
    clientOf: async () => client,
    ask: createAsk(createLimits()),
    reach: { find: async () => ({ user: ana, timezone: 'UTC' }), openDirect: async () => null },
    clock,
  });
  const place = placeOf(slack.workspace.id, channel.id, null);
  return {
    look: () => find(place, 'ana@example.com', place),
    leave: () => channel.members.delete(ana),
    calls: () => slack.calls.filter(({ method }) => method === 'conversations.members').length,
  };
}

async function inTeams() {
  const base = { tenant: 't', service_url: 'https://teams.example', bot: 'b', team: 'team' };
  const where = {
    ...base,
    channel: '19:ops',
    kind: 'channel',
    person: null,
    timezone: null,
  } as const;
  let isMember = true;
  let calls = 0;
  const ana = { id: '29:ana', object: null, account: 'ana@example.com', name: 'Ana' };
  const find = createTeamsFinder({
    connector: {
      channels: async () => [{ id: where.channel, name: 'Ops' }],
      async member() {
        calls += 1;
        if (!isMember) throw new CountersignError('not_found', 'No member.');
        return { id: ana.id };
      },
    },
    conversations: { find: async () => where, keep: async () => {} },
    // A list that is minutes old.
    readers: { read: async () => [ana] },
    findChat: async () => expect.fail('It is no person.'),
    everyNameOf: async (name) => [name],
    clock,
  });
  const place = { platform: 'teams', tenant: 't', channel: where.channel, thread: null } as const;
  return {
    look: () => find(place, 'ana@example.com', place),
    leave() {
      isMember = false;
    },
    calls: () => calls,
  };
}

test.each([
  ['Slack', inSlack],
  ['Teams', inTeams],
])('%s is asked once in half a minute whether they are there', async (_, open) => {
  const { look, leave, calls } = await open();
  expect(await look()).toMatchObject({ name: expect.stringMatching(/^#ops$/i) });
  const before = calls();
  leave();
  for (let n = 0; n < 20; n++) expect(await look()).toHaveProperty('place');
  expect(calls()).toBe(before);
  times.passed += 31_000;
  expect(await look()).toMatchObject({ refusal: expect.stringContaining('requester is not in') });
});
