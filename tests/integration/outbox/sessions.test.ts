// Planning sessions as cards on chat platforms, closed there once decided.
import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import type { SessionPress } from '#domain/chat/session-card.ts';
import { useDatabase } from '../../setup/database.ts';
import { ana } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { delivered } from './bench.ts';
import { useSessions } from './sessions-bench.ts';

const sessions = useSessions(useDatabase());
const { ask, card, cards, isHere, shown, standing, thread } = sessions;

/** The press that a button in a drawn card sends. */
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
    await delivered(sessions.instance());
    expect(cards()).toHaveLength(1);
    const { digest, turn } = pressOf(card(0), 'session_approve');
    await sessions.instance().service.decideRun(run, { kind: 'approve', digest, turn }, ana);
    await shown('the order');
    await shown('Approved by ana');
    await delivered(sessions.instance());
    expect(card(0)).toMatch(/Approved by ana, \d\d:\d\d\b.* · the outline/);
    expect(card(0)).toContain('Draft news/1.md');
    expect(card(0)).not.toMatch(live);
    expect(card(1)).toMatch(live);
    const next = pressOf(card(1), 'session_approve');
    await sessions
      .instance()
      .service.decideRun(run, { kind: 'approve', digest: next.digest, turn: next.turn }, ana);
    await waitFor('the plan', () => cards().length === 3);
    await waitFor('the order to be over', () => /Approved by ana.* · the order/.test(card(1)));
    await delivered(sessions.instance());
    expect(card(1)).not.toMatch(live);
    expect(card(2)).toContain('Launch');
    const { rows } = await sessions
      .instance()
      .db.query.execute(sql`select from countersign.chat_posts where run_id = ${run} and live`);
    expect(rows).toHaveLength(0);
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
    await delivered(sessions.instance());
    expect(card(0)).toMatch(live);
    await sessions.instance().service.reply(run, 'What is this?', ana);
    await shown(after);
    await delivered(sessions.instance());
    expect(card(0)).not.toMatch(live);
    if (words !== 'Try again')
      expect(card(0)).toContain(words === 'Continue' ? 'It costs more' : words);
  },
);

test('a card that was posted late shows what came of it, without buttons', async () => {
  const here = await thread();
  const gate = Promise.withResolvers<void>();
  let posts = 0;
  sessions.platform.before = async ({ verb, place }) => {
    if (verb === 'post' && isHere(place) && ++posts === 1) await gate.promise;
  };
  const run = await ask(here, 'Plan the launch');
  await waitFor('the first post', () => posts === 1);
  const { digest, turn } = await sessions
    .instance()
    .service.runCard(run, { user: 'ana', timezone: 'UTC' });
  await sessions.instance().service.decideRun(run, { kind: 'approve', digest, turn }, ana);
  gate.resolve();
  await shown('the order');
  await delivered(sessions.instance());
  expect(card(0)).toContain('Approved by ana');
  expect(card(0)).not.toMatch(live);
});

test('a card that was deleted is posted anew only while somebody is waited for', async () => {
  const here = await thread();
  const run = await ask(here, 'Plan the launch');
  await shown('the outline');
  await delivered(sessions.instance());
  const { digest, turn } = pressOf(card(0), 'session_approve');
  sessions.platform.delete(String(standing()[0]?.message));
  await sessions.instance().service.decideRun(run, { kind: 'approve', digest, turn }, ana);
  await shown('the order');
  await delivered(sessions.instance());
  expect(cards()).toHaveLength(1);
});
