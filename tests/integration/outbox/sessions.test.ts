// Planning sessions as cards on chat platforms.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ChatPlace } from '#domain/chat/chat.ts';
import type { SessionPress } from '#domain/chat/session-card.ts';
import { openPlatform } from '../../fixtures/chat-platform.ts';
import { stagedPlanner } from '../../fixtures/staged-planner.ts';
import { useDatabase } from '../../setup/database.ts';
import { ana, type TestInstance } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { delivered, open, openPostingInstance } from './bench.ts';

const platform = openPlatform();
const planner = stagedPlanner(() => instance.db.query);
let instance: TestInstance;
let channels = 0;
let threads = 0;
const database = useDatabase();
beforeAll(async () => {
  instance = await openPostingInstance(database.url, { platform: () => platform, planner });
});
afterAll(() => instance.close());
beforeEach(() => {
  channels += 1;
  platform.before = () => {};
});

const isHere = ({ channel }: ChatPlace) => channel === `C${channels}`;
const standing = () => platform.standing.filter(({ place }) => isHere(place));
const cards = () => standing().map(({ content }) => JSON.stringify(content.card));
const card = (at: number) => cards().at(at) ?? '';
const thread = (on: ChatPlace['platform'] = 'slack') =>
  open(instance, { platform: on, tenant: 'T1', channel: `C${channels}`, thread: `${++threads}` });
/** @returns the run */
const ask = async (conversation: string, text: string) =>
  (await instance.service.startRun({ text, conversation }, ana)).run_id;
const shown = (words: string) =>
  waitFor(`“${words}”`, () => cards().some((one) => one.includes(words)));

const countLive = async (run: string) => {
  const { rows } = await instance.db.query.execute(
    sql`select from countersign.chat_posts where run_id = ${run} and live`,
  );
  return rows.length;
};

function pressOf(drawn: string, action: SessionPress['action']): SessionPress {
  const found = /\{[^{}]*"action\\*":\\*"(session_\w+)[^{}]*\}/g;
  for (const [json, name] of drawn.matchAll(found)) {
    if (name === action) return JSON.parse(json.replaceAll('\\"', '"'));
  }
  throw new Error(`No button ${action} in ${drawn}`);
}

const live = /session_(approve|changes|reject|answer)/;

describe.each(['slack', 'teams'] as const)('a session on %s', (on) => {
  test('has a card at each gate, whose press decides it, and only the latest has buttons', async () => {
    const here = await thread(on);
    const run = await ask(here, 'Plan the launch');
    await shown('the outline');
    await delivered(instance);
    expect(cards()).toHaveLength(1);
    const { digest, turn } = pressOf(card(0), 'session_approve');
    await instance.service.decideRun(run, { kind: 'approve', digest, turn }, ana);
    await shown('the order');
    await shown('Approved by ana');
    await delivered(instance);
    expect(card(0)).toMatch(/Approved by ana, \d\d:\d\d\b.* · the outline/);
    expect(card(0)).toContain('Draft news/1.md');
    expect(card(0)).not.toMatch(live);
    expect(card(1)).toMatch(live);
    const next = pressOf(card(1), 'session_approve');
    await instance.service.decideRun(
      run,
      { kind: 'approve', digest: next.digest, turn: next.turn },
      ana,
    );
    await waitFor('the plan', () => cards().length === 3);
    await waitFor('the order to be over', () => /Approved by ana.* · the order/.test(card(1)));
    await delivered(instance);
    expect(card(1)).not.toMatch(live);
    expect(card(2)).toContain('Launch');
    expect(await countLive(run)).toBe(0);
  });
});

test.each([
  ['Ask me', 'The blue one', 'Answered by ana'],
  ['Invent a pattern', 'No known subtype keeps track of doses.', 'Continued by ana'],
  ['Spend more', 'Continue', 'Continued by ana'],
  ['Hurry up', 'Deliver on Friday', 'Continued by ana'],
  ['Fail at it', 'Try again', 'Retried by ana'],
])(
  '“%s” is a card that says %s, and is over when somebody answers in words',
  async (text, words, after) => {
    const here = await thread();
    const run = await ask(here, text);
    await shown(words);
    await delivered(instance);
    expect(card(0)).toMatch(live);
    await instance.service.reply(run, 'What is this?', ana);
    await shown(after);
    await delivered(instance);
    expect(card(0)).not.toMatch(live);
    if (words !== 'Try again')
      expect(card(0)).toContain(words === 'Continue' ? 'It costs more' : words);
  },
);

test('a card that was posted late shows what came of it, without buttons', async () => {
  const here = await thread();
  const gate = Promise.withResolvers<void>();
  let posts = 0;
  platform.before = async ({ verb, place }) => {
    if (verb === 'post' && isHere(place) && ++posts === 1) await gate.promise;
  };
  const run = await ask(here, 'Plan the launch');
  await waitFor('the first post', () => posts === 1);
  const { digest, turn } = await instance.service.runCard(run, { user: 'ana', timezone: 'UTC' });
  await instance.service.decideRun(run, { kind: 'approve', digest, turn }, ana);
  gate.resolve();
  await shown('the order');
  await delivered(instance);
  expect(card(0)).toContain('Approved by ana');
  expect(card(0)).not.toMatch(live);
});

test('a card that was deleted is posted anew only while somebody is waited for', async () => {
  const here = await thread();
  const run = await ask(here, 'Plan the launch');
  await shown('the outline');
  await delivered(instance);
  const { digest, turn } = pressOf(card(0), 'session_approve');
  platform.delete(String(standing()[0]?.message));
  await instance.service.decideRun(run, { kind: 'approve', digest, turn }, ana);
  await shown('the order');
  await delivered(instance);
  expect(cards()).toHaveLength(1);
});

test('“Try again” is gone once something else was asked for in its conversation, for whoever looks', async () => {
  const here = await thread();
  const first = await ask(here, 'Fail at it');
  await shown('Try again');
  await delivered(instance);
  expect(card(0)).toContain('session_answer');
  const viewer = { user: ana.id, timezone: 'UTC' };
  expect((await instance.service.runCard(first, viewer)).over).toBeNull();

  await ask(here, 'Ask me something');
  await shown('The blue one');
  await shown('Replaced by a newer request');
  await delivered(instance);
  expect(card(0)).not.toContain('session_answer');
  expect(card(0)).not.toContain('Try again');
  expect(card(1)).toContain('session_answer');
  expect(await countLive(first)).toBe(0);
  expect((await instance.service.runCard(first, viewer)).over).toMatchObject({
    kind: 'overtaken',
  });
});

test('“Try again” stays where something was asked for in another conversation', async () => {
  const here = await thread();
  const first = await ask(here, 'Fail at it');
  await shown('Try again');
  await ask(await thread(), 'Ask me something');
  await shown('The blue one');
  await delivered(instance);
  expect(card(0)).toContain('session_answer');
  expect(await countLive(first)).toBe(1);
});

test('“Try again” is gone once it was pressed, also where that came to nothing again', async () => {
  const here = await thread();
  const run = await ask(here, 'Fail at it');
  await shown('Try again');
  await delivered(instance);
  await instance.service.reply(run, 'Fail at it', ana, { turn: 1 });
  await waitFor('the second card', () => cards().length === 2);
  await shown('Retried by ana');
  await delivered(instance);
  expect(card(0)).not.toContain('session_answer');
  expect(card(1)).toContain('Try again');
  expect(await countLive(run)).toBe(1);
});
