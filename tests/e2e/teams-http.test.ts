// Teams through Microsoft's own client, by what its page asks and hears: the real program, the real client, real files.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BotMessage, type Playground, startPlayground } from '../fixtures/teams/playground.ts';
import { type Card, listButtons, readCard } from '../fixtures/teams/press.ts';
import { people, places } from '../fixtures/teams/tenant.ts';
import { useDatabase } from '../setup/database.ts';
import { type Server, usePrograms } from '../setup/process.ts';

const database = useDatabase();
const programs = usePrograms();
let home: string;
let server: Server;
let client: Playground;

beforeAll(async () => {
  home = await programs.home();
  const env = { COUNTERSIGN_TEAMS_LOCAL: 'true' };
  server = await programs.serve({ home, database: database.url, env });
  client = await startPlayground({ endpoint: `${server.url}/api/messages` });
});
afterAll(() => client?.close());

const readWorkspace = (path: string) => readFile(join(home, 'workspace', path), 'utf8');
const cardAnswer = 'application/vnd.microsoft.card.adaptive';

/** A message's text, with its cards expanded. */
function read({ text, cards }: BotMessage): string {
  return [text, ...cards.map(readCard)].join('\n');
}

/** The latest message in `conversation` with a card that says `words`. */
function find(conversation: string, words: string | RegExp): BotMessage | undefined {
  return client
    .readMessages(conversation)
    .findLast((message) => message.cards.length > 0 && read(message).match(words) !== null);
}

const shows = (conversation: string, words: string | RegExp) =>
  client.until(`a card that says ${words}`, () => find(conversation, words));

const buttonsOf = ({ cards }: BotMessage) => listButtons(cards[0] ?? {});
const decisions = ['Approve', 'Propose changes', 'Reject', 'Details'];

/** Asks, and waits for the card that can be decided. */
async function ask(say: () => Promise<string>, file: string): Promise<BotMessage> {
  const conversation = await say();
  const who = conversation === places.personal ? 'you' : 'Ana';
  const message = await shows(conversation, new RegExp(`Waiting for ${who}[\\s\\S]*${file}`));
  expect(buttonsOf(message)).toEqual(decisions);
  return message;
}

/** The plan that a card is about. */
async function planOf(message: BotMessage) {
  const [id = ''] = /PLAN-[0-9a-f]{8}/.exec(read(message)) ?? [];
  return server.api.plan(id);
}

/** The card that a presser is shown. */
function shown({ type, value }: { type: string; value: unknown }): Card {
  expect(type).toBe(cardAnswer);
  return value as Card;
}

describe('in the chat with the bot alone', () => {
  it('a request is planned on a card, approved by a press, carried out, and the card says so', async () => {
    const text =
      'Create notes/standup.md saying "Standup at 9:30", then move it to archive/standup.md';
    const message = await ask(() => client.say(text), 'archive/standup\\.md');
    expect(message.conversation).toBe(places.personal);

    const answer = shown(await client.press(message, 'Approve'));
    expect(readCard(answer)).toContain('Approved by');
    expect(listButtons(answer)).not.toContain('Approve');

    const done = await client.until('the card to say it is done', () =>
      client.readMessages(places.personal).find(({ id, cards }) => {
        return id === message.id && cards.some((card) => readCard(card).includes('✓ Done'));
      }),
    );
    expect(done.changes).toBeGreaterThan(0);
    expect(buttonsOf(done)).toEqual(['Save as a playbook']);
    expect(await readWorkspace('archive/standup.md')).toContain('Standup at 9:30');
    expect((await planOf(done)).status).toBe('completed');
  });
});

describe('in a channel', () => {
  it('a request is answered below its post, and only who may decide decides', async () => {
    const message = await ask(
      () => client.sayInChannel('Create channel.txt saying "Hello channel"', places.releases),
      'channel\\.txt',
    );
    expect(message.conversation).toMatch(/^19:operations-releases@thread\.tacv2;messageid=/);

    const refused = await client.press(message, 'Approve', { by: people.ben });
    expect(refused.type).toBe('application/vnd.microsoft.activity.message');
    expect(refused.value).toMatch(/Only .* can approve/);
    expect((await planOf(message)).status).toBe('proposed');

    await client.press(message, 'Approve');
    const done = await shows(message.conversation, '✓ Done');
    expect(done.id).toBe(message.id);
    expect(await readWorkspace('channel.txt')).toContain('Hello channel');
  });
});
