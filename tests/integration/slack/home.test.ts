// The Home tab follows plans while open, at Slack's pace.
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { person } from '#domain/people/actor.ts';
import type { User } from '../../fixtures/slack/types.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop, reach, scriptedPlanner } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { clearInbox } from '../inbox/bench.ts';
import { useSlackInstance } from './slack-instance.ts';

const database = useDatabase();
const planner = scriptedPlanner(() => ({ kind: 'answer', text: 'Heard.' }));

async function useHome(settings: object = {}) {
  const use = await useSlackInstance(database, { planner, settings });
  const { slack, instance } = use;
  await clearInbox(instance);
  await instance.db.query.execute(sql`truncate countersign.chat_homes`);
  await instance.db.query.execute(sql`update countersign.plans set status = 'cancelled'`);
  const ana = slack.addUser({ name: 'ana' });
  const propose = (title: string, by: string, steps: object[] = [noop('a')]) =>
    instance.service.propose({ title, steps: steps as never }, { user: by }, person(by, 'api'));
  const shown = (user: User = ana) => JSON.stringify(slack.home(user.id)?.blocks ?? []);
  const drawn = () => slack.calls.filter(({ method }) => method === 'views.publish').length;
  const open = async (user: User = ana) => {
    const before = drawn();
    await slack.openHome(user.id);
    await waitFor('the Home tab', async () => drawn() > before && shown(user) !== '[]');
  };
  // Skips the pause between draws.
  const shows = (what: string, isShown: (blocks: string) => boolean) =>
    waitFor(what, async () => {
      await instance.db.query.execute(sql`update countersign.chat_homes set not_before = null`);
      return isShown(shown());
    });
  return { ...use, ana, propose, shown, shows, drawn, open };
}

test('it is drawn anew when a plan changes, and shows what waits for the reader before anything else', async () => {
  const { instance, open, propose, shown, shows } = await useHome();
  const early = await propose('Of ana', 'ana@example.com');
  await open();
  const other = await propose('Of ben', 'ben@example.com');
  await shows('the other plan', (blocks) => blocks.includes(other.id));
  expect(shown()).toMatch(new RegExp(`Needs you.*${early.id}.*Waiting on others.*${other.id}`));
  const { version, digest } = early;
  await instance.service.approve(early.id, { version, digest }, person('ana@example.com', 'api'));
  await reach(instance, early.id, 'completed');
  await shows('it to be gone', (blocks) => !blocks.includes(early.id));
  expect(shown()).not.toContain('Needs you');
});

test('however often plans change, Slack is asked seldom, and the latest state stands there in the end', async () => {
  const { instance, open, propose, shown, drawn } = await useHome();
  await open();
  const before = drawn();
  const ids: string[] = [];
  for (let i = 0; i < 15; i++) ids.push((await propose(`Plan ${i}`, 'ana@example.com')).id);
  const last = ids.at(-1) ?? '';
  await waitFor('the last plan', async () => shown().includes(last));
  for (const id of ids) expect(shown()).toContain(id);
  expect(drawn() - before).toBeLessThanOrEqual(4);
  const rest = () =>
    waitFor('nothing to be drawn', async () => {
      const { rows } = await instance.db.query.execute(
        sql`update countersign.chat_homes set not_before = null where stale or lease_until is not null returning 1`,
      );
      return rows.length === 0;
    });
  await rest();
  const settled = drawn();
  await instance.db.query.execute(
    sql`update countersign.chat_homes set stale = true, not_before = null`,
  );
  await rest();
  expect(drawn()).toBe(settled);
});

test('when Slack wants to be left alone it is, and then shows the latest state', async () => {
  const { slack, instance, open, propose, shown } = await useHome();
  await open();
  slack.fail('views.publish', { status: 429, retryAfter: 1 });
  const first = await propose('First', 'ana@example.com');
  const isRefused = ({ method, answer }: (typeof slack.calls)[number]) =>
    method === 'views.publish' && answer !== 'none' && answer.status === 429;
  await instance.db.query.execute(sql`update countersign.chat_homes set not_before = null`);
  await waitFor('the refusal', () => slack.calls.some(isRefused));
  const second = await propose('Second', 'ana@example.com');
  await waitFor('both', async () => shown().includes(first.id) && shown().includes(second.id));
  const calls = slack.calls.filter(({ method }) => method === 'views.publish');
  const [a, b] = calls.slice(calls.findIndex(isRefused));
  expect((b?.at ?? 0) - (a?.at ?? 0)).toBeGreaterThanOrEqual(1000);
});

test('a Home that nobody can be shown any more is not followed, until it is opened again', async () => {
  const { slack, instance, open, propose, shown } = await useHome();
  await open();
  slack.fail('views.publish', { error: 'not_enabled' });
  await propose('Unseen', 'ana@example.com');
  await waitFor('it to be forgotten', async () => {
    const { rows } = await instance.db.query.execute(
      sql`update countersign.chat_homes set not_before = null returning 1`,
    );
    return rows.length === 0;
  });
  await open();
  expect(shown()).toContain('Unseen');
});
