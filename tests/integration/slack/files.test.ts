// Text that is too long for a message: records of a plan on request, and answers of any length, as files.
import { expect, test } from 'vitest';
import { useDatabase } from '../../setup/database.ts';
import { noop, reach, scriptedPlanner } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { clearInbox } from '../inbox/bench.ts';
import { type SlackInstance, useSlackInstance } from './slack-instance.ts';

const database = useDatabase();
const long = Array.from(
  { length: 300 },
  (_, i) => `Line ${i} <!channel> ${'word '.repeat(8)}`,
).join('\n');
const planner = scriptedPlanner(({ text }) =>
  text.startsWith('plan')
    ? { kind: 'proposal', draft: { title: 'Nothing', steps: [noop('a')] } }
    : { kind: 'answer', text: text.startsWith('long') ? long : 'Short.' },
);

async function useFiles(scopes?: string[]) {
  const use = await useSlackInstance(database, {
    planner,
    ...(scopes === undefined ? {} : { slack: { scopes } }),
  });
  await clearInbox(use.instance);
  const ana = use.slack.addUser({ name: 'ana' });
  const channel = use.slack.addChannel({ name: 'release', members: [ana.id] }).id;
  return { ...use, ana, channel };
}

const fileTexts = ({ slack }: SlackInstance) =>
  slack.files().map(({ name, content }) => [name, content?.toString('utf8')]);

test('a plan, what ran of it and how it was planned are sent as files to whoever asks, and to nobody else', async () => {
  const use = await useFiles();
  const { slack, ana, channel, instance } = use;
  const by = { kind: 'person', id: 'ana@example.com', via: 'api' } as const;
  const plan = await instance.service.propose({ title: 'Nothing', steps: [noop('a')] }, {}, by);
  const ask = async (word: string) => {
    const before = slack.ephemerals(ana.id).length;
    await slack.command(ana.id, channel, '/plans', `${plan.id} ${word}`);
    await waitFor(`the answer to ${word}`, async () => slack.ephemerals(ana.id).length > before);
    return slack.ephemerals(ana.id).at(-1)?.text ?? '';
  };
  expect(await ask('log')).toContain("hasn't run yet");
  const { version, digest } = plan;
  await instance.service.approve(plan.id, { version, digest }, by);
  await reach(instance, plan.id, 'completed');
  expect(await ask('EXPORT')).toContain('direct message');
  await ask('log');
  await ask('trace');
  const sent = fileTexts(use);
  expect(sent.map(([name]) => name)).toEqual([
    `${plan.id}.md`,
    `${plan.id}.jsonl`,
    `${plan.id}-trace.txt`,
  ]);
  expect(sent[0]?.[1]).toContain('Nothing');
  expect(JSON.parse(sent[1]?.[1] ?? '')).toMatchObject({ step: 'a', status: 'succeeded' });
  const direct = slack.direct(ana.id).id;
  expect(slack.files().every(({ channels }) => channels.join() === direct)).toBe(true);
  expect(slack.messages(channel)).toEqual([]);
  expect(await ask('nonsense')).toMatch(/no plan|There is no/);
});

test('without the scope for files they come in messages, and the operator is told what is missing', async () => {
  const scopes = ['chat:write', 'commands', 'users:read', 'users:read.email', 'im:history'];
  const use = await useFiles(scopes);
  const { slack, ana, channel, instance } = use;
  const by = { kind: 'person', id: 'ana@example.com', via: 'api' } as const;
  const plan = await instance.service.propose({ title: 'Nothing', steps: [noop('a')] }, {}, by);
  await slack.command(ana.id, channel, '/plans', `${plan.id} export`);
  await waitFor('the answer', async () => slack.ephemerals(ana.id).length > 0);
  const [, page] = slack.messages(slack.direct(ana.id).id);
  expect(JSON.stringify(page?.blocks)).toContain(plan.id);
  expect(slack.files()).toEqual([]);
});

test('an answer that does not fit a message stands whole in a file under it, and pings nobody', async () => {
  const use = await useFiles();
  const { slack, ana, channel } = use;
  const { message } = await slack.mention(ana.id, channel, 'long please');
  await waitFor('the file', async () => slack.files().some(({ content }) => content !== null));
  expect(fileTexts(use).map(([, text]) => text)).toEqual([long]);
  const own = slack.replies(channel, message.ts);
  expect(own.flatMap(({ pings }) => pings)).toEqual([]);
  await slack.mention(ana.id, channel, 'what else?');
  await waitFor('the short answer', async () =>
    slack.messages(channel).some(({ text }) => text.includes('Short.')),
  );
  expect(slack.files()).toHaveLength(1);
});
