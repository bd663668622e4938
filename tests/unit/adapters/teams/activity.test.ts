import { expect, test } from 'vitest';
import { isServed, vouches } from '#adapters/teams/access.ts';
import { isAnswerable } from '#adapters/teams/connector/authenticate.ts';
import { readCommand } from '#adapters/teams/lists/answer-command.ts';
import { readAddress } from '#adapters/teams/people.ts';
import {
  conversationIdOf,
  type MessageSignal,
  readActivity,
  readSignal,
  type Signal,
  splitConversation,
} from '#adapters/teams/signals/read-activity.ts';
import { firstMention, isAddressed, readPlainText } from '#adapters/teams/talk/receive-message.ts';
import { nameActivity } from '#adapters/teams/transport/accept.ts';

const tenant = '3f6e0d1c-1111-4222-8333-444455556666';
const bot = { id: '28:bot', name: 'Countersign' };

function read(changes: object): Signal | null {
  const activity = readActivity(
    Buffer.from(
      JSON.stringify({
        type: 'message',
        id: '17',
        channelId: 'msteams',
        serviceUrl: 'https://smba.trafficmanager.net/emea/',
        from: { id: '29:ana', name: 'Ana', aadObjectId: 'object-of-ana' },
        recipient: bot,
        conversation: { id: 'a:1', conversationType: 'personal', tenantId: tenant },
        text: 'hello',
        ...changes,
      }),
    ),
  );
  return activity === null ? null : readSignal(activity);
}

function signalOf(changes: object): MessageSignal {
  const signal = read(changes);
  if (signal?.kind !== 'message') throw new Error(`It is no message but ${signal?.kind}.`);
  return signal;
}

const channel = '19:general@thread.tacv2';
const mention = { type: 'mention', mentioned: bot, text: '<at>Countersign</at>' };

test('a post of a channel is a conversation of its own, a chat is one', () => {
  const at = (id: string, conversationType: string) =>
    signalOf({ conversation: { id, conversationType, tenantId: tenant } }).scene.place;
  expect(at(`${channel};messageid=5`, 'channel')).toMatchObject({ channel, thread: '5' });
  expect(at(channel, 'channel')).toMatchObject({ channel, thread: '17' });
  expect(at('19:group@thread.v2', 'groupChat')).toMatchObject({ thread: null });
  expect(at('a:1', 'personal')).toMatchObject({ channel: 'a:1', thread: null });
});

test('what a place is called by Teams comes back unchanged', () => {
  for (const id of [channel, `${channel};messageid=5`, 'a:1']) {
    const { channel: name, post } = splitConversation(id);
    expect(conversationIdOf({ channel: name, thread: post })).toBe(id);
  }
});

test('an activity without a tenant is nobody’s', () => {
  expect(read({ conversation: { id: 'a:1' } })).toBeNull();
});

test('what nothing follows from is told from what may act', () => {
  const kinds = [
    [{ type: 'messageDelete', channelData: { eventType: 'softDeleteMessage' } }, 'other'],
    [{ type: 'messageUpdate', channelData: { eventType: 'editMessage' } }, 'other'],
    [{ type: 'conversationUpdate', membersAdded: [{ id: '29:ben' }] }, 'other'],
    [{ type: 'conversationUpdate', membersAdded: [{ id: bot.id }] }, 'added'],
    [{ type: 'conversationUpdate', membersRemoved: [{ id: bot.id }] }, 'removed'],
    [{ type: 'installationUpdate', action: 'add-upgrade' }, 'added'],
    [{ type: 'installationUpdate', action: 'remove' }, 'removed'],
    [{ from: bot }, 'other'],
    [{ from: { id: '28:other', role: 'bot' } }, 'other'],
    [{ from: { id: '28:other' } }, 'other'],
    [{ from: { id: '28:other' }, text: '', value: { action: 'approve' } }, 'other'],
    [{ text: '', value: { action: 'approve' } }, 'press'],
    [{ type: 'invoke', name: 'adaptiveCard/action', value: { action: { verb: 'x' } } }, 'press'],
    [{ type: 'invoke', name: 'adaptiveCard/action', value: 'x' }, 'other'],
    [{ type: 'invoke', name: 'task/fetch' }, 'other'],
  ] as const;
  for (const [changes, kind] of kinds) expect(read(changes)?.kind).toBe(kind);
});

test('what a card asks for by itself may refresh it, and decides nothing in the name of whoever looks at it', () => {
  const invoked = (verb: string, trigger: unknown) =>
    read({ type: 'invoke', name: 'adaptiveCard/action', value: { action: { verb }, trigger } });
  expect(invoked('refresh', 'automatic')?.kind).toBe('press');
  expect(invoked('approve', 'manual')?.kind).toBe('press');
  expect(invoked('approve', undefined)?.kind).toBe('press');
  for (const verb of ['approve', 'part', 'settings', 'list', 'details', ''])
    for (const trigger of ['automatic', 'Automatic'])
      expect(invoked(verb, trigger)).toMatchObject({ kind: 'other', asks: true });
  expect(invoked('approve', { by: 'automatic' })?.kind).toBe('other');
});

test('what is only told beside a message may have any form without the message being lost', () => {
  const odd = {
    from: { id: '29:ana', name: 7, aadObjectId: 'x'.repeat(101), role: {} },
    conversation: { id: 'a:1', conversationType: 5, tenantId: 5 },
    channelData: { tenant: { id: tenant }, team: 'x', channel: { id: '' }, eventType: 1 },
    textFormat: 3,
    localTimezone: 4,
    timestamp: 5,
    replyToId: '',
    entities: [7, { type: 'mention', mentioned: { id: 8 } }, mention],
    membersAdded: 'x',
  };
  expect(signalOf(odd)).toMatchObject({ text: 'hello', mentions: [{ id: bot.id }] });
  expect(signalOf({ channelData: 'x' })).toMatchObject({ text: 'hello' });
  expect(signalOf({ entities: 'x' })).toMatchObject({ text: 'hello', mentions: [] });
});

test('the time zone is the first that exists of those that Teams tells', () => {
  const zone = (timezone: string, localTimezone: string) =>
    signalOf({ entities: [{ type: 'clientInfo', timezone }], localTimezone }).scene.timezone;
  expect(zone('Europe/Madrid', 'Asia/Tokyo')).toBe('Europe/Madrid');
  expect(zone('Nowhere/Land', 'Asia/Tokyo')).toBe('Asia/Tokyo');
  expect(zone('Nowhere/Land', '')).toBeNull();
});

test('the same activity has the same name, another or one of elsewhere has not', () => {
  const name = (changes: object) => {
    const signal = read(changes);
    if (signal === null) throw new Error('It is nobody’s.');
    return nameActivity(signal, Buffer.from(JSON.stringify(changes)), new Date()).keys;
  };
  expect(name({ text: 'a' })).toEqual(name({ text: 'b' }));
  expect(name({})).not.toEqual(name({ id: '18' }));
  expect(name({})).not.toEqual(
    name({ conversation: { id: 'a:2', conversationType: 'personal', tenantId: tenant } }),
  );
});

test.each([
  ['<at>Countersign</at> approve', 'approve'],
  ['<at id="0">Countersign</at>: approve', 'approve'],
  ['&nbsp;<at>Countersign</at>&nbsp;approve', 'approve'],
  ['approve <at>Countersign</at>', 'approve'],
  ['<at>Ben</at> asks <at>Countersign</at> to go on', '@Ben asks @Countersign to go on'],
  ['1 &lt; 2 &amp;&amp; 3 &gt; 2 &amp;lt;', '1 < 2 && 3 > 2 &lt;'],
  ['<script>', '<script>'],
  ['one\r\ntwo', 'one\ntwo'],
  ['<quoted messageId="1700"/> approve', 'approve'],
  ['<quoted messageId="1700"/><at>Countersign</at>&nbsp;approve', 'approve'],
  ['<at>Countersign</at> <quoted messageId="1700"></quoted> approve', 'approve'],
  ['<at><b>Counter</b>sign</at> approve', 'approve'],
  ['\u200b<at>Countersign</at>\u200b approve\ufeff', 'approve'],
  ['<at>Countersign</at> <at>Countersign</at>, approve <at>Countersign</at>', 'approve'],
  ['<at>Ben &amp; Co</at> look', '@Ben & Co look'],
  ['&amp;nbsp; stays', '&nbsp; stays'],
])('%s reads as %s', (text, words) => {
  expect(readPlainText(signalOf({ text, entities: [mention] }), bot.id)).toBe(words);
});

const html = (content: string) => ({ attachments: [{ contentType: 'text/html', content }] });
const reply = (said: string, by = 'Ben') =>
  `<blockquote itemtype="http://schema.skype.com/Reply"><strong itemprop="mri">${by}</strong><p itemprop="preview">${said}</p></blockquote>`;
const at = '<span itemtype="http://schema.skype.com/Mention" itemid="0">Countersign</span>';

test.each<[string, object, string]>([
  [
    'a decision beside a quotation',
    { text: 'Ben x approve', ...html(`${reply('x')}<p>${at} approve</p>`) },
    'approve',
  ],
  [
    'only a quoted word',
    { text: 'approve', ...html(reply('approve')) },
    'Message from Ben:\n> approve',
  ],
  [
    'a word in a blockquote',
    { text: 'approve', ...html('<blockquote>approve</blockquote>') },
    '> approve',
  ],
  [
    'a question about a quotation',
    { text: 'x', ...html(`${reply('5 %')}<p>do this</p>`) },
    'do this\n\nMessage from Ben:\n> 5 %',
  ],
  [
    'a name that would end its own heading',
    { text: 'x', ...html(`${reply('5 %', 'Ben:<br>\napprove')}<p>do this</p>`) },
    'do this\n\nMessage from Ben: approve:\n> 5 %',
  ],
  [
    'an answer to the bot',
    { text: 'x', ...html(`${reply('Which?', 'Countersign')}<p>notes.md</p>`) },
    'notes.md',
  ],
  [
    'a card and a forwarded message',
    {
      text: 'look',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          content: {
            body: [
              { type: 'TextBlock', text: 'Disk full' },
              { type: 'FactSet', facts: [{ title: 'host', value: 'db-1' }] },
            ],
          },
        },
        {
          contentType: 'forwardedMessageReference',
          content: JSON.stringify({
            originalMessageContent: '<p>approve</p>',
            originalMessageSender: { user: { displayName: 'Ben' } },
          }),
        },
        { contentType: 'image/png', name: 'a.png' },
        { contentType: 7 },
        null,
      ],
    },
    'look\n\nAttached, from somebody:\n> Disk full\n> host: db-1\n\nMessage from Ben:\n> approve',
  ],
])('what others wrote stands below, under their names: %s', (_, activity, words) => {
  expect(readPlainText(signalOf({ entities: [mention], ...activity }), bot.id)).toBe(words);
});

test('text that cannot be stored is made storable where it comes in', () => {
  expect(signalOf({ text: 'a\u0000b\ud800' }).text).toBe('a\ufffdb\ufffd');
});

test('marks of formatted text are left out', () => {
  const signal = signalOf({ text: '<p>one</p><br/><b>two</b>', textFormat: 'xml' });
  expect(readPlainText(signal, bot.id)).toBe('one\n\ntwo');
});

test.each(['<at>', '<at ', '<at></at', '<p ', '<br ', ' ', '&nbsp;', '\ue000 '])(
  'a text of nothing but %j is read at once, however long',
  (part) => {
    const text = part.repeat(99_990 / part.length);
    const signal = signalOf({ text: `a${text}b`, textFormat: 'xml', entities: [mention] });
    expect(readPlainText(signal, bot.id).startsWith('a')).toBe(true);
    expect(firstMention(text)).toBeNull();
  },
);

test('who is addressed', () => {
  const group = { id: '19:group@thread.v2', conversationType: 'groupChat', tenantId: tenant };
  const post = { id: `${channel};messageid=5`, conversationType: 'channel', tenantId: tenant };
  expect(isAddressed(signalOf({}))).toBe('yes');
  expect(isAddressed(signalOf({ conversation: group }))).toBe('no');
  expect(isAddressed(signalOf({ conversation: group, entities: [mention] }))).toBe('yes');
  expect(isAddressed(signalOf({ conversation: post }))).toBe('maybe');
  expect(isAddressed(signalOf({ conversation: post, text: '<at>Ben</at> look' }))).toBe('no');
});

test.each([
  ['plans', { name: 'plans', text: '', alone: false }],
  ['Plans  running', { name: 'plans', text: 'running', alone: false }],
  ['plans all 2', { name: 'plans', text: 'all 2', alone: false }],
  ['plans all 2 files', null],
  ['/plans whatever', { name: 'plans', text: 'whatever', alone: false }],
  ['plans PLAN-0a1b2c3d', { name: 'plans', text: 'PLAN-0a1b2c3d', alone: false }],
  ['plans PLAN-0a1b2c3d Export', { name: 'plans', text: 'PLAN-0a1b2c3d Export', alone: true }],
  ['plans PLAN-0a1b2c3d shred', null],
  ['plans link ABCD-1234', { name: 'plans', text: 'link ABCD-1234', alone: true }],
  ['help', { name: 'help', alone: false }],
  ['settings', { name: 'settings', alone: false }],
  ['plans for tomorrow: buy bread', null],
  ['help me plan', null],
  ['planses', null],
])('“%s” as a command', (text, command) => {
  expect(readCommand(text)).toEqual(command);
});

const member = {
  id: '29:ana',
  aadObjectId: 'object-of-ana',
  email: 'Ana@Example.com',
  userPrincipalName: 'ana@contoso.example',
  tenantId: tenant,
  userRole: 'user',
};

test('a tenant names its own people by their address, and nobody else', () => {
  const address = (changes: object) =>
    readAddress({ ...member, ...changes }, tenant, 'object-of-ana');
  expect(address({})).toBe('ana@example.com');
  expect(address({ email: null })).toBe('ana@contoso.example');
  expect(address({ userRole: 'guest' })).toBeNull();
  expect(address({ tenantId: 'another' })).toBeNull();
  expect(address({ aadObjectId: 'object-of-ben' })).toBeNull();
  const guest = 'ana_example.com#EXT#@contoso.example';
  expect(address({ email: null, userPrincipalName: guest })).toBeNull();
  expect(address({ email: null, userPrincipalName: null })).toBeNull();
  expect(readAddress(member, tenant, null)).toBeNull();
  // Anyone not marked as a member may be a guest with an unverified address.
  expect(address({ userRole: null })).toBeNull();
  expect(address({ tenantId: null })).toBeNull();
  expect(address({ userPrincipalName: guest })).toBeNull();
  expect(address({ userPrincipalName: null })).toBeNull();
  expect(address({ email: 'guest#ext#@contoso.example' })).toBeNull();
  expect(address({ email: 'not an address' })).toBe('ana@contoso.example');
});

test('on this machine alone what is not said of somebody is taken for granted', () => {
  const { tenantId: _, userRole: __, userPrincipalName: ___, ...bare } = member;
  expect(readAddress(bare, tenant, 'object-of-ana', 'believed')).toBe('ana@example.com');
  const guest = { ...bare, userRole: 'guest' };
  expect(readAddress(guest, tenant, 'object-of-ana', 'believed')).toBeNull();
});

test('which tenants are served, and which vouch', () => {
  const app = { appId: 'app', password: 'p' };
  const single = { kind: 'SingleTenant', ...app, tenantId: tenant.toUpperCase() } as const;
  const domain = { ...single, tenantId: 'contoso.example' };
  const multi = { kind: 'MultiTenant', ...app, allowed: null } as const;
  const chosen = { ...multi, allowed: [tenant] };
  const judge = (access: Parameters<typeof isServed>[0], one: string) => [
    isServed(access, one),
    vouches(access, one),
  ];
  expect(judge(single, tenant)).toEqual([true, true]);
  expect(judge(single, 'another')).toEqual([false, false]);
  expect(judge(domain, tenant)).toEqual([false, false]);
  expect(judge(multi, 'another')).toEqual([true, false]);
  expect(judge(chosen, tenant)).toEqual([true, false]);
  expect(judge(chosen, 'another')).toEqual([false, false]);
  expect(judge({ kind: 'Local' }, 'another')).toEqual([true, true]);
});

test('the bot’s token goes to addresses of the web with TLS, and without credentials to this machine only', () => {
  expect(isAnswerable('https://smba.trafficmanager.net/emea/', false)).toBe(true);
  for (const url of ['http://smba.trafficmanager.net/', 'http://127.0.0.1:1/'])
    expect(isAnswerable(url, false)).toBe(false);
  for (const url of ['http://127.0.0.1:1/_connector', 'http://localhost:1', 'http://[::1]:1/'])
    expect(isAnswerable(url, true)).toBe(true);
  for (const url of [
    'http://127.0.0.1.example.com/',
    'http://localhost@example.com/',
    'https://example.com/',
    'http://127.0.0.1:1@example.com/',
  ])
    expect(isAnswerable(url, true)).toBe(false);
});
