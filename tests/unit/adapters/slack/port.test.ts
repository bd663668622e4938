import { setImmediate as pause } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { createSlackPort } from '#adapters/slack/port/slack-port.ts';
import { placeOf } from '#adapters/slack/signals/name-signal.ts';
import { createClientOf } from '#adapters/slack/workspaces.ts';
import type { ChatContent } from '#domain/chat/chat.ts';
import { systemClock } from '#domain/clock.ts';
import { refusal } from '../../../fixtures/refusal.ts';
import type { SlackDouble } from '../../../fixtures/slack/double.ts';
import { createLimits } from '../../fixtures/rate-limits.ts';
import { clientOf, silent, useSlack } from '../../fixtures/slack-client.ts';

const content = (text: string): ChatContent => ({
  text,
  card: [{ type: 'section', text: { type: 'plain_text', text } }],
});

async function usePort() {
  const slack = await useSlack();
  const ana = slack.addUser({ name: 'ana' });
  const channel = slack.addChannel({ name: 'release', members: [ana.id] }).id;
  const client = clientOf(slack);
  const warnings: string[] = [];
  let now = Date.now();
  const time = {
    pass(ms: number) {
      now += ms;
    },
  };
  const port = createSlackPort({
    clientOf: async () => client,
    clock: { now: () => new Date(now) },
    limits: createLimits(() => now),
    warn: (message) => warnings.push(message),
  });
  return {
    client,
    warnings,
    time,
    slack,
    ana,
    channel,
    port,
    place: placeOf(slack.workspace.id, channel, null),
  };
}

test('what is posted stands in its thread once, however often it is tried, and pings nobody', async () => {
  const { slack, ana, channel, port } = await usePort();
  const { message } = await slack.say(ana.id, channel, 'hello');
  const place = placeOf(slack.workspace.id, channel, message.ts);
  const posted = content(`<!channel> <@${ana.id}> @here`);
  const first = await port.post(place, posted, 'one');
  expect(await port.post(place, posted, 'one')).toEqual({ ...first, found: true });
  const other = await port.post(place, posted, 'two');
  expect(other.message).not.toBe(first.message);
  const replies = slack.replies(channel, message.ts);
  expect(replies.map(({ ts }) => ts)).toEqual([first.message, other.message]);
  expect(replies.flatMap(({ pings }) => pings)).toEqual([]);
});

test('a message whose answer was lost is found, not posted again', async () => {
  const { slack, channel, port, place } = await usePort();
  slack.fail('chat.postMessage', { hangUp: 'after' });
  const found = await port.post(place, content('once'), 'key');
  expect(slack.messages(channel).map(({ ts }) => ts)).toEqual([found.message]);
  slack.fail('chat.postMessage', { hangUp: 'after' });
  slack.fail('conversations.history', { status: 503 });
  expect(await refusal(port.post(place, content('twice'), 'other'))).toMatchObject({
    passesAfterMs: 0,
  });
});

const countLooks = (slack: SlackDouble) =>
  slack.calls.filter(({ method }) => /conversations\.(history|replies)/.test(method)).length;

test('Slack is not asked what stands there for a message that nobody has tried to post', async () => {
  const { slack, ana, channel, port, place } = await usePort();
  const { message } = await slack.say(ana.id, channel, 'hello');
  await port.post(place, content('one'), 'one', null);
  await port.post(placeOf(slack.workspace.id, channel, message.ts), content('two'), 'two', null);
  expect(countLooks(slack)).toBe(0);
  slack.fail('chat.postMessage', { hangUp: 'after' });
  const lost = await port.post(place, content('three'), 'three', null);
  expect(slack.messages(channel).filter(({ text }) => text === 'three')).toMatchObject([
    { ts: lost.message },
  ]);
  expect(countLooks(slack)).toBe(1);
});

test.each([
  ['thread', 201],
  ['channel', 201],
] as const)(
  'a message is found behind whatever was said in its %s meanwhile',
  async (where, others) => {
    const { slack, ana, channel, port } = await usePort();
    const { message } = await slack.say(ana.id, channel, 'hello');
    const root = where === 'thread' ? message.ts : null;
    const place = placeOf(slack.workspace.id, channel, root);
    const say = async () => {
      for (let i = 0; i < others; i++)
        await slack.say(ana.id, channel, `${i}`, root === null ? undefined : { thread_ts: root });
    };
    if (where === 'thread') await say();
    const post = await port.post(place, content('mine'), 'key', null);
    if (where === 'channel') await say();
    expect(await port.post(place, content('mine'), 'key', new Date())).toEqual({
      ...post,
      found: true,
    });
  },
);

test('a card is changed, and a whisper is for one alone', async () => {
  const { slack, ana, channel, port, place } = await usePort();
  const post = await port.post(place, content('first'), 'key');
  await port.update(post, content('second'));
  expect(slack.messages(channel).map(({ text }) => text)).toEqual(['second']);
  await port.whisper(place, ana.id, { text: 'only you', card: null });
  expect(slack.ephemerals().map(({ user, text }) => [user, text])).toEqual([[ana.id, 'only you']]);
});

test('what passes by itself says when, and until then Slack is left alone with it, and with nothing else', async () => {
  const { slack, channel, port, place, time } = await usePort();
  const post = await port.post(place, content('first'), 'key');
  slack.fail('chat.update', { status: 503 });
  expect(await refusal(port.update(post, content('x')))).toMatchObject({ passesAfterMs: 0 });
  slack.fail('chat.update', { status: 429, retryAfter: 7 });
  expect(await refusal(port.update(post, content('x')))).toMatchObject({ passesAfterMs: 7000 });
  const updates = () => slack.calls.filter(({ method }) => method === 'chat.update').length;
  const asked = updates();
  time.pass(6999);
  expect(await refusal(port.update(post, content('x')))).toMatchObject({ passesAfterMs: 1 });
  expect(updates()).toBe(asked);
  await port.post(place, content('second'), 'other');
  time.pass(1);
  await port.update(post, content('x'));
  expect(slack.messages(channel).map(({ text }) => text)).toEqual(['x', 'second']);
});

test('a channel that wants no messages for a while keeps no other one waiting', async () => {
  const { slack, ana, port, place } = await usePort();
  const elsewhere = slack.addChannel({ name: 'other', members: [ana.id] }).id;
  slack.fail('chat.postMessage', { status: 429, retryAfter: 7 });
  await refusal(port.post(place, content('x'), 'one'));
  const posted = slack.calls.filter(({ method }) => method === 'chat.postMessage').length;
  await refusal(port.post(place, content('x'), 'one'));
  expect(slack.calls.filter(({ method }) => method === 'chat.postMessage')).toHaveLength(posted);
  await port.post(placeOf(slack.workspace.id, elsewhere, null), content('y'), 'two');
  expect(slack.messages(elsewhere).map(({ text }) => text)).toEqual(['y']);
});

test('where Slack takes no blocks the words stand alone, and no button stays', async () => {
  const { slack, channel, port, place, warnings } = await usePort();
  const post = await port.post(place, content('first'), 'key');
  slack.fail('chat.update', { error: 'msg_blocks_too_long' });
  await port.update(post, content('second'));
  expect(slack.messages(channel).map(({ text, blocks }) => [text, blocks])).toEqual([
    ['second', []],
  ]);
  expect(warnings).toHaveLength(1);
});

test('text that is too long stands in a file under its message, once', async () => {
  const { slack, channel, port, place } = await usePort();
  const file = { name: 'answer.txt', title: 'All of it', text: 'line <!channel>\n'.repeat(5000) };
  const posted = { ...content('beginning'), file };
  const post = await port.post(place, posted, 'key-of-it');
  expect(await port.post(place, posted, 'key-of-it')).toEqual({ ...post, found: true });
  const [message, ...replies] = slack.messages(channel);
  expect([message?.ts, replies.map(({ thread_ts }) => thread_ts)]).toEqual([
    post.message,
    [post.message],
  ]);
  expect(slack.files().map(({ content: bytes }) => bytes?.toString('utf8'))).toEqual([file.text]);
  // The first attempt died between the message and its file.
  const other = await port.post(place, content('beginning'), 'other-key');
  await port.post(place, posted, 'other-key');
  expect(slack.replies(channel, other.message)).toHaveLength(1);
});

test('where the app may not write files the text follows in messages, and the operator is told', async () => {
  const { slack, channel, port, place, warnings } = await usePort();
  slack.fail('files.getUploadURLExternal', {
    error: 'missing_scope',
    extra: { needed: 'files:write' },
  });
  const text = Array.from({ length: 700 }, (_, i) => `line ${i} 🦊`).join('\n');
  const file = { name: 'answer.txt', title: 'All of it', text };
  const post = await port.post(place, { ...content('beginning'), file }, 'key');
  const replies = slack.replies(channel, post.message);
  const shown = replies.flatMap(({ blocks }) =>
    blocks.map((block) => (block.type === 'section' && 'text' in block ? block.text?.text : '')),
  );
  expect(shown.join('')).toBe(text);
  expect(warnings.join()).toContain('files:write');
});

test('text in several messages goes on where Slack stopped it, and keeps no other channel waiting', async () => {
  const { slack, ana, channel, port, place, time, client } = await usePort();
  const elsewhere = slack.addChannel({ name: 'other', members: [ana.id] }).id;
  const missing = { error: 'missing_scope', extra: { needed: 'files:write' } };
  slack.fail('files.getUploadURLExternal', missing, 3);
  const lines = Array.from({ length: 12_000 }, (_, i) => `line ${i}`).join('\n');
  const file = { name: 'answer.txt', title: 'All <!channel> of it', text: lines };
  const posted = { ...content('beginning'), file };
  const { message } = await port.post(place, content('beginning'), 'key', null);
  // The message, then two pages; Slack stops at the third.
  const pages = () => slack.replies(channel, message);
  const postMessage = client.chat.postMessage.bind(client.chat);
  let left = 2;
  vi.spyOn(client.chat, 'postMessage').mockImplementation((request) => {
    if (left-- === 0) slack.fail('chat.postMessage', { status: 429, retryAfter: 7 });
    return postMessage(request);
  });
  const refused = await refusal(port.post(place, posted, 'key', new Date()));
  expect(refused).toMatchObject({ passesAfterMs: 7000 });
  expect(pages()).toHaveLength(2);
  const other = placeOf(slack.workspace.id, elsewhere, null);
  await port.post(other, { ...content('short'), file: { ...file, text: 'short' } }, 'other', null);
  expect(slack.messages(elsewhere).map(({ text }) => text)).toHaveLength(2);
  time.pass(7000);
  await port.post(place, posted, 'key', new Date());
  const texts = pages().map(({ text }) => text);
  expect(texts).toHaveLength(11);
  expect(new Set(texts).size).toBe(11);
  expect(pages().flatMap(({ pings }) => pings)).toEqual([]);
});

test.each([
  ['missing_scope', 'not_allowed', 'OAuth & Permissions'],
  ['token_revoked', 'not_allowed', 'SLACK_BOT_TOKEN'],
  ['account_inactive', 'not_allowed', 'SLACK_BOT_TOKEN'],
  ['is_archived', 'not_allowed', 'archived'],
  ['restricted_action', 'not_allowed', 'Ask its admins'],
  ['not_in_channel', 'not_allowed', '/invite'],
  ['channel_not_found', 'not_found', 'channel_not_found'],
  ['message_not_found', 'not_found', 'message_not_found'],
  ['invalid_arguments', 'internal', 'invalid_arguments'],
])('%s is %s and says what to do', async (error, code, words) => {
  const { slack, port, place } = await usePort();
  const post = await port.post(place, content('first'), 'key');
  slack.fail('chat.update', { error });
  const refused = await refusal(port.update(post, content('x')));
  expect(refused).toMatchObject({ code, passesAfterMs: null });
  expect(refused.message).toContain(words);
});

test('a message says when it was sent by the clock of Slack', async () => {
  const { port, place } = await usePort();
  const { message, sent_at } = await port.post(place, content('now'), 'key', null);
  expect(sent_at?.getTime()).toBe(Math.floor(Number(message) * 1000));
});

async function useOwnPort() {
  const { slack, place, channel } = await usePort();
  const tokens = {
    only: async () => null,
    of: async () => slack.token ?? '',
    renew: async () => null,
  };
  const port = createSlackPort({
    clientOf: createClientOf(tokens, { apiUrl: slack.apiUrl, logger: silent }),
    clock: systemClock,
    limits: createLimits(),
    warn() {},
  });
  const asked = () => slack.calls.map(({ method }) => method);
  return { slack, place, channel, port, asked };
}

test('a post that is given up on its way is heard out: who posted it learns where it stands', async () => {
  const { slack, place, channel, port, asked } = await useOwnPort();
  slack.fail('chat.postMessage', { hangUp: 'after' });
  const giving = new AbortController();
  const posting = port.post(place, content('once'), 'key', null, giving.signal);
  while (asked().length === 0) await pause();
  giving.abort();
  const { message } = await posting;
  expect(asked()).toEqual(['chat.postMessage', 'conversations.history']);
  expect(slack.messages(channel).map(({ ts }) => ts)).toEqual([message]);
});

test('a post that is given up while its file is sent says where it stands, and that its file is still to come', async () => {
  const { slack, place, channel, port, asked } = await useOwnPort();
  slack.fail('files.getUploadURLExternal', { silence: 'before' });
  const message = {
    ...content('beginning'),
    file: { name: 'a.txt', title: 'All of it', text: 'all' },
  };
  const giving = new AbortController();
  const posting = port.post(place, message, 'key', null, giving.signal);
  while (!asked().includes('files.getUploadURLExternal')) await pause();
  giving.abort();
  const cut = await posting;
  expect(cut.unfinished).toBe(true);
  expect(slack.messages(channel).map(({ ts }) => ts)).toEqual([cut.message]);
  expect(slack.files()).toEqual([]);
  const { unfinished: _, ...whole } = cut;
  expect(await port.post(place, message, 'key', new Date())).toEqual({ ...whole, found: true });
  expect(slack.files().map(({ content: bytes }) => bytes?.toString('utf8'))).toEqual(['all']);
});

test('nothing is asked of Slack for a post or a change that was given up before', async () => {
  const { place, port, asked } = await useOwnPort();
  const post = await port.post(place, content('one'), 'one', null);
  const before = asked();
  const gone = AbortSignal.abort();
  await refusal(port.post(place, content('two'), 'two', new Date(), gone));
  await refusal(port.post(place, content('three'), 'three', null, gone));
  await refusal(port.update(post, content('other'), gone));
  expect(asked()).toEqual(before);
  await port.update(post, content('other'));
  expect(asked()).toEqual([...before, 'chat.update']);
});
