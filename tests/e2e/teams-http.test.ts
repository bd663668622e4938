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

/** What a message says, its cards opened. */
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
    expect(buttonsOf(done)).toEqual([]);
    expect(await readWorkspace('archive/standup.md')).toContain('Standup at 9:30');
    expect((await planOf(done)).status).toBe('completed');
  });

  it('a look at the details leads to the approval of some steps only', async () => {
    const text = 'Create part/one.txt saying "One", then copy it to part/two.txt';
    const message = await ask(() => client.say(text), 'part/two\\.txt');
    const details = shown(await client.press(message, 'Details'));
    expect(readCard(details)).toContain('Digest');
    expect(listButtons(details)).toEqual(['Approve the checked steps', 'Back to the plan']);

    const opened = { ...message, cards: [details] };
    const unclosed = await client.press(opened, 'Approve the checked steps', {
      inputs: { 'part:0': 'false' },
    });
    expect(unclosed.type).toBe('application/vnd.microsoft.activity.message');
    expect(unclosed.value).toMatch(/need/);
    expect((await planOf(message)).status).toBe('proposed');

    const first = { 'part:1': 'false' };
    await client.press(opened, 'Approve the checked steps', { inputs: first });
    const done = await shows(places.personal, /✓ Done[\s\S]*part\/one\.txt/);
    expect((await planOf(done)).counts).toMatchObject({ succeeded: 1, cancelled: 1 });
    await expect(readWorkspace('part/two.txt')).rejects.toThrow('ENOENT');
  });

  it('“plans” lists what waits, opens it, and leads back', async () => {
    const message = await ask(() => client.say('Create later.txt saying "Later"'), 'later\\.txt');
    const plan = await planOf(message);
    await client.say('plans');
    const list = await shows(places.personal, 'Needs you');
    expect(read(list)).toContain(plan.id);
    const details = shown(await client.press(list, 'Review'));
    expect(readCard(details)).toContain(plan.id);
    const back = shown(await client.press({ ...list, cards: [details] }, 'Back to the list'));
    expect(readCard(back)).toContain('Needs you');
    await client.say('plans help');
    await shows(places.personal, 'plans mine');
  });

  it('“settings” changes how the bot talks to whoever saves it', async () => {
    await client.say('settings');
    const card = await shows(places.personal, 'Preferences');
    const kept = shown(await client.press(card, 'Save', { inputs: { 'slider:tone': 'clinical' } }));
    expect(readCard(kept)).toContain('Just the facts');
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

  it('changes are proposed in the card, and the next version says what changed', async () => {
    const message = await ask(
      () => client.sayInChannel('Create draft.txt saying "First"'),
      'draft\\.txt',
    );
    const empty = async () => client.press(message, ['Propose changes', 'Send']);
    await expect(empty).rejects.toThrow('required');
    const change = { 'What should change?': 'use final.txt instead of draft.txt' };
    await client.press(message, ['Propose changes', 'Send'], { inputs: change });
    const second = await shows(message.conversation, /version 2[\s\S]*Changed since version 1/);
    const plan = await planOf(second);
    expect(plan).toMatchObject({ version: 2, status: 'proposed' });

    // The first card, as it was shown, decides nothing any more.
    await client.press(message, 'Approve');
    expect((await server.api.plan(plan.id)).status).toBe('proposed');

    await client.press(second, 'Approve');
    await shows(message.conversation, '✓ Done');
    expect(await readWorkspace('final.txt')).toContain('First');
    await expect(readWorkspace('draft.txt')).rejects.toThrow('ENOENT');
  });

  it('the words that decide are heard below the post', async () => {
    const message = await ask(
      () => client.sayInChannel('Create word.txt saying "Word"'),
      'word\\.txt',
    );
    await client.reply(message.conversation, 'approve');
    await shows(message.conversation, '✓ Done');
    expect(await readWorkspace('word.txt')).toContain('Word');
  });
});

describe('in a group chat', () => {
  it('a press on a card of another conversation decides nothing', async () => {
    const alone = await ask(() => client.say('Create alone.txt saying "Alone"'), 'alone\\.txt');
    const here = await ask(
      () => client.reply(places.group, 'Create here.txt saying "Here"'),
      'here\\.txt',
    );
    const refused = await client.press({ ...here, cards: alone.cards }, 'Approve');
    expect(refused.type).toBe('application/vnd.microsoft.activity.message');
    expect(refused.value).toMatch(/another conversation/);
    for (const message of [alone, here]) expect((await planOf(message)).status).toBe('proposed');
  });

  it('a request is planned, rejected, and nothing is done', async () => {
    const message = await ask(
      () => client.reply(places.group, 'Create group.txt saying "Group"'),
      'group\\.txt',
    );
    await client.press(message, ['Reject', 'Reject']);
    expect(buttonsOf(await shows(places.group, '✕ Rejected'))).toEqual([]);
    await expect(readWorkspace('group.txt')).rejects.toThrow('ENOENT');
  });
});
