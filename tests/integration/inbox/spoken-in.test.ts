// Whether anything was said where something is overheard: each conversation by itself.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useDatabase } from '#tests/setup/database.ts';
import { ana, openTestHouse, type TestHouse } from '#tests/setup/house.ts';

const database = useDatabase();
let house: TestHouse;
beforeAll(async () => {
  house = await openTestHouse(database.url, { work: false });
  for (const conversation of ['said', 'said twice', 'said twice'])
    await house.service.say(conversation, 'status', ana);
});
afterAll(() => house.close());

test('each conversation is told apart, however many are asked about at once', async () => {
  const silent = Array.from({ length: 150 }, (_, i) => `silent ${i}`);
  const asked = ['said', ...silent, 'said twice', 'said'];
  const answers = await Promise.all(asked.map((name) => house.service.isSpokenIn(name)));
  expect(asked.filter((_, i) => answers[i])).toEqual(['said', 'said twice', 'said']);
});
