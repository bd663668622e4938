// Several workspaces in one instance see only their own plans.
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { person } from '#domain/people/actor.ts';
import type { User } from '../../fixtures/slack/types.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { clearInbox } from '../inbox/bench.ts';
import { planOf, useInstallInstance, useWorkspace } from './install-instance.ts';

const database = useDatabase();

async function useTwo() {
  const use = await useInstallInstance(database);
  const { slack, instance } = use;
  await instance.db.query.execute(sql`
    truncate countersign.slack_installations, countersign.slack_workspaces, countersign.chat_places, countersign.chat_homes`);
  await instance.db.query.execute(sql`update countersign.plans set status = 'cancelled'`);
  await clearInbox(instance);
  const globex = await useWorkspace(use, 'Globex');
  const initech = await useWorkspace(use, 'Initech');
  const ask = async ({ user, channel }: { user: User; channel: string }, text: string) => {
    const before = slack.ephemerals(user.id).length;
    await slack.command(user.id, channel, '/plans', text);
    const [answer] = await waitFor(`the answer to ${text}`, async () => {
      const later = slack.ephemerals(user.id).slice(before);
      return later.length > 0 && later;
    });
    if (answer === undefined) throw new Error('There is no answer.');
    return { answer, shown: JSON.stringify(answer.blocks) };
  };
  return { ...use, globex, initech, ask, of: planOf(globex.card), own: planOf(initech.card) };
}

const without = (text: string, id: string) =>
  text.replaceAll(id, 'PLAN-').replace(/"block_id":"\w+"/g, '');

test('people of one workspace find no plan of another in lists, by its number or as a file', async () => {
  const { ask, globex, initech, of, own, slack } = await useTwo();
  for (const word of ['', 'all', 'pending']) {
    const { shown } = await ask(initech, word);
    expect(shown).toContain(own);
    expect(shown).not.toContain(of);
  }
  expect((await ask(initech, 'stats')).shown).toContain('1 waiting');
  const nothing = 'PLAN-00000000';
  for (const word of ['', ' export', ' log', ' trace']) {
    const { shown } = await ask(initech, `${of}${word}`);
    expect(without(shown, of)).toBe(without((await ask(initech, nothing + word)).shown, nothing));
    expect((await ask(globex, `${of}${word}`)).shown).not.toContain('There is no plan');
  }
  expect(JSON.stringify(slack.messages(slack.direct(initech.user.id).id))).not.toContain(of);
});

test('a Home shows the plans of its own workspace, and opens no other', async () => {
  const { instance, initech, of, own, slack } = await useTwo();
  await slack.openHome(initech.user.id);
  const home = await waitFor('the Home tab', async () => slack.home(initech.user.id));
  expect(JSON.stringify(home.blocks)).toContain(own);
  expect(JSON.stringify(home.blocks)).not.toContain(of);
  // The plan now belongs to another workspace.
  await instance.db.query.execute(sql`
    update countersign.plans set tenant = 'slack:T0ELSEWHERE' where id = ${own}`);
  await slack.press(initech.user.id, home, `countersign:details:${own}`);
  const shown = await waitFor('the window', async () => {
    const view = slack.views(initech.user.id).at(-1);
    const text = JSON.stringify(view?.blocks ?? '');
    return text.includes('There is no plan') && text;
  });
  expect(shown).not.toContain('Two of nothing');
});

test('a plan from elsewhere than a chat is shown to whoever asked for it or is asked in it, and to nobody else', async () => {
  const { ask, globex, initech, instance } = await useTwo();
  const account = ({ workspace, user }: typeof initech) => `slack:${workspace.id}:${user.id}`;
  const propose = (title: string, by: string, more: object = {}) =>
    instance.service.propose(
      { title, steps: [noop('a')], ...more },
      { user: by },
      person(by, 'api'),
    );
  const stranger = await propose('Of nobody here', 'zoe@example.com');
  const own = await propose('Asked for', account(initech));
  const asked = await propose('To be approved', 'zoe@example.com', {
    approvers: { kind: 'named', people: [account(initech)] },
  });
  const task = await propose('With a task', 'zoe@example.com', {
    steps: [
      draftStep('t', 'Look at it', 'human_task', {
        assignee: account(initech),
        question: 'Does it look right?',
      }),
    ],
  });
  const { version, digest } = task;
  await instance.service.approve(task.id, { version, digest }, person('zoe@example.com', 'api'));
  await waitFor(
    'the task',
    async () => (await instance.service.getPlan(task.id)).counts.waiting > 0,
  );
  const here = (await ask(initech, 'all')).shown;
  const there = (await ask(globex, 'all')).shown;
  for (const { id } of [own, asked, task]) {
    expect(here).toContain(id);
    expect(there).not.toContain(id);
    expect((await ask(initech, id)).shown).not.toContain('There is no plan');
  }
  for (const shown of [here, there]) expect(shown).not.toContain(stranger.id);
});
