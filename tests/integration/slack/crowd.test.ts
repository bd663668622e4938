// Many cards at once in one workspace, within Slack's limits: nothing is refused, and ended or answered cards go first.
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { followPlan } from '#chat/outbox/deliver-jobs.ts';
import { createEnqueue, openBoss } from '#db/boss.ts';
import { person } from '#domain/people/actor.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop, scriptedPlanner } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { useSlackInstance } from './slack-instance.ts';

const database = useDatabase();
const planner = scriptedPlanner(() => ({ kind: 'answer', text: 'Here.' }));
const cards = 60;
const ana = person('ana@example.com', 'slack');

test('of 60 cards that move, one that ends and an answer are shown before the others go on', {
  timeout: 120_000,
}, async () => {
  const { slack, instance } = await useSlackInstance(database, {
    planner,
    slack: { limits: 'real' },
    own: true,
  });
  const { db, service, openConversation } = instance;
  await db.query.execute(sql`delete from countersign.rate_limits`);
  const boss = await openBoss(db, instance.listener, { work: false, onError: () => {} });
  const enqueue = createEnqueue(boss);
  const user = slack.addUser({ name: 'ana' });
  const all = await Promise.all(
    Array.from({ length: cards }, async (_, n) => {
      const { id: channel } = slack.addChannel({ name: `c${n}`, members: [user.id] });
      const place = {
        platform: 'slack',
        tenant: slack.workspace.id,
        channel,
        thread: null,
      } as const;
      const conversation = await db.transaction((tx) => openConversation(tx, place));
      const steps = Array.from({ length: 8 }, (_step, i) => noop(`s${i}`));
      const plan = await service.propose(
        { title: `Plan ${n}`, steps },
        { user: ana.id, conversation },
        ana,
      );
      return { channel, id: plan.id };
    }),
  );
  await waitFor(
    'all cards',
    () => all.every(({ channel }) => slack.messages(channel).length === 1),
    { timeoutMs: 60_000 },
  );
  // They run, and their cards show it.
  await db.query.execute(sql`
    update countersign.plans set status = 'executing', approved_digest = digest, ready = 0, pending = 8, paused_at = now()`);
  for (const { id } of all) await followPlan({ db, enqueue: async () => {} }, id);
  await db.query.execute(sql`
    update countersign.chat_posts set answered = asked, urgent = false, shown_at = now() - interval '1 minute'`);
  slack.forget();
  const move = async () => {
    await db.query.execute(sql`
      update countersign.plans set pending = pending - 1, succeeded = succeeded + 1 where status = 'executing'`);
    for (const { id } of all)
      await followPlan({ db, enqueue }, id, { later: true, progress: true });
  };
  const updates = () => slack.calls.filter(({ method }) => method === 'chat.update');
  for (let round = 0; round < 3; round++) await move();
  await waitFor('some progress', () => updates().length >= 3, { timeoutMs: 20_000 });

  const last = all.at(-1) ?? expect.fail('there are many');
  const before = updates().length;
  await move();
  await service.cancel(last.id, { version: 1 }, ana);
  const isIn = (channel: string) => (call: { parameters: object }) =>
    JSON.stringify(call.parameters).includes(channel);
  const isOf = isIn(last.channel);
  await waitFor('the card that has ended', () => updates().slice(before).some(isOf));
  expect(updates().slice(before).findIndex(isOf)).toBeLessThanOrEqual(3);

  const asked = updates().length;
  await move();
  const channel = all[0]?.channel ?? '';
  await slack.mention(user.id, channel, 'hello');
  const posts = () =>
    slack.calls.filter(({ method }) => method === 'chat.postMessage').filter(isIn(channel));
  await waitFor('the answer', () => posts().length > 0);
  expect(updates().length - asked).toBeLessThanOrEqual(4);
  expect(
    slack.calls.filter(({ answer }) => JSON.stringify(answer ?? '').includes('ratelimited')),
  ).toEqual([]);
  await boss.stop({ graceful: false });
});
