// Fifty mentions in fifty long Slack threads at once, within Slack's limits: each is answered with its thread read.
import { expect, test } from 'vitest';
import { propose } from '../fixtures/model-calls.ts';
import { start } from '../fixtures/openai-double.ts';
import { draftStep } from '../fixtures/steps.ts';
import { useDesk } from '../integration/slack/desk.ts';
import { useDatabase } from '../setup/database.ts';
import { waitFor } from '../wait.ts';

const database = useDatabase();
const write = draftStep('1', 'Note the date', 'workspace_write', { path: 'date.md', content: 'x' });

test('fifty mentions in fifty threads of 200 messages are all answered, without a refusal by Slack', {
  timeout: 200_000,
}, async () => {
  const noted = propose({ title: 'Note the date', steps: [write], confidence: 0.9 });
  const model = await start({ script: () => noted });
  const desk = await useDesk(database, {
    env: { OPENAI_BASE_URL: model.url },
    slack: { limits: 'real' },
    own: true,
  });
  const { slack, ana, ben } = desk;
  const threads = Array.from({ length: 50 }, (_, at) => {
    const channel = slack.addChannel({ name: `c${at}`, members: [ana.id, ben.id] }).id;
    const { ts: thread_ts } = slack.wrote(ben.id, channel, `Thread ${at}`);
    for (let n = 1; n < 200; n++)
      slack.wrote(n % 2 === 0 ? ana.id : ben.id, channel, `Point ${n}`, { thread_ts });
    return { channel, thread_ts };
  });
  const begun = Date.now();
  await Promise.all(
    threads.map(({ channel, thread_ts }) =>
      slack.mention(ana.id, channel, 'plan this', { thread_ts }),
    ),
  );
  const isAnswered = ({ channel, thread_ts }: (typeof threads)[number]) =>
    slack.replies(channel, thread_ts).some(({ bot_id }) => bot_id !== undefined);
  await waitFor('a card in each thread', () => threads.every(isAnswered), { timeoutMs: 180_000 });
  console.log(`50 threads: ${Date.now() - begun} ms`);
  const refused = slack.calls.filter(
    ({ method, answer }) =>
      ['conversations.replies', 'users.info'].includes(method) &&
      answer !== 'none' &&
      answer.status === 429,
  );
  expect(refused).toEqual([]);
  const unread = model.requests.filter(
    ({ messages }) => !JSON.stringify(messages).includes('Point 199'),
  );
  expect(unread).toEqual([]);
  await model.close();
});
