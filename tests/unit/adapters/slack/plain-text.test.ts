// Slack's markup as text, and who is addressed by it.
import { expect, test } from 'vitest';
import { isAddressed, mentionedIn, readPlainText } from '#adapters/slack/talk/hear.ts';
import type { MessageSignal } from '#adapters/slack/transport/read-signal.ts';

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
  ['1 &lt; 2 &amp;&amp; 3 &gt; 2 &amp;lt;', '1 < 2 && 3 > 2 &lt;'],
])('%s reads as %s', (text, read) => {
  expect(readPlainText(text, names, 'U1')).toBe(read);
});

test('names everybody a text mentions', () => {
  expect(mentionedIn('<@U1> and <@W2|w> not <#C1>')).toEqual(['U1', 'W2']);
});

function heard(message: Partial<MessageSignal['message']>): MessageSignal {
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
  expect(isAddressed(heard(message))).toBe(answer);
});
