// Status during planning: never after the answer.
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ChatPlace, ChatPort } from '#domain/chat/chat.ts';
import { person } from '#domain/people/actor.ts';
import { openPlatform } from '../../fixtures/chat-platform.ts';
import { chanceFrom } from '../../fixtures/random.ts';
import { createSlowPlanner } from '../../fixtures/slow-planner.ts';
import { useDatabase } from '../../setup/database.ts';
import { openTestInstance, type TestInstance } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { delivered, open } from './bench.ts';

const database = useDatabase();
const { planner, begun } = createSlowPlanner();
const { next: random } = chanceFrom(7);
const done = new Map<string | null, string[]>();
const platform = openPlatform();

const note = (thread: string | null, what: string) =>
  done.set(thread, [...(done.get(thread) ?? []), what]);

async function dawdle(): Promise<void> {
  await pause(random() < 0.3 ? 120 : 5);
  if (random() < 0.2) throw new Error('The platform is away.');
}

const port: ChatPort = {
  ...platform.port,
  async post(place, ...rest) {
    await pause(10);
    note(place.thread, 'answer');
    return platform.port.post(place, ...rest);
  },
  status: {
    fadesAfterMs: 60_000,
    async showFirst() {},
    async show({ thread }, { activity }) {
      await dawdle();
      note(thread, activity.kind);
      return undefined;
    },
    async clear({ thread }) {
      await dawdle();
      note(thread, 'clear');
    },
  },
};

let instances: TestInstance[] = [];

beforeAll(async () => {
  const options = { planner, chatPorts: { slack: port } };
  instances = await Promise.all([1, 2].map(() => openTestInstance(database.url, options)));
});
afterAll(() => Promise.all(instances.map((instance) => instance.close())));

const placeOf = (thread: string): ChatPlace => ({
  platform: 'slack',
  tenant: 'T1',
  channel: 'C1',
  thread,
});

test('of two processes with a platform that is slow and fails, none shows a status after the answer', async () => {
  const [instance] = instances;
  if (instance === undefined) throw new Error('It was opened.');
  const threads = Array.from({ length: 12 }, (_, n) => String(n));
  await Promise.all(
    threads.map(async (thread) => {
      const conversation = await open(instance, placeOf(thread));
      const asker = person(`asker ${thread}`, 'slack');
      await instance.service.say(conversation, `Look at ${thread}`, asker);
      const turn = await begun(`Look at ${thread}`);
      turn.report({ kind: 'drafting', steps: 1 });
      await pause(250 + random() * 300);
      turn.report({ kind: 'drafting', steps: 2 });
      turn.answer('Here.');
    }),
  );
  await waitFor('all answers', () => platform.standing.length === threads.length);
  await delivered(instance);
  for (const thread of threads) {
    const after = done.get(thread)?.slice((done.get(thread) ?? []).indexOf('answer') + 1);
    expect(after?.filter((what) => what !== 'clear')).toEqual([]);
  }
  expect([...done.values()].flat()).toContain('thinking');
  expect([...done.values()].flat()).toContain('clear');
});
