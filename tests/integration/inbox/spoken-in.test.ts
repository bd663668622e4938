// Whether anything was said where something is overheard: each conversation by itself.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useDatabase } from '../../setup/database.ts';
import { ana, openTestInstance, type TestInstance } from '../../setup/instance.ts';

const database = useDatabase();
let instance: TestInstance;
beforeAll(async () => {
  instance = await openTestInstance(database.url, { work: false });
  for (const conversation of ['said', 'said twice', 'said twice'])
    await instance.service.say(conversation, 'status', ana);
});
afterAll(() => instance.close());

test('each conversation is told apart, however many are asked about at once', async () => {
  const silent = Array.from({ length: 150 }, (_, i) => `silent ${i}`);
  const asked = ['said', ...silent, 'said twice', 'said'];
  const answers = await Promise.all(asked.map((name) => instance.service.isSpokenIn(name)));
  expect(asked.filter((_, i) => answers[i])).toEqual(['said', 'said twice', 'said']);
});
