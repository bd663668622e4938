// Signed requests from Slack are stored once, others refused.
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { placeOf } from '#adapters/slack/signals/name-signal.ts';
import { conversationAt } from '#domain/chat/chat.ts';
import { useDatabase } from '../../setup/database.ts';
import { scriptedPlanner } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { clearInbox, readInbox, settled } from '../inbox/bench.ts';
import { type SlackInstance, useSlackInstance } from './slack-instance.ts';

const database = useDatabase();
const answering = scriptedPlanner(({ text }) => ({ kind: 'answer', text: `Heard: ${text}` }));

async function useChannel(options: { socket?: boolean; work?: boolean } = {}) {
  const use = await useSlackInstance(database, { planner: answering, ...options });
  await clearInbox(use.instance);
  const ana = use.slack.addUser({ name: 'ana' });
  const ben = use.slack.addUser({ name: 'ben' });
  const channel = use.slack.addChannel({ name: 'release', members: [ana.id, ben.id] });
  return { ...use, ana, ben, channel };
}

async function talkIn({ instance, slack }: SlackInstance, channel: string, root: string | null) {
  const conversation = conversationAt(placeOf(slack.workspace.id, channel, root));
  const messages = await instance.service.messages(conversation, { limit: 50 });
  return messages.map(({ author, name, text }) => `${author === 'bot' ? 'bot' : name}: ${text}`);
}

for (const socket of [false, true]) {
  test(`a mention that comes twice is answered once, ${socket ? 'in Socket Mode' : 'over HTTP'}`, async () => {
    const use = await useChannel({ socket });
    const { slack, ana, channel, instance } = use;
    const { message, deliveries } = await slack.mention(ana.id, channel.id, 'what is 1 &lt; 2?');
    expect(deliveries.map(({ attempts }) => attempts.at(0)?.status)).toEqual([200, 200]);
    // Excludes the bot's own answer.
    const fromAna = (await settled(instance)).filter(
      ({ body }) => JSON.parse(body).event.user === ana.id,
    );
    expect(fromAna).toHaveLength(1);
    // Each key goes into two indexes.
    const { rows: names } = await instance.db.query.execute(sql`
      select from countersign.inbox_keys where event_id = ${fromAna[0]?.id ?? 0}`);
    expect(names).toHaveLength(1);
    const talk = await waitFor('an answer', async () => {
      const messages = await talkIn(use, channel.id, message.ts);
      return messages.length > 1 && messages;
    });
    expect(talk).toEqual(['ana@example.com: what is 1 < 2?', 'bot: Heard: what is 1 < 2?']);
  });
}

test('what people say to each other is not stored, nor is a reply below what is none of ours', async () => {
  const use = await useChannel();
  const { slack, ana, ben, channel, instance } = use;
  const secret = 'Quetzal';
  const { message } = await slack.say(ana.id, channel.id, `${secret} among us`);
  await slack.say(ben.id, channel.id, `${secret} below it`, { thread_ts: message.ts });
  await slack.mention(ana.id, channel.id, 'hello');
  await settled(instance);
  const stored = JSON.stringify(await readInbox(instance));
  expect(stored).toContain('hello');
  expect(stored).not.toContain(secret);
  const { rows } = await instance.db.query.execute<{ n: number }>(sql`
    select count(*)::int as n from countersign.messages where text like ${`%${secret}%`}`);
  expect(rows).toEqual([{ n: 0 }]);
});

test('the address can be verified', async () => {
  const { slack } = await useChannel({ work: false });
  const { status, body } = await slack.verifyUrl();
  expect([status, Object.keys(JSON.parse(body))]).toEqual([200, ['challenge']]);
});

test('what cannot be stored is not acknowledged, and the retry is the first', async () => {
  const use = await useChannel();
  const { slack, ana, channel, instance } = use;
  await instance.db.query.execute(sql`alter table countersign.inbox rename to inbox_away`);
  const { message, deliveries } = await slack.mention(ana.id, channel.id, 'hello');
  expect(deliveries[0]?.attempts[0]?.status).toBe(503);
  await instance.db.query.execute(sql`alter table countersign.inbox_away rename to inbox`);
  const [delivery] = deliveries;
  if (delivery === undefined) throw new Error('Nothing was sent.');
  await slack.settle();
  expect((await slack.replay(delivery.signal)).status).toBe(200);
  await waitFor('an answer', async () => {
    const messages = await talkIn(use, channel.id, message.ts);
    return messages.length === 2;
  });
  expect((await slack.replay(delivery.signal)).status).toBe(200);
  await settled(instance);
  expect(await talkIn(use, channel.id, message.ts)).toHaveLength(2);
});

test('replies in its thread go on with it; talk elsewhere, edits, other apps and joins are passed over', async () => {
  const use = await useChannel();
  const { slack, ana, ben, channel, instance } = use;
  const { message } = await slack.mention(ana.id, channel.id, 'hello');
  await waitFor('an answer', async () => (await talkIn(use, channel.id, message.ts)).length === 2);
  const thread = { thread_ts: message.ts };
  await slack.say(ben.id, channel.id, `and <@${ben.id}> too`, thread);
  await slack.say(ben.id, channel.id, `<@${ana.id}> did you see?`, thread);
  const other = await slack.say(ben.id, channel.id, 'lunch?');
  await slack.say(ana.id, channel.id, 'yes', { thread_ts: other.message.ts });
  await slack.sayAsOtherApp(channel.id, 'deployed', thread);
  await slack.edit(ana.id, message, 'goodbye');
  await slack.join(slack.addUser({ name: 'cleo' }).id, channel.id);
  const rows = await settled(instance);
  expect(rows.map(({ state }) => state)).not.toContain('failed');
  await waitFor(
    'both answers',
    async () => (await talkIn(use, channel.id, message.ts)).length === 4,
  );
  expect(await talkIn(use, channel.id, message.ts)).toEqual([
    'ana@example.com: hello',
    expect.stringContaining('bot: Heard'),
    'ben@example.com: and @ben too',
    expect.stringContaining('bot: Heard'),
  ]);
  expect(await talkIn(use, channel.id, other.message.ts)).toEqual([]);
});

test('direct messages are one conversation, threads in it included', async () => {
  const use = await useChannel();
  const { slack, ana } = use;
  const { message } = await slack.directMessage(ana.id, 'hello');
  const answers = (count: number) =>
    waitFor(`${count} answers`, async () => {
      const messages = await talkIn(use, message.channel, null);
      return messages.filter((line) => line.startsWith('bot')).length === count;
    });
  await answers(1);
  await slack.directMessage(ana.id, 'and this', { thread_ts: message.ts });
  await answers(2);
});

test('a mention without a word is told what to say, and nobody else sees it', async () => {
  const { slack, ana, channel } = await useChannel();
  await slack.mention(ana.id, channel.id, '');
  await waitFor('a hint', async () => slack.ephemerals(ana.id).length === 1);
  expect(slack.ephemerals(ana.id)[0]?.text).toContain('Say what you want done');
});

test('another workspace cannot reach a thread of this one', async () => {
  const use = await useChannel();
  const { slack, ana, channel, instance } = use;
  const { message, deliveries } = await slack.mention(ana.id, channel.id, 'hello');
  const before = await waitFor('an answer', async () => {
    const messages = await talkIn(use, channel.id, message.ts);
    return messages.length === 2 && messages;
  });
  const [delivery] = deliveries;
  if (delivery === undefined) throw new Error('Nothing was sent.');
  const elsewhere = slack.addWorkspace('Globex');
  await slack.replay(delivery.signal, (payload) => {
    payload.team_id = elsewhere.id;
    payload.authorizations = [];
    payload.event_id = 'Ev0ELSEWHERE';
  });
  const refused = await waitFor('the event to be refused', async () => {
    const rows = await readInbox(instance);
    return rows.find(({ error }) => error !== null);
  });
  expect(refused.error).toContain(`not of ${elsewhere.id}`);
  expect(await talkIn(use, channel.id, message.ts)).toEqual(before);
});
