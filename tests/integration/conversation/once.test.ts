// Idempotent messages, and the conversation of a plan or run.
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { isBeingPosted } from '#db/chat/shown.ts';
import type { PatchOperation } from '#domain/plan/patch.ts';
import type { Plan } from '#domain/plan/plan.ts';
import { ana, ben, noop, reach, scriptedPlanner } from '../../setup/instance.ts';
import { readsOf } from '../../setup/reads.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

const planner = scriptedPlanner(({ text }) =>
  text.startsWith('plan')
    ? {
        kind: 'proposal',
        draft: {
          title: 'Nothing',
          steps: text === 'plan two' ? [noop('a'), noop('b')] : [noop('a')],
        },
      }
    : { kind: 'answer', text: `Heard: ${text}` },
);

const instance = useInstance({ planner });

const { textsIn } = readsOf(() => instance);

const times = (count: number) => Array.from({ length: count }, (_, i) => i);

async function planIn(conversation: string, text = 'plan it'): Promise<Plan> {
  const { run_id } = await instance.service.say(conversation, text, ana);
  const run = await waitFor('the plan', async () => {
    const now = await instance.service.getRun(run_id ?? '');
    return now.plan_id === undefined ? null : now;
  });
  return instance.service.getPlan(run.plan_id ?? '');
}

test('ten tries of one request at once begin one run, and all of them name it', async () => {
  const tries = times(10).map(() =>
    instance.service.say('slack-request', 'what is new?', ana, { once: 'test:request' }),
  );
  const runs = new Set((await Promise.all(tries)).map(({ run_id }) => run_id));
  expect(runs.size).toBe(1);
  await waitFor('the answer', async () => (await textsIn('slack-request')).length === 2);
  expect(await textsIn('slack-request')).toEqual(['what is new?', 'Heard: what is new?']);
});

test('ten tries of one word at once decide once, and nobody reads that it was decided already', async () => {
  const plan = await planIn('slack-word');
  await Promise.all(
    times(10).map(() => instance.service.say('slack-word', 'approve', ana, { once: 'test:word' })),
  );
  const done = await reach(instance, plan.id, 'completed');
  expect(done.approvals).toHaveLength(1);
  const texts = await textsIn('slack-word');
  expect(texts.filter((text) => text === 'approve')).toHaveLength(1);
  expect(texts.filter((text) => text.includes('changed nothing'))).toEqual([]);
});

test('a word that is refused is said and answered once', async () => {
  const plan = await planIn('slack-refused');
  for (const _ of times(3)) {
    await instance.service.say('slack-refused', 'approve', ben, { once: 'test:refused' });
  }
  const texts = await textsIn('slack-refused');
  expect(texts.filter((text) => text === 'approve')).toHaveLength(1);
  expect(texts.filter((text) => text.startsWith('Only ana'))).toHaveLength(1);
  expect((await instance.service.getPlan(plan.id)).status).toBe('proposed');
});

test('the same words under another name are another message', async () => {
  await instance.service.say('slack-other', 'hello', ana, { once: 'test:one' });
  await waitFor('an answer', async () => (await textsIn('slack-other')).length === 2);
  await instance.service.say('slack-other', 'hello', ana, { once: 'test:two' });
  await waitFor('both answers', async () => (await textsIn('slack-other')).length === 4);
});

test('an answer that was meant for an earlier turn answers nothing', async () => {
  const { run_id } = await instance.service.say('slack-turn', 'hello', ana);
  const id = run_id ?? '';
  await waitFor('the answer', async () => (await textsIn('slack-turn')).length === 2);
  await expect(instance.service.reply(id, 'blue', ana, { turn: 0 })).rejects.toMatchObject({
    code: 'stale_version',
  });
  expect(await textsIn('slack-turn')).toHaveLength(2);
  const tries = times(5).map(() =>
    instance.service.reply(id, 'blue', ana, { turn: 1, once: 'test:answer' }),
  );
  await Promise.all(tries);
  await waitFor('its answer', async () => (await textsIn('slack-turn')).length === 4);
});

test('a plan belongs where it was made and where it was shown, a run where it was begun', async () => {
  const plan = await planIn('slack-home');
  const { service } = instance;
  expect(await service.isAbout('slack-home', { plan_id: plan.id })).toBe(true);
  expect(await service.isAbout('slack-elsewhere', { plan_id: plan.id })).toBe(false);
  const [message] = await service.messages('slack-home', { limit: 1 });
  const run_id = message?.run_id ?? '';
  expect(await service.isAbout('slack-home', { run_id })).toBe(true);
  expect(await service.isAbout('slack-elsewhere', { run_id })).toBe(false);
  await expect(service.isAbout('slack-home', { run_id: 'run-none' })).rejects.toMatchObject({
    code: 'run_not_found',
  });
});

test('a deciding word that is heard more than half an hour after it was written decides nothing, and says so', async () => {
  const plan = await planIn('slack-late');
  const minutesAgo = (minutes: number) => ({ written_at: new Date(Date.now() - minutes * 60_000) });
  for (const word of ['approve', 'cancel', 'propose changes: less'])
    await instance.service.say('slack-late', word, ana, minutesAgo(31));
  expect((await instance.service.getPlan(plan.id)).status).toBe('proposed');
  const texts = await textsIn('slack-late');
  expect(texts.filter((text) => text.includes('more than half an hour ago'))).toHaveLength(3);
  await instance.service.say('slack-late', 'status', ana, minutesAgo(31));
  expect(
    (await textsIn('slack-late')).some((text) => text.includes('is waiting for approval')),
  ).toBe(true);
  await instance.service.say('slack-late', 'approve', ana, minutesAgo(29));
  await reach(instance, plan.id, 'completed');
});

async function liveOnPlatform(conversation: string): Promise<void> {
  await instance.db.query.execute(sql`
    insert into countersign.chat_places (conversation, platform, tenant, channel)
    values (${conversation}, 'slack', 'T1', ${conversation})`);
}

async function keepCard(
  conversation: string,
  planId: string,
  state: 'sending' | 'posted',
  sentAt: Date | null = null,
): Promise<void> {
  const at = sentAt?.toISOString() ?? null;
  await instance.db.query.execute(sql`
    insert into countersign.chat_posts (message_id, conversation, plan_id, key, state, live, sent_at, shown_at)
    select max(id), ${conversation}, ${planId}, ${conversation}, ${state}, true, ${at}::timestamptz, ${at}::timestamptz
    from countersign.messages where conversation = ${conversation}`);
}

test('a word that comes while its card is being posted waits until it is known when that stood there', async () => {
  const plan = await planIn('slack-9072832c300747e2aedfbd23b318d2ac');
  const { query } = instance.db;
  await liveOnPlatform('slack-9072832c300747e2aedfbd23b318d2ac');
  await keepCard('slack-9072832c300747e2aedfbd23b318d2ac', plan.id, 'sending');
  const written_at = new Date();
  const approve = (at: Date) =>
    instance.service.say('slack-9072832c300747e2aedfbd23b318d2ac', 'approve', ana, {
      once: 'test:posting',
      written_at: at,
    });
  await expect(approve(written_at)).rejects.toMatchObject({ passesAfterMs: 0 });
  expect(await textsIn('slack-9072832c300747e2aedfbd23b318d2ac')).not.toContain('approve');
  await query.execute(sql`
    update countersign.chat_posts set state = 'posted', sent_at = ${written_at.toISOString()}
    where conversation = 'slack-9072832c300747e2aedfbd23b318d2ac'`);
  await approve(written_at);
  await reach(instance, plan.id, 'completed');
});

test('a word does not wait for long, and not for the card of something else', async () => {
  const plan = await planIn('slack-9c885af10d5807bc72fb85235576db5f');
  const { query } = instance.db;
  await liveOnPlatform('slack-9c885af10d5807bc72fb85235576db5f');
  const approve = (ago: number) =>
    instance.service.say('slack-9c885af10d5807bc72fb85235576db5f', 'approve', ana, {
      written_at: new Date(Date.now() - ago),
    });
  await query.execute(sql`
    insert into countersign.chat_posts (message_id, conversation, plan_id, key, state, live)
    values (0, 'slack-9c885af10d5807bc72fb85235576db5f', 'PLAN-00000000', 'other', 'sending', true)`);
  await approve(0);
  await keepCard('slack-9c885af10d5807bc72fb85235576db5f', plan.id, 'sending');
  await approve(61_000);
  const texts = await textsIn('slack-9c885af10d5807bc72fb85235576db5f');
  expect(texts.filter((text) => text.includes('came after you wrote that'))).toHaveLength(2);
  expect((await instance.service.getPlan(plan.id)).status).toBe('proposed');
});

test('a word does not wait for a card while another of the plan stands there, which it may be about', async () => {
  const plan = await planIn('slack-190504a3b90b1557852d525a2ee33ca2');
  const { query } = instance.db;
  await liveOnPlatform('slack-190504a3b90b1557852d525a2ee33ca2');
  await keepCard('slack-190504a3b90b1557852d525a2ee33ca2', plan.id, 'sending');
  await query.execute(sql`
    insert into countersign.chat_posts (message_id, conversation, plan_id, key, state, live, sent_at)
    values (-7, 'slack-190504a3b90b1557852d525a2ee33ca2', ${plan.id}, 'before', 'posted', false, clock_timestamp() + interval '1 hour')`);
  await instance.service.say('slack-190504a3b90b1557852d525a2ee33ca2', 'approve', ana, {
    written_at: new Date(),
  });
  expect((await textsIn('slack-190504a3b90b1557852d525a2ee33ca2')).join()).toContain(
    'came after you wrote that',
  );
  expect((await instance.service.getPlan(plan.id)).status).toBe('proposed');
});

test('a word decides nothing about a version that the card was not drawn for, however late the card was changed', async () => {
  const here = 'slack-1a7e0c0de1a7e0c0de1a7e0c0de1a7e0';
  const plan = await planIn(here, 'plan two');
  await liveOnPlatform(here);
  await keepCard(here, plan.id, 'posted', new Date());
  const { revision } = await instance.service.overview(plan.id);
  const operations: PatchOperation[] = [{ op: 'remove_steps', steps: { ids: ['b'] } }];
  await instance.service.patch(plan.id, { base_revision: revision, operations }, ana);
  expect((await instance.service.getPlan(plan.id)).version).toBe(2);
  const show = (version: number) =>
    instance.db.query.execute(sql`
      update countersign.chat_posts set shown_at = clock_timestamp(), shown_version = ${version}
      where conversation = ${here}`);
  const approve = (from = Date.now(), inMs = 10) =>
    instance.service.say(here, 'approve', ana, { written_at: new Date(from + inMs) });
  // The platform answered an update drawn before the patch.
  await show(1);
  await approve();
  expect((await textsIn(here)).join()).toContain('came after you wrote that');
  expect((await instance.service.getPlan(plan.id)).status).toBe('proposed');
  const shown = Date.now();
  await show(2);
  // Another version was shown when they began to type.
  for (const inMs of [200, 1000, 1500]) await approve(shown, inMs);
  expect((await textsIn(here)).filter((text) => text.includes('arrived just before'))).toHaveLength(
    3,
  );
  expect((await instance.service.getPlan(plan.id)).status).toBe('proposed');
  await approve(shown, 10_000);
  await reach(instance, plan.id, 'completed');
});

test('a word that was written just before the card stood there decides nothing, one at that moment does', async () => {
  const plan = await planIn('slack-01d2ae7fc7bcf88debaf7ac8ac5e21f2');
  await liveOnPlatform('slack-01d2ae7fc7bcf88debaf7ac8ac5e21f2');
  const postedAt = new Date();
  await keepCard('slack-01d2ae7fc7bcf88debaf7ac8ac5e21f2', plan.id, 'posted', postedAt);
  const approve = (written_at: Date) =>
    instance.service.say('slack-01d2ae7fc7bcf88debaf7ac8ac5e21f2', 'approve', ana, { written_at });
  await approve(new Date(postedAt.getTime() - 1));
  expect((await textsIn('slack-01d2ae7fc7bcf88debaf7ac8ac5e21f2')).join()).toContain(
    'came after you wrote that',
  );
  expect((await instance.service.getPlan(plan.id)).status).toBe('proposed');
  await approve(postedAt);
  await reach(instance, plan.id, 'completed');
});

test('what is being posted of a planning session is what one of its turns showed', async () => {
  const { query } = instance.db;
  await query.execute(sql`
    insert into countersign.chat_posts (message_id, conversation, run_id, run_turn, key, state, live)
    values (-1, 'slack-session', 'run-one', 2, 'session', 'sending', true)`);
  const find = (run_id: string, turn: number, conversation = 'slack-session') =>
    isBeingPosted(query, conversation, { run_id, turn });
  expect(await find('run-one', 2)).toBe(true);
  expect(await find('run-one', 1)).toBe(false);
  expect(await find('run-two', 2)).toBe(false);
  expect(await find('run-one', 2, 'slack-elsewhere')).toBe(false);
  await query.execute(sql`
    insert into countersign.chat_posts (message_id, conversation, run_id, run_turn, key, state, live)
    values (-2, 'slack-session', 'run-one', 1, 'session before', 'posted', false)`);
  expect(await find('run-one', 2)).toBe(false);
  await query.execute(sql`update countersign.chat_posts set state = 'gone' where message_id = -2`);
  expect(await find('run-one', 2)).toBe(true);
  await query.execute(
    sql`update countersign.chat_posts set state = 'posted' where message_id = -1`,
  );
  expect(await find('run-one', 2)).toBe(false);
});
