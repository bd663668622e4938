// Requests with Teams' token are stored once, others refused.
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { conversationAt } from '#domain/chat/chat.ts';
import type { Forgery } from '../../fixtures/teams/bot-framework-keys.ts';
import { useDatabase } from '../../setup/database.ts';
import { scriptedPlanner } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { clearInbox, readInbox, settled } from '../inbox/bench.ts';
import { awaitMessage, type TeamsInstance, useTeamsInstance } from './teams-instance.ts';

const database = useDatabase();
const answering = scriptedPlanner(({ text }) => ({ kind: 'answer', text: `Heard: ${text}` }));

async function usePeople(options: { single?: boolean } = {}) {
  const use = await useTeamsInstance(database, { planner: answering, ...options });
  await clearInbox(use.instance);
  const ana = use.teams.addPerson('ana');
  const ben = use.teams.addPerson('ben');
  return {
    ...use,
    ana,
    ben,
    chat: use.teams.addPersonal(ana),
    group: use.teams.addGroup([ana, ben]),
    channel: use.teams.addChannel([ana, ben]),
  };
}

async function talkIn({ instance, teams }: TeamsInstance, conversation: string) {
  const [channel = '', thread = null] = conversation.split(';messageid=');
  const place = { platform: 'teams' as const, tenant: teams.tenant, channel, thread };
  const messages = await instance.service.messages(conversationAt(place), { limit: 50 });
  return messages.map(({ author, name, text }) => `${author === 'bot' ? 'bot' : name}: ${text}`);
}

test('in a chat, a group and a channel the bot answers where it was asked', async () => {
  const use = await usePeople();
  const { teams, ana, chat, group, channel, instance } = use;
  for (const place of [chat, group, channel]) {
    const { answer, conversation } = await teams.say(ana, place, 'what is 1 &lt; 2?');
    expect(answer.status).toBe(200);
    await awaitMessage(teams, conversation, 'Heard: what is 1 < 2?');
    expect(await talkIn(use, conversation)).toEqual([
      'ana@example.com: what is 1 < 2?',
      'bot: Heard: what is 1 < 2?',
    ]);
  }
  expect(await settled(instance)).toHaveLength(3);
});

test('what is not written to the bot is not heard', async () => {
  const use = await usePeople();
  const { teams, ana, ben, group, channel, instance } = use;
  await teams.say(ana, group, 'lunch?', { mention: false });
  const aside = await teams.say(ana, channel, 'lunch?', { mention: false });
  const { conversation, root } = await teams.say(ana, channel, 'hello');
  await awaitMessage(teams, conversation, 'Heard: hello');
  const below = { root: root ?? '', mention: false };
  await teams.say(ben, channel, '<at>Ana</at> did you see this?', below);
  await teams.say(ben, channel, 'and again', below);
  await awaitMessage(teams, conversation, 'Heard: and again');
  await settled(instance);
  const stored = JSON.stringify(await readInbox(instance));
  for (const text of ['lunch?', 'did you see this?']) expect(stored).not.toContain(text);
  expect(await talkIn(use, group.id)).toEqual([]);
  expect(await talkIn(use, aside.conversation)).toEqual([]);
  expect((await talkIn(use, conversation)).filter((line) => !line.startsWith('bot'))).toEqual([
    'ana@example.com: hello',
    'ben@example.com: and again',
  ]);
});

test('what is unsigned, wrongly signed, expired, or meant for another bot or address gets 401 and touches nothing', async () => {
  const { teams, ana, chat, instance } = await usePeople();
  const activity = teams.describeMessage(ana, chat, 'hello', null, false);
  const forgeries: Forgery[] = [
    { header: null },
    { header: 'Bearer' },
    { header: 'Bearer not.a.token' },
    { header: 'Basic YTpi' },
    { key: 'foreign' },
    { algorithm: 'none' },
    { expiresIn: -301 },
    { audience: '00000000-0000-4000-8000-000000000000' },
    { issuer: 'https://sts.windows.net/d6d49420-f39b-4df7-a1dc-d59a935871db/' },
    { serviceUrl: 'https://elsewhere.example' },
  ];
  for (const forgery of forgeries) {
    expect((await teams.send(activity, forgery)).status, JSON.stringify(forgery)).toBe(401);
  }
  for (const changed of [
    { ...activity, channelId: 'webchat' },
    { ...activity, channelId: 'AseChannel' },
    { ...activity, serviceUrl: 'http://elsewhere.example' },
  ]) {
    expect((await teams.send(changed)).status).toBe(401);
  }
  expect(await readInbox(instance)).toEqual([]);
  expect((await teams.send(activity, { expiresIn: -290 })).status).toBe(200);
  expect(await readInbox(instance)).toHaveLength(1);
});

test('what is no activity is refused, and a question that is none of ours is said to be none', async () => {
  const { teams, ana, chat, instance } = await usePeople();
  expect((await teams.deliver('{')).status).toBe(400);
  expect((await teams.deliver('{"type":"message"}')).status).toBe(400);
  expect((await teams.deliver(`{"text":"${'x'.repeat(300_000)}"}`)).status).toBe(413);
  const invoke = { ...teams.describe(ana, chat, null), type: 'invoke', name: 'task/fetch' };
  expect((await teams.send(invoke)).status).toBe(501);
  for (const type of ['typing', 'messageReaction', 'messageUpdate', 'messageDelete'])
    expect((await teams.send({ ...teams.describe(ana, chat, null), type })).status).toBe(200);
  expect(await readInbox(instance)).toEqual([]);
});

test('what cannot be stored is not acknowledged, and the retry is the first', async () => {
  const use = await usePeople();
  const { teams, ana, chat, instance } = use;
  await instance.db.query.execute(sql`alter table countersign.inbox rename to inbox_away`);
  const { answer, activity, conversation } = await teams.say(ana, chat, 'hello');
  expect(answer.status).toBe(503);
  await instance.db.query.execute(sql`alter table countersign.inbox_away rename to inbox`);
  expect((await teams.send(activity)).status).toBe(200);
  await awaitMessage(teams, conversation, 'Heard: hello');
  expect(await talkIn(use, conversation)).toHaveLength(2);
});

test('people are named by the address their own tenant vouches for, and by their account where nobody does', async () => {
  const single = await usePeople();
  const { teams, instance } = single;
  const stranger = teams.addPerson('zoe', { tenantId: 'another-tenant' });
  const guest = teams.addPerson('gus', {
    userRole: 'guest',
    userPrincipalName: 'gus_example.org#EXT#@contoso.example',
  });
  const { conversation } = await teams.say(stranger, teams.addPersonal(stranger), 'hello');
  await teams.say(guest, teams.addPersonal(guest), 'hello');
  await settled(instance);
  expect((await talkIn(single, conversation))[0]).toBe(
    `teams:${teams.tenant}:${stranger.aadObjectId}: hello`,
  );
  expect((await talkIn(single, teams.addPersonal(guest).id))[0]).toBe(
    `teams:${teams.tenant}:${guest.aadObjectId}: hello`,
  );
});

test('where the app is added it says hello once, and where it is taken out nothing is posted until it is back', async () => {
  const use = await usePeople();
  const { teams, ana, channel, instance } = use;
  const added = () => ({
    ...teams.describe(ana, channel, null),
    type: 'conversationUpdate',
    membersAdded: [teams.bot],
  });
  await teams.send(added());
  await teams.send({
    ...teams.describe(ana, channel, null),
    type: 'installationUpdate',
    action: 'add',
  });
  await awaitMessage(teams, channel.id, "I'm Countersign.");
  await settled(instance);
  const { conversation } = await teams.say(ana, channel, 'hello');
  await awaitMessage(teams, conversation, 'Heard: hello');
  await teams.send({
    ...teams.describe(ana, channel, null),
    type: 'conversationUpdate',
    membersRemoved: [teams.bot],
  });
  await settled(instance);
  const before = teams.messages.length;
  const place = (thread: string | null) =>
    conversationAt({ platform: 'teams', tenant: teams.tenant, channel: channel.id, thread });
  const root = conversation.split(';messageid=')[1] ?? '';
  await instance.service.say(place(root), 'still there?', {
    kind: 'person',
    id: 'ana@example.com',
    via: 'console',
  });
  await waitFor('an answer', async () => (await talkIn(use, conversation)).length === 4);
  const { rows } = await instance.db.query.execute<{ broken: string }>(
    sql`select broken from countersign.chat_places where conversation = ${place(root)}`,
  );
  expect(rows[0]?.broken).toContain('Add it again under Apps');
  expect(teams.messages.length).toBe(before);
  await teams.send(added());
  await awaitMessage(teams, conversation, 'Heard: still there?');
  await settled(instance);
  const hellos = teams.messages.filter(({ activity }) =>
    JSON.stringify(activity).includes("I'm Countersign."),
  );
  expect(hellos).toHaveLength(1);
});

test('of several tenants nobody vouches for anybody, and those that are not served reach nothing', async () => {
  const use = await usePeople({ single: false });
  const { teams, ana, chat, instance } = use;
  const foreign = {
    ...teams.describeMessage(ana, chat, 'hello', null, false),
    channelData: { tenant: { id: 'another-tenant' } },
  };
  expect((await teams.send(foreign)).status).toBe(403);
  expect(await readInbox(instance)).toEqual([]);
  await teams.say(ana, chat, 'hello');
  await awaitMessage(teams, chat.id, 'Heard: hello');
  expect((await talkIn(use, chat.id))[0]).toBe(`teams:${teams.tenant}:${ana.aadObjectId}: hello`);
});
