// The port against the double: what is posted pings nobody, is posted once, and every refusal says what to do.
import { expect, test } from 'vitest';
import { placeOf } from '#adapters/slack/place.ts';
import { createSlackPort } from '#adapters/slack/port/slack-port.ts';
import type { ChatContent } from '#contracts/chat.ts';
import { systemClock } from '#contracts/clock.ts';
import { CountersignError } from '#contracts/errors.ts';
import { clientOf, useSlack } from '../../fixtures/slack-client.ts';

const content = (text: string): ChatContent => ({
  text,
  card: [{ type: 'section', text: { type: 'plain_text', text } }],
});

async function usePort() {
  const slack = await useSlack();
  const ana = slack.addUser({ name: 'ana' });
  const channel = slack.addChannel({ name: 'release', members: [ana.id] }).id;
  const client = clientOf(slack);
  const port = createSlackPort({ clientOf: async () => client, clock: systemClock });
  return { slack, ana, channel, port, place: placeOf(slack.workspace.id, channel, null) };
}

async function refusalOf(call: Promise<unknown>): Promise<CountersignError> {
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof CountersignError) return error;
  throw new Error('It was not refused.', { cause: error });
}

test('what is posted stands in its thread once, however often it is tried, and pings nobody', async () => {
  const { slack, ana, channel, port } = await usePort();
  const { message } = await slack.say(ana.id, channel, 'hello');
  const place = placeOf(slack.workspace.id, channel, message.ts);
  const said = content(`<!channel> <@${ana.id}> @here`);
  const first = await port.post(place, said, 'one');
  expect(await port.post(place, said, 'one')).toEqual(first);
  const other = await port.post(place, said, 'two');
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
  expect(await refusalOf(port.post(place, content('twice'), 'other'))).toMatchObject({
    passesAfterMs: 0,
  });
});

test('a card is changed, and a whisper is for one alone', async () => {
  const { slack, ana, channel, port, place } = await usePort();
  const post = await port.post(place, content('first'), 'key');
  await port.update(post, content('second'));
  expect(slack.messages(channel).map(({ text }) => text)).toEqual(['second']);
  await port.whisper(place, ana.id, { text: 'only you', card: null });
  expect(slack.ephemerals().map(({ user, text }) => [user, text])).toEqual([[ana.id, 'only you']]);
});

test('what passes by itself says when', async () => {
  const { slack, port, place } = await usePort();
  const post = await port.post(place, content('first'), 'key');
  slack.fail('chat.update', { status: 429, retryAfter: 7 });
  expect(await refusalOf(port.update(post, content('x')))).toMatchObject({ passesAfterMs: 7000 });
  slack.fail('chat.update', { status: 503 });
  expect(await refusalOf(port.update(post, content('x')))).toMatchObject({ passesAfterMs: 0 });
});

test.each([
  ['missing_scope', 'not_allowed', 'OAuth & Permissions'],
  ['token_revoked', 'not_allowed', 'SLACK_BOT_TOKEN'],
  ['account_inactive', 'not_allowed', 'SLACK_BOT_TOKEN'],
  ['is_archived', 'not_allowed', 'archived'],
  ['not_in_channel', 'not_allowed', '/invite'],
  ['channel_not_found', 'not_found', 'channel_not_found'],
  ['message_not_found', 'not_found', 'message_not_found'],
  ['msg_blocks_too_long', 'internal', 'msg_blocks_too_long'],
])('%s is %s and says what to do', async (error, code, words) => {
  const { slack, port, place } = await usePort();
  const post = await port.post(place, content('first'), 'key');
  slack.fail('chat.update', { error });
  const refused = await refusalOf(port.update(post, content('x')));
  expect(refused).toMatchObject({ code, passesAfterMs: null });
  expect(refused.message).toContain(words);
});
