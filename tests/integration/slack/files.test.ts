// Records of a plan, sent as files on request.
import { expect, test } from 'vitest';
import { useDatabase } from '../../setup/database.ts';
import { noop, reach, scriptedPlanner } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { clearInbox } from '../inbox/bench.ts';
import { type SlackInstance, useSlackInstance } from './slack-instance.ts';

const database = useDatabase();
const planner = scriptedPlanner(() => ({
  kind: 'proposal',
  draft: { title: 'Nothing', steps: [noop('a')] },
}));

async function useFiles() {
  const use = await useSlackInstance(database, { planner });
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
