// Many concurrent thread reads within Slack's low limits.
import { expect, test } from 'vitest';
import { createAsk } from '#adapters/slack/calls/hold.ts';
import { nameMessage, placeOf } from '#adapters/slack/signals/name-signal.ts';
import { createReadThread } from '#adapters/slack/talk/read-thread.ts';
import { systemClock } from '#domain/clock.ts';
import { createLimits } from '../../fixtures/rate-limits.ts';
import { clientOf, useSlack } from '../../fixtures/slack-client.ts';

const root = '1700000000.000000';
const at = (n: number) => `170000000${n}.000000`;

/** @param answer what Slack gives as the thread, the request being its ninth second */
function readAnswer(answer: object) {
  const client = {
    conversations: { replies: async () => ({ ok: true, ...answer }) },
    chat: { getPermalink: async () => ({ ok: true, permalink: null }) },
  };
  const read = createReadThread({
    clientOf: async () => client as never, // Only what is called here.
    ask: createAsk(createLimits()),
    people: { describe: async (_, name) => ({ account: `slack:T1:${name}`, name }) },
    clock: systemClock,
  });
  const place = placeOf('T1', 'C1', root);
  return read(place, nameMessage('T1', 'C1', at(9)), AbortSignal.timeout(10_000));
}

test('what is missing or odd in a message takes nothing else from the thread', async () => {
  const blocks = [{ type: 'rich_text', elements: [{ elements: null }, 7] }, null, { type: 'new' }];
  const messages = [
    { ts: root, user: null, subtype: null, text: null, reply_count: null },
    { ts: at(1), user: 'U1', text: 'One', edited: { ts: 'never' }, files: [{}, { id: 'F1' }] },
    { ts: at(2), subtype: 'bot_message', username: 'Alerts', text: 'Two', bot_profile: {} },
    { ts: at(3), user: 'U1', text: { odd: true }, blocks, attachments: [null, { text: 'Three' }] },
    { ts: at(4), subtype: 'tombstone', user: 'USLACKBOT', text: 'This message was deleted.' },
    { ts: at(5), subtype: 'channel_join', user: 'U2', text: 'U2 has joined' },
    { user: 'U1', text: 'at no time' },
    { ts: 'soon', user: 'U1', text: 'at no time' },
    'nothing',
    { ts: at(9), user: 'U1', text: 'plan this' },
  ];
  const found = await readAnswer({ messages, has_more: false });
  expect(found?.messages.map(({ author, text, deleted }) => [author, deleted ? '' : text])).toEqual(
    [
      [null, ''],
      ['U1', 'One'],
      ['Alerts', 'Two'],
      ['U1', expect.stringContaining('Three')],
      ['USLACKBOT', ''],
    ],
  );
  expect(found?.messages[1]).toMatchObject({ edited: null, files: [{ id: 'F1', name: 'F1' }] });
});

test.each([{}, { messages: null }, { messages: [] }, { messages: 'none' }, { messages: [{}] }])(
  'an answer without the thread is no empty thread: %j',
  async (answer) => {
    await expect(readAnswer(answer)).rejects.toMatchObject({ code: 'tool_unavailable' });
  },
);

test('four hundred messages of the greatest length leave the event loop free', async () => {
  const text = 'x <@U1> &amp; <https://a.example|b> '.repeat(1100);
  const section = { type: 'rich_text_section', elements: [{ type: 'text', text }] };
  const messages = Array.from({ length: 400 }, (_, n) => ({
    ...{ ts: `1700000000.${String(n).padStart(6, '0')}`, bot_id: 'B1', text },
    blocks: [{ type: 'rich_text', elements: [section] }],
  }));
  expect((await readAnswer({ messages, has_more: false }))?.messages).toHaveLength(400);
});

test.each([
  { unlisted: true, messages: 40, read: 1, refused: 1 },
  { unlisted: false, messages: 40, read: 40, refused: 0 },
  { unlisted: false, messages: 5, read: 40, refused: 0 },
])(
  'of 40 threads of $messages messages, $read are read with $refused calls refused',
  async ({ unlisted, messages, ...expected }) => {
    const slack = await useSlack({ limits: 'real', app: { unlisted } });
    const ana = slack.addUser({ name: 'ana' }).id;
    const channel = slack.addChannel({ name: 'release', members: [ana] }).id;
    const client = clientOf(slack);
    const read = createReadThread({
      clientOf: async () => client,
      ask: createAsk(createLimits()),
      people: { describe: async (_, name) => ({ account: name, name }) },
      clock: systemClock,
    });
    const team = slack.workspace.id;
    const threads = Array.from({ length: 40 }, () => {
      const { ts: thread_ts } = slack.wrote(ana, channel, 'Thread');
      for (let n = 1; n < messages; n++) slack.wrote(ana, channel, `Point ${n}`, { thread_ts });
      return { thread_ts, asked: slack.wrote(ana, channel, 'plan this', { thread_ts }).ts };
    });
    const all = await Promise.allSettled(
      threads.map(({ thread_ts, asked }) =>
        read(
          placeOf(team, channel, thread_ts),
          nameMessage(team, channel, asked),
          AbortSignal.timeout(30_000),
        ),
      ),
    );
    const failures = all.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    for (const reason of failures) expect(reason.message).toContain('Slack limits how often');
    const refused = slack.calls.filter(
      ({ answer }) => answer !== 'none' && answer.status === 429,
    ).length;
    expect({ read: all.length - failures.length, refused }).toEqual(expected);
  },
);
