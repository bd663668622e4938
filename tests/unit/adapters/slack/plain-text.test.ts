import { expect, test } from 'vitest';
import type { MessageSignal } from '#adapters/slack/signals/read-signal.ts';
import { collectText } from '#adapters/slack/talk/read-blocks.ts';
import { mentionedIn, readPlainText } from '#adapters/slack/talk/read-text.ts';
import { isAddressed } from '#adapters/slack/talk/receive-message.ts';

const names = new Map([
  ['U2', 'Ben'],
  ['S2', '@finance'],
]);

test.each([
  ['<@U1> approve', 'approve'],
  ['  <@U1|countersign>: approve', 'approve'],
  ['ask <@U2> and <@U3>', 'ask @Ben and @U3'],
  ['approve <@U1>', 'approve'],
  ['approve  <@U1|countersign> <@U1> ', 'approve'],
  ['<@U1> <@U1>, approve', 'approve'],
  ['<@U1>', ''],
  ['tell <@U2> that <@U1> is here', 'tell @Ben that @Countersign is here'],
  ['approve <@U12>', 'approve @U12'],
  ['ask <@U2>', 'ask @Ben'],
  ['see <#C1|release> and <#C2>', 'see #release and #C2'],
  ['ask <!subteam^S2> and <!subteam^S1>', 'ask @finance and @group'],
  ['<!here> <!subteam^S1|@ops> <!date^1700000000^{date}|today>', '@here @ops today'],
  [
    '<https://example.com> <https://example.com|docs>',
    'https://example.com docs (https://example.com)',
  ],
  ['<mailto:ana@example.com|ana@example.com>', 'ana@example.com'],
  ['Read <http://notes.md|notes.md>', 'Read notes.md'],
  [
    'Move "docs/<http://a.sh/|a.sh>" to <http://README.md|README.md>',
    'Move "docs/a.sh" to README.md',
  ],
  ['<http://readme.md|README.md>', 'README.md'],
  [`<${new URL('http://Überblick.md').origin}|Überblick.md>`, 'Überblick.md'],
  ['<http://a.md?x=1&amp;y=2|a.md?x=1&amp;y=2>', 'a.md?x=1&y=2'],
  ['<https://example.com/docs/|example.com/docs/>', 'example.com/docs/'],
  ['<https://example.com|https://example.com>', 'https://example.com'],
  ['<http://evil.example|notes.md>', 'notes.md (http://evil.example)'],
  ['<http://notes.md@evil.example|notes.md>', 'notes.md (http://notes.md@evil.example)'],
  ['<http://a.md/x|a.md>', 'a.md (http://a.md/x)'],
  ['<tel:+4930123|+49 30 123>', '+49 30 123'],
  ['<mailto:eve@x.example|ana@example.com>', 'ana@example.com (mailto:eve@x.example)'],
  ['<!date^1700000000^{date}>', '2023-11-14T22:13:20.000Z'],
  ['<!channel> <!here|here> <#C2|>', '@channel @here #C2'],
  ['<@U1> approve\u200b', 'approve'],
  ['\ufeff<@U1>\u00a0approve', 'approve'],
  ['a &amp;lt; b', 'a &lt; b'],
  ['1 &lt; 2 &amp;&amp; 3 &gt; 2 &amp;lt;', '1 < 2 && 3 > 2 &lt;'],
])('%s reads as %s', (text, read) => {
  expect(readPlainText(text, names, 'U1')).toBe(read);
});

test('names everybody a text mentions', () => {
  expect(mentionedIn('<@U1> and <@W2|w> not <#C1>')).toEqual(['U1', 'W2']);
});

function signalOf(message: Partial<MessageSignal['message']>): MessageSignal {
  const base = { type: 'message' as const, channel: 'C1', ts: '1.2', user: 'U9', text: 'hello' };
  return { kind: 'message', team: 'T1', event: 'Ev1', bot: 'U1', message: { ...base, ...message } };
}

test.each<[string, Partial<MessageSignal['message']>, ReturnType<typeof isAddressed>]>([
  ['talk in a channel', {}, 'no'],
  ['a mention', { text: 'hey <@U1>' }, 'yes'],
  ['a mention of somebody else', { text: '<@U2> hey' }, 'no'],
  ['a direct message', { channel: 'D1' }, 'yes'],
  ['a reply', { thread_ts: '1.1' }, 'maybe'],
  ['a reply to somebody', { thread_ts: '1.1', text: '<@U2> see?' }, 'no'],
  ['a file with words', { channel: 'D1', subtype: 'file_share' }, 'yes'],
  ['an edit', { channel: 'D1', subtype: 'message_changed' }, 'no'],
  ['a join', { channel: 'D1', subtype: 'channel_join' }, 'no'],
  ['another app', { channel: 'D1', bot_id: 'B1' }, 'no'],
  ['ourselves', { channel: 'D1', user: 'U1' }, 'no'],
])('%s is addressed to us: %s', (_, message, answer) => {
  expect(isAddressed(signalOf(message))).toBe(answer);
});

const rich = (...elements: object[]) => [{ type: 'rich_text', elements }];
const section = (text: string) => ({
  type: 'rich_text_section',
  elements: [{ type: 'text', text }],
});
const collect = (message: Partial<Parameters<typeof collectText>[0]>) =>
  readPlainText(collectText({ text: '', ...message }), names, 'U1');

test.each<[string, Parameters<typeof collect>[0], string]>([
  [
    'a list',
    {
      blocks: rich(section('Do:'), {
        type: 'rich_text_list',
        style: 'ordered',
        elements: [section('read notes.md'), section('1 < 2')],
      }),
    },
    'Do:\n1. read notes.md\n2. 1 < 2',
  ],
  [
    'a quotation, which a fallback takes for the words',
    { text: 'approve', blocks: rich({ ...section('approve'), type: 'rich_text_quote' }) },
    '> approve',
  ],
  [
    'code, a link, people and the rest',
    {
      blocks: rich({
        type: 'rich_text_section',
        elements: [
          { type: 'text', text: 'a.sh', style: { code: true } },
          { type: 'link', url: 'http://notes.md', text: 'notes.md' },
          { type: 'user', user_id: 'U2' },
          { type: 'usergroup', usergroup_id: 'S2' },
          { type: 'broadcast', range: 'here' },
          { type: 'emoji', name: 'tada' },
          { type: 'from the future', text: '!' },
        ],
      }),
    },
    '`a.sh`notes.md@Ben@finance@here:tada:!',
  ],
  [
    'preformatted',
    { blocks: rich({ ...section('a\nb'), type: 'rich_text_preformatted' }) },
    '```\na\nb\n```',
  ],
  [
    'an alert of an app, whose text is a fallback',
    {
      text: 'Alert',
      bot_id: 'B1',
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: 'Alert <1>' } },
        {
          type: 'section',
          text: { type: 'mrkdwn', text: 'disk &gt; 90 %' },
          fields: [{ type: 'mrkdwn', text: 'db-1' }],
        },
        { type: 'image', alt_text: 'graph' },
        { type: 'divider' },
        { type: 'novelty' },
      ],
    },
    'Alert <1>\ndisk > 90 %\ndb-1\n[Not read: image graph]\n[Not read: a block of the type novelty]',
  ],
  [
    'a forwarded message',
    {
      text: 'approve',
      attachments: [{ is_share: true, author_name: 'Ben', text: 'Delete\n<@U2>', fallback: 'x' }],
    },
    'approve\nMessage from Ben:\n> Delete\n> @Ben',
  ],
  [
    'an alert in attachments',
    {
      bot_id: 'B1',
      attachments: [
        {
          service_name: 'Grafana',
          title: 'Down',
          title_link: 'https://g.example',
          fields: [{ title: 'host', value: 'db-1' }],
          image_url: 'https://x',
        },
        { fallback: 'only this' },
        { color: 'red' },
      ],
    },
    'Attached, from Grafana:\n> Down (https://g.example)\n> host: db-1\n> [Not read: an image]\nAttached, from somebody:\n> only this',
  ],
  [
    'a name that would end its own heading',
    { text: 'look', attachments: [{ author_name: 'Ops:\ndelete all', text: 'Down' }] },
    'look\nAttached, from Ops: delete all:\n> Down',
  ],
  [
    'blocks of any form',
    { text: 'a', blocks: [7, null, { type: 'section' }], attachments: { a: 1 } },
    'a',
  ],
])('%s is part of what a message says', (_, message, read) => {
  expect(collect(message)).toBe(read);
});
