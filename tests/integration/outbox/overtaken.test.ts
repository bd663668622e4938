// “Try again” on a failed session's card: shown while it is the latest request.
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { useDatabase } from '../../setup/database.ts';
import { ana } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { delivered } from './bench.ts';
import { useSessions } from './sessions-bench.ts';

const sessions = useSessions(useDatabase());
const { ask, card, cards, shown, thread } = sessions;
const countLive = async (run: string) => {
  const { rows } = await sessions
    .instance()
    .db.query.execute(sql`select from countersign.chat_posts where run_id = ${run} and live`);
  return rows.length;
};

test('“Try again” is gone once something else was asked for in its conversation, for whoever looks', async () => {
  const here = await thread();
  const first = await ask(here, 'Fail at it');
  await shown('Try again');
  await delivered(sessions.instance());
  expect(card(0)).toContain('session_answer');
  const viewer = { user: ana.id, timezone: 'UTC' };
  expect((await sessions.instance().service.runCard(first, viewer)).over).toBeNull();

  await ask(here, 'Ask me something');
  await shown('The blue one');
  await shown('Replaced by a newer request');
  await delivered(sessions.instance());
  expect(card(0)).not.toContain('session_answer');
  expect(card(0)).not.toContain('Try again');
  expect(card(1)).toContain('session_answer');
  expect(await countLive(first)).toBe(0);
  expect((await sessions.instance().service.runCard(first, viewer)).over).toMatchObject({
    kind: 'overtaken',
  });
});

test('“Try again” stays where something was asked for in another conversation', async () => {
  const here = await thread();
  const first = await ask(here, 'Fail at it');
  await shown('Try again');
  await ask(await thread(), 'Ask me something');
  await shown('The blue one');
  await delivered(sessions.instance());
  expect(card(0)).toContain('session_answer');
  expect(await countLive(first)).toBe(1);
});

test('“Try again” is gone once it was pressed, also where that came to nothing again', async () => {
  const here = await thread();
  const run = await ask(here, 'Fail at it');
  await shown('Try again');
  await delivered(sessions.instance());
  await sessions.instance().service.reply(run, 'Fail at it', ana, { turn: 1 });
  await waitFor('the second card', () => cards().length === 2);
  await shown('Retried by ana');
  await delivered(sessions.instance());
  expect(card(0)).not.toContain('session_answer');
  expect(card(1)).toContain('Try again');
  expect(await countLive(run)).toBe(1);
});
