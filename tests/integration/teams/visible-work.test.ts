// Planning progress in Teams. Concurrent tests, as Teams' pace is slow.
import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSlowPlanner } from '../../fixtures/slow-planner.ts';
import { useDatabase } from '../../setup/database.ts';
import type { TestInstance } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { awaitMessage, startTeams } from './teams-instance.ts';

const database = useDatabase();
const { planner, begun } = createSlowPlanner();
let use: Awaited<ReturnType<typeof startTeams>>;
beforeAll(async () => {
  use = await startTeams(database.url, { planner });
});
afterAll(() => use.close());

async function readStatus({ db }: Pick<TestInstance, 'db'>, channel: string): Promise<unknown> {
  const { rows } = await db.query.execute<{ status: unknown }>(
    sql`select status from countersign.chat_places where channel = ${channel}`,
  );
  return rows[0]?.status ?? null;
}

const postingIn = (chat: string) => new RegExp(`^POST .*${encodeURIComponent(chat)}/activities$`);

// Between stores of the status.
async function age({ db }: Pick<TestInstance, 'db'>, channel: string, ms: number) {
  const began = Date.now() - ms;
  await waitFor('a quiet place', async () => {
    const { rowCount } = await db.query.execute(sql`
      update countersign.chat_places
      set status = jsonb_set(status, '{own,stream,began_at}', to_jsonb(${began}::bigint))
      where channel = ${channel} and holder is null`);
    return rowCount === 1;
  });
}

async function streamIn(about: string) {
  const words = `${about} (${randomUUID()})`;
  const { teams, instance } = use;
  const ana = teams.addPerson('ana');
  const chat = teams.addPersonal(ana);
  await teams.say(ana, chat, words);
  const turn = await begun(words);
  let steps = 0;
  const stream = await waitFor('a stream', () => {
    turn.report({ kind: 'drafting', steps: ++steps });
    return teams.streams.find(({ conversation }) => conversation === chat.id);
  });
  const answers = () => teams.messages.filter(({ conversation }) => conversation === chat.id);
  const cleared = () =>
    waitFor('nothing to be left', async () => (await readStatus(instance, chat.id)) === null);
  return { teams, instance, ana, chat, turn, stream, answers, cleared };
}

test.concurrent('in a channel the bot types from the request on until it answers', async () => {
  const { teams } = use;
  const ana = teams.addPerson('ana');
  const words = 'Look in the channel';
  const { conversation } = await teams.say(ana, teams.addChannel([ana]), words);
  const typed = () => teams.typing.filter((one) => one === conversation).length;
  await waitFor('typing', () => typed() === 1, { everyMs: 5 });
  const turn = await begun(words);
  // Typing fades by itself, so it is repeated.
  await waitFor('typing again', () => typed() === 2);
  turn.answer('Here it is, in the channel.');
  await awaitMessage(teams, conversation, 'Here it is, in the channel.');
  expect(typed()).toBeLessThanOrEqual(3);
  expect(teams.streams.filter((one) => one.conversation === conversation)).toEqual([]);
});

test.concurrent('the bot types for a message before it is handled', async () => {
  const { teams } = use;
  const ana = teams.addPerson('ana');
  const chat = teams.addPersonal(ana);
  await teams.say(ana, chat, 'help');
  await waitFor('typing', () => teams.typing.includes(chat.id));
  await waitFor('the answer', () =>
    teams.messages.some(({ conversation }) => conversation === chat.id),
  );
});

test.concurrent('an answer that comes at once begins no stream', async () => {
  const { teams } = use;
  const ana = teams.addPerson('ana');
  const chat = teams.addPersonal(ana);
  await teams.say(ana, chat, 'Quickly');
  (await begun('Quickly')).answer('Here at once.');
  await awaitMessage(teams, chat.id, 'Here at once.');
  expect(teams.streams.filter(({ conversation }) => conversation === chat.id)).toEqual([]);
});

test.concurrent('in a chat the bot types within a second, says what it does, and the answer ends that', async () => {
  const words = 'Look in the chat';
  const { teams, chat, turn, stream, answers, cleared } = await streamIn(words);
  expect(teams.typing).toContain(chat.id);
  expect(stream.texts[0]).toMatch(/^Drafting: \d+ steps? so far …$/);
  turn.report({ kind: 'reading', operation: 'files_read', what: 'notes/brief.md' });
  await waitFor('what it reads', () => stream.texts.includes('Reading notes/brief.md …'));
  turn.answer('Here it is, in the chat.');
  const message = await awaitMessage(teams, chat.id, 'Here it is, in the chat.');
  expect([message.id, stream.state]).toEqual([stream.id, 'ended']);
  await cleared();
  expect(answers()).toEqual([message]);
});

test.concurrent('an answer that got through although nobody heard of it is not posted twice', async () => {
  const words = 'Look twice';
  const { teams, chat, turn, stream, answers, cleared } = await streamIn(words);
  teams.refuse({ status: 0, path: postingIn(chat.id) });
  turn.answer('Here it is, once.');
  const message = await awaitMessage(teams, chat.id, 'Here it is, once.');
  await cleared();
  expect(answers()).toEqual([message]);
  expect([message.id, message.updates]).toEqual([stream.id, 1]);
});

test.concurrent('where its reader stopped the stream the answer is a message of its own', async () => {
  const words = 'Look, and be stopped';
  const { teams, chat, turn, stream, cleared } = await streamIn(words);
  stream.state = 'stopped';
  turn.answer('Here it is, all the same.');
  const message = await awaitMessage(teams, chat.id, 'Here it is, all the same.');
  expect(message.id).not.toBe(stream.id);
  await cleared();
});

test.concurrent('a stream that a dead process left open is changed into the answer, also after its time', async () => {
  const words = 'Look, and die';
  const { teams, instance, chat, turn, stream, answers } = await streamIn(words);
  stream.state = 'expired';
  await age(instance, chat.id, 130_000);
  turn.answer('Here it is, late.');
  const message = await awaitMessage(teams, chat.id, 'Here it is, late.');
  expect(message.id).toBe(stream.id);
  expect(answers()).toHaveLength(1);
});

test.concurrent('a stream that grows old is ended with a sentence, and the answer follows below', async () => {
  const words = 'Look for long';
  const { teams, instance, chat, turn, stream, answers } = await streamIn(words);
  await age(instance, chat.id, 101_000);
  turn.report({ kind: 'reading', operation: 'files_read', what: 'a.md' });
  const notice = await awaitMessage(teams, chat.id, 'takes longer than usual');
  expect([notice.id, stream.state]).toEqual([stream.id, 'ended']);
  turn.answer('Here it is, below.');
  const message = await awaitMessage(teams, chat.id, 'Here it is, below.');
  expect(answers()).toEqual([notice, message]);
});

test.concurrent('a stream that does not take the message as its end is closed in words, and the message follows', async () => {
  const { teams, chat, turn, stream, answers, cleared } = await streamIn('Look, and be refused');
  teams.refuse({ status: 400, code: 'BadRequest', path: postingIn(chat.id) });
  turn.answer('Here it is, below its words.');
  await waitFor('both', () => answers().length === 2);
  expect([answers()[0]?.id, stream.state]).toEqual([stream.id, 'ended']);
  await awaitMessage(teams, chat.id, 'Here it is, below its words.');
  await cleared();
});

test('where streams are not allowed the bot types', async () => {
  const { teams } = use;
  teams.allowStreams(false);
  const ana = teams.addPerson('ana');
  const chat = teams.addPersonal(ana);
  const words = 'Look without streams';
  await teams.say(ana, chat, words);
  const turn = await begun(words);
  let steps = 0;
  await waitFor('a try', () => {
    turn.report({ kind: 'drafting', steps: ++steps });
    return teams.calls.some(({ body }) => JSON.stringify(body).includes('"streaminfo"'));
  });
  turn.answer('Here it is, without.');
  await awaitMessage(teams, chat.id, 'Here it is, without.');
  teams.allowStreams(true);
});
