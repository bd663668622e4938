// The driver of Microsoft's client, tried with a bot of a few lines: what the other tests of Teams lean on.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEchoBot } from '../fixtures/teams/echo-bot.ts';
import { type Playground, startPlayground } from '../fixtures/teams/playground.ts';
import { listButtons, readCard } from '../fixtures/teams/press.ts';
import { people, places } from '../fixtures/teams/tenant.ts';

let bot: Awaited<ReturnType<typeof startEchoBot>>;
let client: Playground;

beforeAll(async () => {
  bot = await startEchoBot();
  client = await startPlayground({ endpoint: bot.endpoint });
});
afterAll(async () => {
  await client?.close();
  await bot?.close();
});

const lastIn = (conversation: string) =>
  client.until('an answer', () => client.readMessages(conversation).at(-1));
const shown = (conversation: string) => {
  const card = client.readMessages(conversation).at(-1)?.cards[0];
  return card === undefined ? '' : readCard(card);
};

describe('Microsoft’s client, driven by a test', () => {
  it('speaks to the bot alone, presses, and sees the message change', async () => {
    const conversation = await client.say('tea');
    expect(conversation).toBe(places.personal);
    const message = await lastIn(conversation);
    expect(listButtons(message.cards[0] ?? {})).toEqual(['Done', 'Say why']);
    const answer = await client.press(message, 'Done');
    expect(answer.type).toBe('application/vnd.microsoft.card.adaptive');
    await client.until('the changed card', () => shown(conversation) === 'tea, says Ana');
    expect(client.readMessages(conversation).at(-1)).toMatchObject({ id: message.id, changes: 1 });
  });

  it('begins a post in a channel, goes on below it, and lets somebody else press', async () => {
    const post = await client.sayInChannel('coffee', places.releases);
    expect(post).toMatch(/^19:operations-releases@thread\.tacv2;messageid=\d+$/);
    const first = await lastIn(post);
    await client.reply(post, 'cocoa');
    const second = await client.until('a second answer', () => client.readMessages(post)[1]);
    await client.press(second, 'Done', { by: people.ben });
    await client.until('the changed card', () => shown(post) === 'cocoa, says Ben');
    expect(client.readMessages(post)[0]).toMatchObject({ id: first.id, changes: 0 });
  });

  it('fills in what a button opens, and sends nothing while a required input is empty', async () => {
    const message = await lastIn(await client.reply(places.group, 'water'));
    await expect(async () => client.press(message, ['Say why', 'Send'])).rejects.toThrow(
      '"Why?" is required',
    );
    await expect(async () => client.press(message, 'Send')).rejects.toThrow(
      'it has: Done, Say why',
    );
    await client.press(message, ['Say why', 'Send'], { inputs: { 'Why?': 'thirst' } });
    await client.until('the reason', () => shown(places.group) === 'water, says Ana: thirst');
  });

  it('ends with its process', async () => {
    const other = await startPlayground({ endpoint: bot.endpoint });
    const { pid } = other;
    await other.close();
    await expect(fetch(other.url)).rejects.toThrow();
    expect(() => process.kill(pid ?? 0, 0)).toThrow('ESRCH');
  });
});
