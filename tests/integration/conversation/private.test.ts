// Only participants read a conversation over HTTP.
import { sql } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';
import { serveWithin } from '#conversation/serve-within.ts';
import type { ConversationReader } from '#domain/chat/conversation-list.ts';
import { type Actor, person } from '#domain/people/actor.ts';
import { noop } from '../../setup/instance.ts';
import { useInstance } from '../../setup/use-instance.ts';

const instance = useInstance({ work: false });

const known = (...names: string[]): ConversationReader => ({ names, tenant: null });
const nameTyped: ConversationReader = { names: null, tenant: null };
const readers: Record<string, ConversationReader> = {
  'ana, signed in': known('corp:ana', 'slack:U1'),
  'ben, signed in': known('corp:ben', 'ben@example.com'),
  'cleo, signed in': known('corp:cleo'),
  'the operator': nameTyped,
};
const nobody: string[] = [];
const anas = ['ana, signed in'];
const typed = ['the operator'];

const slackAna = person('slack:U1', 'slack');
const signedIn = (id: string): Actor => ({ ...person(id, 'console'), verified: true });

beforeAll(async () => {
  const { service, db } = instance;
  await db.query.execute(sql`
    insert into countersign.chat_places (conversation, platform, tenant, channel, thread) values
      ('slack-7caa701b2bd5a182b80c72b9bdf88e2d', 'slack', 'T1', 'D1', null), ('slack-c485d2ed5cc4ce64fcccca710c7a0bb7', 'slack', 'T1', 'C1', '1.1'), ('slack-a336b5d4ba3f93d9e65260ef9aea5105', 'slack', 'T1', 'D2', null)`);
  await service.say(
    'slack-7caa701b2bd5a182b80c72b9bdf88e2d',
    'Quetzal in a direct message',
    slackAna,
  );
  await service.say('slack-c485d2ed5cc4ce64fcccca710c7a0bb7', 'Quetzal in a channel', slackAna);
  await service.say(
    'slack-c485d2ed5cc4ce64fcccca710c7a0bb7',
    'status',
    person('ben@example.com', 'slack'),
  );
  await service.say('console', 'Quetzal in the console', signedIn('corp:ana'));
  await service.say('decided', 'Create a.md saying "A"', person('ana', 'console'));
  await service.say('decided', 'status', signedIn('corp:ben'));
  await service.say('typed', 'Quetzal at a terminal', person('ana', 'terminal'));
  await service.propose(
    { title: 'Quetzal', steps: [noop('a')] },
    { conversation: 'plan' },
    signedIn('corp:ana'),
  );
  for (const id of [
    'slack-a336b5d4ba3f93d9e65260ef9aea5105',
    'reminders:corp:ana',
    'reminders:ana',
  ])
    await db.query.execute(sql`
      insert into countersign.messages (conversation, author, name, text) values (${id}, 'bot', 'bot', 'Quetzal')`);
  await db.query.execute(sql`
    insert into countersign.signed_in (account, provider, name, email, groups, at)
    values ('corp:ben', 'corp', 'Ben', 'ben@example.com', '{}', now())`);
});
test.each<[string, string, string[]]>([
  ['a direct message', 'slack-7caa701b2bd5a182b80c72b9bdf88e2d', anas],
  ['a thread of a channel', 'slack-c485d2ed5cc4ce64fcccca710c7a0bb7', [...anas, 'ben, signed in']],
  ['a chat in which only the bot has spoken', 'slack-a336b5d4ba3f93d9e65260ef9aea5105', nobody],
  ['a conversation of the console', 'console', anas],
  ['one in which somebody who signed in has spoken too', 'decided', ['ben, signed in']],
  ['one of a typed name', 'typed', typed],
  ['one that a plan was proposed in', 'plan', anas],
  ['reminders of somebody', 'reminders:corp:ana', anas],
  ['reminders of a typed name', 'reminders:ana', nobody],
  ['one that nobody has used yet', 'fresh', Object.keys(readers)],
])('%s', async (_, id, expected) => {
  const missing = { code: 'not_found' };
  const open: string[] = [];
  for (const [name, reader] of Object.entries(readers)) {
    const service = serveWithin(instance.service, null, reader);
    const read = await service.messages(id, { limit: 10 }).catch((error: unknown) => error);
    if (Array.isArray(read)) {
      open.push(name);
      continue;
    }
    expect(read).toMatchObject(missing);
    const by = person(reader.names?.[0] ?? 'ana', 'api');
    for (const use of [
      () => service.activityIn(id),
      () =>
        service.watchConversation(id, 0, AbortSignal.timeout(1000))[Symbol.asyncIterator]().next(),
      () => service.say(id, 'approve', by),
      () => service.startRun({ text: 'Create b.md saying "B"', conversation: id }, by),
      () => service.propose({ title: 'B', steps: [noop('a')] }, { conversation: id }, by),
    ])
      await expect(use()).rejects.toMatchObject(missing);
    const { rows } = await instance.db.query.execute<{ id: string }>(
      sql`select id from countersign.runs where conversation = ${id}`,
    );
    for (const run of rows)
      for (const look of [
        () => service.getRun(run.id),
        () => service.runTrace(run.id),
        () => service.runCard(run.id, { user: by.id, timezone: 'UTC' }),
        () => service.reply(run.id, 'approve', by),
      ])
        await expect(look()).rejects.toMatchObject({ code: 'run_not_found' });
  }
  expect(open.sort()).toEqual(expected.toSorted());
});

test('a list has titles of what its reader may read, and only that there are others', async () => {
  const titles = async (name: string) => {
    const service = serveWithin(instance.service, null, readers[name]);
    const { conversations } = await service.listConversations({ limit: 20 });
    return Object.fromEntries(conversations.map(({ id, title }) => [id, title]));
  };
  expect(await titles('the operator')).toMatchObject({
    console: '',
    typed: 'Quetzal at a terminal',
  });
  expect(await titles('ana, signed in')).toMatchObject({
    console: 'Quetzal in the console',
    typed: '',
  });
});
