// /plans and the Home tab, in Socket Mode.
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { person } from '#domain/people/actor.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop, reach } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { clearInbox, readInbox } from '../inbox/bench.ts';
import { useSlackInstance } from './slack-instance.ts';

const database = useDatabase();

const env = { COUNTERSIGN_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64') };

async function useLists() {
  const use = await useSlackInstance(database, { socket: true, env });
  const { slack, instance } = use;
  await clearInbox(instance);
  await instance.db.query.execute(sql`update countersign.plans set status = 'completed'`);
  const ana = slack.addUser({ name: 'ana' });
  const channel = slack.addChannel({ name: 'release', members: [ana.id], bot: false }).id;
  const propose = (title: string, by: string, steps = [noop('a'), noop('b')]) =>
    instance.service.propose({ title, steps }, { user: by }, person(by, 'api'));
  const ask = async (text: string) => {
    const before = slack.ephemerals(ana.id).length;
    await slack.command(ana.id, channel, '/plans', text);
    const answers = await waitFor(`the answer to ${text}`, async () => {
      const all = slack.ephemerals(ana.id);
      return all.length > before && all;
    });
    const answer = answers.at(-1);
    if (answer === undefined) throw new Error('There is no answer.');
    return { answer, shown: JSON.stringify(answer.blocks) };
  };
  return { ...use, ana, channel, propose, ask };
}

test('/plans says what waits, the reader first, and answers each subcommand', async () => {
  const { ask, propose } = await useLists();
  expect((await ask('')).shown).toContain('Nothing is waiting');
  const other = await propose('Of ben <!channel>', 'ben@example.com');
  const own = await propose('Of ana', 'ana@example.com');
  const { shown } = await ask('');
  expect(shown.indexOf(own.id)).toBeLessThan(shown.indexOf(other.id));
  expect(shown).toContain('Needs you');
  expect(shown).toContain('needs your approval');
  expect(shown).toContain('Waiting on others');
  expect((await ask('find BEN')).shown).toContain(other.id);
  expect((await ask('find ben ana')).shown).toContain('No plan has');
  expect((await ask('mine')).shown).not.toContain(other.id);
  expect((await ask('all')).shown).toContain(other.id);
  expect((await ask('running')).shown).toContain('Nothing is running');
  expect((await ask('stats')).shown).toContain('2 waiting');
  expect((await ask('help')).shown).toContain('/plans PLAN-');
  expect((await ask('nonsense')).shown).toContain('Unknown command: “/plans nonsense”');
  const one = await ask(own.id);
  expect(one.shown).toContain('Of ana');
  expect(one.shown).not.toContain('countersign:approve');
  const dry = await ask(`${own.id} dry run`);
  expect(dry.shown).toContain('2 steps to run');
  expect(dry.shown).toContain('data_table');
  expect((await ask('PLAN-00000000')).shown).toMatch(/no plan|not found|PLAN-00000000/i);
});

test('the Home tab lists plans, opens their details page by page, and keeps how one likes to be asked', async () => {
  const { slack, ana, instance, propose } = await useLists();
  const steps = Array.from({ length: 40 }, (_, i) => noop(`s${i}`));
  const plan = await propose('Forty', 'ana@example.com', steps);
  await slack.openHome(ana.id);
  const home = await waitFor('the Home tab', async () => slack.home(ana.id));
  expect(JSON.stringify(home.blocks)).toContain(plan.id);
  await slack.press(ana.id, home, `countersign:details:${plan.id}`);
  const page = (text: string) =>
    waitFor(`a page with ${text}`, async () => {
      const view = slack.views(ana.id).at(-1);
      return view !== undefined && JSON.stringify(view.blocks).includes(text) && view;
    });
  const first = await page('(s14)');
  await slack.press(ana.id, first, 'countersign:page:next');
  const second = await page('(s29)');
  expect(JSON.stringify(second.blocks)).not.toContain('15  Do');
  await slack.press(ana.id, second, 'countersign:page:back');
  await page('15  Do');
  await slack.press(ana.id, await page('15  Do'), 'countersign:page:dry');
  await page('Nothing was called');
  await slack.press(ana.id, home, 'countersign:policy:conversation_style', { pick: 'concise' });
  await waitFor('the policy', async () => {
    const { policy } = await instance.service.getPolicy('ana@example.com');
    return policy.conversation_style === 'concise';
  });
  await slack.press(ana.id, home, 'countersign:policy:calendar', {
    pick: 'webcal://calendar.example.com/private-1/basic.ics',
  });
  const shown = () => JSON.stringify(slack.home(ana.id)?.blocks);
  await waitFor('the calendar', async () => shown().includes('Connected: calendar.example.com'));
  expect(shown()).not.toContain('private-1');
  const inbox = () => readInbox(instance);
  await waitFor('the press', async () => (await inbox()).every(({ state }) => state === 'handled'));
  expect(JSON.stringify(await inbox())).not.toContain('private-1');
});

test('reminders are skipped once, changed in a window and ended from /plans reminders', async () => {
  const { slack, ana, instance, ask } = await useLists();
  const user = 'ana@example.com';
  const actor = person(user, 'api');
  const args = { text: 'Post the standup', rrule: 'FREQ=DAILY;BYHOUR=9;BYMINUTE=30' };
  const draft = { title: 'Remind', steps: [draftStep('r', 'Remind', 'reminder_set', args)] };
  const { id, digest } = await instance.service.propose(draft, { user }, actor);
  await instance.service.approve(id, { version: 1, digest }, actor);
  await reach(instance, id, 'completed');
  const entries = () => instance.service.listRecurring({ user });
  const [entry] = await entries();
  const { answer, shown } = await ask('reminders');
  expect(shown).toContain('Post the standup');
  expect(shown).toContain('You will not be reminded again');
  const current = () => slack.ephemerals(ana.id).find(({ ts }) => ts === answer.ts) ?? answer;
  const says = (words: string) =>
    waitFor(`“${words}”`, async () => JSON.stringify(current().blocks).includes(words));
  await slack.press(ana.id, current(), 'countersign:recurring:skip');
  await says('is left out at');
  expect((await entries())[0]?.next_at).toBe(entry?.then_at);
  await slack.press(ana.id, current(), 'countersign:recurring:change');
  const view = await waitFor('the window', async () => slack.views(ana.id).at(-1));
  const entered = { 'field:when/value': 'every Tuesday at 8:00', 'field:text/value': 'Post it' };
  await slack.submit(ana.id, view, entered);
  await says('Changed “Post it”');
  expect((await entries())[0]?.rule).toContain('Tuesday');
  await slack.press(ana.id, current(), 'countersign:recurring:end');
  await says('has ended');
  expect(await entries()).toEqual([]);
});
