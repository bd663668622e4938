// Whether anyone has spoken in an overheard conversation.
import { beforeAll, expect, test } from 'vitest';
import { ana } from '../../setup/instance.ts';
import { useInstance } from '../../setup/use-instance.ts';

const instance = useInstance({ work: false });

beforeAll(async () => {
  for (const conversation of ['said', 'said twice', 'said twice'])
    await instance.service.say(conversation, 'status', ana);
});

test('each conversation is told apart, however many are asked about at once', async () => {
  const silent = Array.from({ length: 150 }, (_, i) => `silent ${i}`);
  const asked = ['said', ...silent, 'said twice', 'said'];
  const answers = await Promise.all(asked.map((name) => instance.service.isSpokenIn(name)));
  expect(asked.filter((_, i) => answers[i])).toEqual(['said', 'said twice', 'said']);
});
