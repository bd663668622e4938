// Teams' refusals: nothing is lost, and the operator gets advice.
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { readDeliveryState } from '#db/chat/places.ts';
import { cardOf, type Message } from '../../fixtures/teams/sent-cards.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop, scriptedPlanner } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { clearInbox, settled } from '../inbox/bench.ts';
import { awaitMessage, openTeamsInstance, useTeamsInstance } from './teams-instance.ts';

const database = useDatabase();
const planner = scriptedPlanner(() => ({
  kind: 'proposal',
  draft: { title: 'Two of nothing', steps: [noop('a'), noop('b')] },
}));

const posting = /^POST .*\/activities$/;

async function useChannel() {
  const use = await useTeamsInstance(database, { planner });
  const { teams, instance } = use;
  await clearInbox(instance);
  await instance.db.query.execute(sql`update countersign.chat_places set broken = null`);
  const ana = teams.addPerson('ana');
  const channel = teams.addChannel([ana]);
  return { ...use, ana, channel };
}

const planOf = (message: Message) =>
  /PLAN-[0-9a-f]+/.exec(JSON.stringify(cardOf(message)))?.[0] ?? '';

test('what Teams has too much of, or cannot take now, is posted later and once', async () => {
  const { teams, ana, channel } = await useChannel();
  teams.refuse({ status: 429, headers: { 'retry-after': '0' }, path: posting });
  teams.refuse({ status: 502, path: posting });
  teams.refuse({ status: 412, code: 'PreconditionFailed', path: posting });
  const { conversation } = await teams.say(ana, channel, 'do nothing, twice');
  const card = await awaitMessage(teams, conversation, '"approve"');
  expect(teams.messages.filter((one) => one.conversation === conversation)).toEqual([card]);
});

test('Retry-After is obeyed: nobody asks again before', async () => {
  const { teams, ana, channel, instance } = await useChannel();
  teams.refuse({ status: 429, headers: { 'retry-after': '3600' }, path: posting });
  await teams.say(ana, channel, 'do nothing, twice');
  const wait = await waitFor('the place to be left alone', async () => {
    const { rows } = await instance.db.query.execute<{ seconds: number }>(
      sql`select extract(epoch from not_before - clock_timestamp())::float8 as seconds
        from countersign.chat_places where not_before > clock_timestamp() and channel = ${channel.id}`,
    );
    return rows[0]?.seconds;
  });
  expect(wait).toBeGreaterThan(3500);
  // Typing is not a message.
  const posts = teams.calls.filter(
    ({ method, path, body }) =>
      posting.test(`${method} ${path}`) && !JSON.stringify(body).includes('"typing"'),
  );
  expect(posts).toHaveLength(1);
});

test('an answer to a post that was lost posts it once more rather than never', async () => {
  const { teams, ana, channel } = await useChannel();
  teams.refuse({ status: 0, path: posting });
  const { conversation } = await teams.say(ana, channel, 'do nothing, twice');
  await waitFor(
    'two of it',
    async () => teams.messages.filter((one) => one.conversation === conversation).length === 2,
  );
});

test('where the app was taken out or blocked the operator is told what to do, and what waits is posted when it is back', async () => {
  for (const [code, words] of [
    ['BotNotInConversationRoster', 'Add it under Apps'],
    ['ConversationBlockedByUser', 'unblock'],
    ['BotDisabledByAdmin', 'Teams admin center'],
  ] as const) {
    const { teams, ana, channel, instance } = await useChannel();
    teams.refuse({ status: 403, code, path: posting });
    const { conversation, root } = await teams.say(ana, channel, 'do nothing, twice');
    const state = await waitFor('a broken place', async () => {
      const now = await readDeliveryState(instance.db.query, 10);
      return now.last === null ? null : now;
    });
    expect(state.last?.broken).toContain(words);
    await teams.say(ana, channel, 'status', { root: root ?? '' });
    await awaitMessage(teams, conversation, '"approve"');
  }
});

test('a revoked token is asked for once more, and then the operator is told', async () => {
  const { teams, ana, channel, instance } = await useChannel();
  teams.refuse({ status: 401, path: posting });
  const { conversation } = await teams.say(ana, channel, 'do nothing, twice');
  await awaitMessage(teams, conversation, '"approve"');
  expect((await readDeliveryState(instance.db.query, 10)).last).toBeNull();
  const other = teams.addChannel([ana]);
  teams.refuse({ status: 401, path: posting }, 2);
  await teams.say(ana, other, 'do nothing, twice');
  const { last } = await waitFor('a broken place', async () => {
    const now = await readDeliveryState(instance.db.query, 10);
    return now.last === null ? null : now;
  });
  expect(last?.broken).toContain('MicrosoftAppId');
});

test('after a restart the bot speaks first, in a channel and to one person alone', async () => {
  const first = await useTeamsInstance(database, { planner, own: true });
  const { teams } = first;
  const ana = teams.addPerson('ana');
  const ben = teams.addPerson('ben');
  const channel = teams.addChannel([ana, ben]);
  const { conversation } = await teams.say(ana, channel, 'do nothing, twice');
  const card = await awaitMessage(teams, conversation, '"approve"');
  await settled(first.instance);
  await first.leave();
  const { instance } = await openTeamsInstance(database.url, teams, { planner });
  const plan = await instance.service.getPlan(planOf(card));
  const { version, digest } = plan;
  await instance.service.approve(
    plan.id,
    { version, digest },
    {
      kind: 'person',
      id: 'ana@example.com',
      via: 'console',
    },
  );
  await waitFor('the card to follow', async () =>
    JSON.stringify(cardOf(card)).includes('Save as a playbook'),
  );
  const place = {
    platform: 'teams' as const,
    tenant: teams.tenant,
    channel: channel.id,
    thread: null,
  };
  await instance.chats.teams?.port.whisper(place, ben.id, { text: 'For you alone', card: null });
  await awaitMessage(teams, teams.addPersonal(ben).id, 'For you alone');
});
