// The reader's waits come first in a list: their plans, tasks and approvals, despite any later plans.
import { expect, test } from 'vitest';
import { person } from '#domain/people/actor.ts';
import type { User } from '../../fixtures/slack/types.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { clearInbox } from '../inbox/bench.ts';
import { type SlackInstance, useSlackInstance } from './slack-instance.ts';

const database = useDatabase();

const propose = (instance: SlackInstance['instance'], title: string, by: string) =>
  instance.service.propose({ title, steps: [noop('a')] }, { user: by }, person(by, 'api'));

/** The text of the /plans answer to `user`. */
function asking({ slack }: SlackInstance, user: User) {
  const channel = slack.addChannel({ name: 'lists', members: [user.id], bot: false }).id;
  return async (text: string): Promise<string> => {
    const before = slack.ephemerals(user.id).length;
    await slack.command(user.id, channel, '/plans', text);
    const answer = await waitFor(`the answer to ${text}`, async () =>
      slack.ephemerals(user.id).length > before ? slack.ephemerals(user.id).at(-1) : null,
    );
    return JSON.stringify(answer.blocks);
  };
}

test('what waits for the reader is on top however much came since, whoever asks them, and the rest is on further pages', async () => {
  const use = await useSlackInstance(database);
  const { slack, instance } = use;
  await clearInbox(instance);
  const ana = slack.addUser({ name: 'ana' });
  const ask = asking(use, ana);
  const by = person('cy@example.com', 'api');
  const old = await propose(instance, 'Asked long ago', 'ana@example.com');
  const asked = await instance.service.propose(
    {
      title: 'A question for Ana',
      steps: [
        {
          ...draftStep('h', 'Read it', 'human_task'),
          args: { question: 'Is it right?', assignee: 'ana@example.com' },
        },
      ],
    },
    { user: 'cy@example.com' },
    by,
  );
  const { version, digest } = asked;
  await instance.service.approve(asked.id, { version, digest }, by);
  await waitFor(
    'the question',
    async () => (await instance.service.getPlan(asked.id)).counts.waiting === 1,
  );
  const others = [];
  for (let i = 0; i < 60; i++)
    others.push(await propose(instance, `Of zed ${i}`, 'zed@example.com'));
  const first = await ask('');
  expect(first.match(/needs your /g)).toHaveLength(2);
  expect(first).toContain('needs your task, step 1');
  expect(first.indexOf(old.id)).toBeLessThan(first.indexOf(asked.id));
  expect(first.indexOf(asked.id)).toBeLessThan(first.indexOf(others.at(-1)?.id ?? 'none'));
  expect(first).toContain('And 57 more: /plans others');
  const pages: string[] = [];
  for (const page of [1, 2, 3]) pages.push(await ask(`others ${page}`));
  const ids = pages.flatMap((page) => [...new Set(page.match(/PLAN-[0-9a-f]{8}/g))]);
  expect(ids).toHaveLength(60);
  expect(new Set(ids).size).toBe(60);
  expect(pages[0]).toContain('Next page: /plans others 2');
  expect(pages.at(-1)).not.toContain('Next page');
  expect(await ask('others 4')).toContain('There is no page 4.');
  // The list of all plans also marks the reader's waits.
  expect(await ask('mine')).toContain('needs your approval');
  await slack.openHome(ana.id);
  const home = await waitFor('the Home tab', async () => slack.home(ana.id));
  const shown = JSON.stringify(home.blocks);
  expect(shown).toContain(old.id);
  expect(shown).toContain('And 45 more: /plans others');
});
