// Fifty mentions in long Slack threads, within Slack's limits.
import { expect, test } from 'vitest';
import { propose } from '../fixtures/model-calls.ts';
import { type ChatBody, start } from '../fixtures/openai-double.ts';
import { draftStep } from '../fixtures/steps.ts';
import { useDesk } from '../integration/slack/desk.ts';
import { useDatabase } from '../setup/database.ts';
import { waitFor } from '../wait.ts';

const database = useDatabase();
const write = draftStep('1', 'Note the date', 'workspace_write', { path: 'date.md', content: 'x' });
const noted = propose({ title: 'Note the date', steps: [write], confidence: 0.9 });

const has = (words: string) => (body: ChatBody) => JSON.stringify(body.messages).includes(words);

test.each([
  { app: 'an app of the Marketplace', unlisted: false, refusals: 0 },
  { app: 'an app that may read 15 messages a minute', unlisted: true, refusals: 1 },
])(
  'fifty mentions in threads of 200 messages are answered by $app',
  {
    timeout: 200_000,
  },
  async ({ unlisted, refusals }) => {
    const { promise: allSigned, resolve: answer } = Promise.withResolvers<void>();
    let held = Promise.resolve();
    const model = await start({ script: () => held.then(() => noted) });
    const desk = await useDesk(database, {
      env: { OPENAI_BASE_URL: model.url },
      slack: { limits: 'real', app: { unlisted } },
      lateSeconds: 5,
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
    // The first request loads code.
    const usual = slack.addChannel({ name: 'usual', members: [ana.id] }).id;
    const { message } = await slack.mention(ana.id, usual, 'plan this');
    await waitFor('a card', () => slack.replies(usual, message.ts).length > 0);
    // The model is silent until every thread shows a status.
    held = allSigned;
    const before = model.requests.length;
    const begun = Date.now();
    await Promise.all(
      threads.map(({ channel, thread_ts }) =>
        slack.mention(ana.id, channel, 'plan this', { thread_ts }),
      ),
    );
    const statuses = () =>
      new Set(
        slack.calls.flatMap(({ method, parameters: { channel_id: channel } }) =>
          method === 'assistant.threads.setStatus' && channel !== usual ? [channel] : [],
        ),
      );
    await waitFor('a status in each thread', () => statuses().size === threads.length);
    console.log(`50 threads: statuses after ${Date.now() - begun} ms`);
    const callsIn = (channel: string) =>
      slack.calls
        .filter(({ parameters: { channel: of, channel_id: by } }) => [of, by].includes(channel))
        .map(({ method }) => method);
    // The status comes before any other call for the thread.
    for (const { channel } of threads)
      expect(callsIn(channel)[0]).toBe('assistant.threads.setStatus');
    answer();
    const isAnswered = ({ channel, thread_ts }: (typeof threads)[number]) =>
      slack.replies(channel, thread_ts).some(({ bot_id }) => bot_id !== undefined);
    await waitFor('a card in each thread', () => threads.every(isAnswered), { timeoutMs: 180_000 });
    console.log(`50 threads: cards after ${Date.now() - begun} ms`);
    // Statuses change as planning does; all else is asked once.
    for (const { channel } of threads) {
      const calls = callsIn(channel).filter((method) => !method.endsWith('.setStatus'));
      expect(calls).toEqual([...new Set(calls)]);
    }
    const refused = slack.calls.flatMap(({ method, answer: given }) =>
      given !== 'none' && given.status === 429 ? [method] : [],
    );
    expect(refused.length, refused.join(', ')).toBeLessThanOrEqual(refusals);
    const read = model.requests.filter(has(unlisted ? 'Point 14' : 'Point 199'));
    const unread = model.requests.filter(has('The thread above the request could not be read'));
    expect(read.length + unread.length).toBe(model.requests.length - before);
    if (!unlisted) expect(unread).toEqual([]);
    await model.close();
  },
);
