// What went wrong elsewhere, and must not here: one test a story, as far as chats can tell it. Beside these: retries that were dropped
// are in receiving.test.ts ("what cannot be stored is not acknowledged"), look-ups before a dialog in windows.test.ts ("a window opens
// although the database does not answer"), presses from elsewhere in deciding.test.ts and security.test.ts.
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { placeOf } from '#adapters/slack/place.ts';
import { conversationAt } from '#domain/chat/chat.ts';
import type { Signal } from '../../fixtures/slack/delivery.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop, reach, scriptedPlanner } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { clearInbox, settled } from '../inbox/bench.ts';
import { askFor, type Desk, lookAgain, openWindow, seeCard, told, useDesk } from './desk.ts';

const database = useDatabase();
const planner = scriptedPlanner(({ text, revision }) => {
  if (text.startsWith('plan'))
    return {
      kind: 'proposal',
      draft: { title: `For “${text}”`, steps: [noop('a'), noop('b', 'a')] },
    };
  if (revision !== null)
    return { kind: 'proposal', draft: { title: 'Revised', steps: [noop('c')] } };
  return { kind: 'answer', text: `Heard: ${text}` };
});
const useStory = () => useDesk(database, { planner });

/** A press once more, as a new one of the same card. */
function pressAgain({ slack }: Desk, signal: Signal, count: number) {
  return slack.replay(signal, (payload) => {
    const { actions } = payload as { actions: { action_ts: string }[] };
    for (const action of actions) action.action_ts = `1700000000.00000${count}`;
    Object.assign(payload, { trigger_id: `again.${count}` });
  });
}

async function attemptsOf({ instance }: Desk, plan: string): Promise<number> {
  const { rows } = await instance.db.query.execute(
    sql`select from countersign.step_attempts where plan_id = ${plan}`,
  );
  return rows.length;
}

test('two presses on Approve a second apart run the work once', async () => {
  const desk = await useStory();
  const { slack, ana, instance } = desk;
  const { card, plan } = await askFor(desk, 'plan it');
  const { delivery } = await slack.press(ana.id, card, 'countersign:approve');
  await Promise.all([1, 2, 3].map((count) => pressAgain(desk, delivery.signal, count)));
  const done = await reach(instance, plan.id, 'completed');
  await settled(instance);
  expect(done.approvals).toHaveLength(1);
  expect(await attemptsOf(desk, plan.id)).toBe(2);
});

test('the same press delivered twice is one press', async () => {
  const desk = await useStory();
  const { slack, ana, instance } = desk;
  const { card, plan } = await askFor(desk, 'plan it');
  await clearInbox(instance);
  const { delivery } = await slack.press(ana.id, card, 'countersign:approve');
  await slack.replay(delivery.signal);
  await reach(instance, plan.id, 'completed');
  const presses = (await settled(instance)).filter(({ body }) => body.startsWith('payload='));
  expect(presses).toHaveLength(1);
  expect(slack.ephemerals(ana.id)).toEqual([]);
});

test('an approval whose job is lost is started all the same', async () => {
  const desk = await useStory();
  const { slack, ana, instance } = desk;
  const { card, plan } = await askFor(desk, 'plan it');
  await instance.db.query.execute(sql`
    create function lose_job() returns trigger language plpgsql as 'begin return null; end'`);
  await instance.db.query.execute(sql`
    create trigger lose before insert on pgboss.job for each row when (new.name = 'step') execute function lose_job()`);
  try {
    await slack.press(ana.id, card, 'countersign:approve');
    await reach(instance, plan.id, 'approved');
    const { rows } = await instance.db.query.execute(
      sql`select from pgboss.job where name = 'step' and data->>'plan_id' = ${plan.id}`,
    );
    expect(rows).toEqual([]);
  } finally {
    await instance.db.query.execute(sql`drop function lose_job() cascade`);
  }
  await reach(instance, plan.id, 'completed');
});

test('an old card that is approved after a revision does not run the new plan', async () => {
  const desk = await useStory();
  const { slack, ana, ben, instance } = desk;
  const { card, plan, root } = await askFor(desk, 'plan it');
  const { delivery } = await slack.press(ben.id, card, 'countersign:approve');
  await told(desk, ben);
  const view = await openWindow(desk, ana, card, 'countersign:propose_changes');
  await slack.submit(ana.id, view, { value: 'only c' });
  await waitFor('version 2', async () => (await instance.service.getPlan(plan.id)).version === 2);
  await slack.replay(delivery.signal, (payload) => {
    const { user } = payload as { user: { id: string } };
    user.id = ana.id;
    Object.assign(payload, { trigger_id: 'old.1' });
  });
  expect((await told(desk, ana))[0]).toContain('version 2 is below');
  expect(await instance.service.getPlan(plan.id)).toMatchObject({ status: 'proposed', version: 2 });
  await waitFor('the old card without buttons', async () =>
    lookAgain(desk, card).blocks.every(({ type }) => type !== 'actions'),
  );
  await seeCard(desk, root);
});

test('a word that was written before a revision came does not run the new plan', async () => {
  const desk = await useStory();
  const { slack, ana, channel, instance } = desk;
  const { card, plan, root } = await askFor(desk, 'plan it');
  const { deliveries } = await slack.say(ana.id, channel, 'status', { thread_ts: root });
  const [told] = deliveries;
  if (told === undefined) throw new Error('Nothing was delivered.');
  const view = await openWindow(desk, ana, card, 'countersign:propose_changes');
  await slack.submit(ana.id, view, { value: 'only c' });
  await waitFor('the card of version 2', async () =>
    slack
      .replies(channel, root)
      .some(({ text }) => text.includes('Revised') || text.includes('version 2')),
  );
  // Clocks may differ by a second; it was written well before.
  await slack.replay(told.signal, (payload) => {
    const said = payload as { event_id: string; event: { text: string; ts: string } };
    said.event_id = 'Ev0LATE';
    said.event.text = 'approve';
    said.event.ts = `${Math.floor(Number(card.ts)) - 5}.000001`;
  });
  await waitFor('the refusal', async () =>
    slack.replies(channel, root).some(({ text }) => text.includes('came after you wrote that')),
  );
  expect(await instance.service.getPlan(plan.id)).toMatchObject({ status: 'proposed', version: 2 });
  await slack.say(ana.id, channel, 'approve', { thread_ts: root });
  await reach(instance, plan.id, 'completed');
});

test('approving one card decides about no other', async () => {
  const desk = await useStory();
  const { slack, ana, instance } = desk;
  const first = await askFor(desk, 'plan one');
  const second = await askFor(desk, 'plan two');
  await slack.press(ana.id, first.card, 'countersign:approve');
  await reach(instance, first.plan.id, 'completed');
  expect((await instance.service.getPlan(second.plan.id)).status).toBe('proposed');
});

test.each([
  'looks good, but what about b?',
  'approved by my boss, I think',
  'no, do not approve this',
  'yes',
  'LGTM :+1:',
])('a plan that is commented on (“%s”) keeps its gate', async (comment) => {
  const desk = await useStory();
  const { slack, ana, channel, instance } = desk;
  const { plan, root } = await askFor(desk, 'plan it');
  await slack.say(ana.id, channel, comment, { thread_ts: root });
  await waitFor('it to be heard', async () => {
    const conversation = conversationAt(placeOf(slack.workspace.id, channel, root));
    const messages = await instance.service.messages(conversation, { limit: 50 });
    const at = messages.findIndex(({ text }) => text === comment.replace(/^@\S+ /, ''));
    return at >= 0 && messages.length > at + 1;
  });
  await settled(instance);
  expect((await instance.service.getPlan(plan.id)).approvals).toEqual([]);
  expect(await attemptsOf(desk, plan.id)).toBe(0);
});

test('a rejection in words is no approval, whatever stands around it', async () => {
  const desk = await useStory();
  const { slack, ana, channel, instance } = desk;
  const { plan, root } = await askFor(desk, 'plan it');
  await slack.say(ana.id, channel, 'reject', { thread_ts: root });
  await reach(instance, plan.id, 'rejected');
  expect(await attemptsOf(desk, plan.id)).toBe(0);
});

test('a message that comes eleven times under different event ids is heard once', async () => {
  const desk = await useStory();
  const { slack, ana, channel, instance } = desk;
  const { message, deliveries } = await slack.mention(ana.id, channel, 'hello');
  const [delivery] = deliveries;
  if (delivery === undefined) throw new Error('Nothing was sent.');
  for (let count = 1; count <= 11; count++) {
    const { status } = await slack.replay(delivery.signal, (payload) => {
      payload.event_id = `EvAGAIN${count}`;
    });
    expect(status).toBe(200);
  }
  await waitFor('the answer', async () => slack.replies(channel, message.ts).length === 1);
  await settled(instance);
  expect(slack.replies(channel, message.ts)).toHaveLength(1);
  const { rows } = await instance.db.query.execute(
    sql`select from countersign.runs where request = 'hello'`,
  );
  expect(rows).toHaveLength(1);
});

test('a retry whose first try never came is heard', async () => {
  const desk = await useStory();
  const { slack, ana, channel, instance } = desk;
  const { message, deliveries } = await slack.mention(ana.id, channel, 'first');
  const [delivery] = deliveries;
  if (delivery === undefined) throw new Error('Nothing was sent.');
  await waitFor('the answer', async () => slack.replies(channel, message.ts).length === 1);
  const headers = { 'x-slack-retry-num': '2', 'x-slack-retry-reason': 'http_timeout' };
  await slack.replay(
    delivery.signal,
    (payload) => {
      payload.event_id = 'EvLATE';
      const { event } = payload as { event: { ts: string; text: string } };
      event.ts = '1700000001.000100';
      event.text = event.text.replace('first', 'second');
    },
    { headers },
  );
  await settled(instance);
  const conversation = conversationAt(placeOf(slack.workspace.id, channel, '1700000001.000100'));
  const said = await instance.service.messages(conversation, { limit: 10 });
  expect(said[0]?.text).toBe('second');
});

test('the acknowledgement waits for no call elsewhere and no look at plans', async () => {
  const desk = await useStory();
  const { slack, ana, instance } = desk;
  const { card, plan } = await askFor(desk, 'plan it');
  const free = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const blocked = instance.db.transaction(async (tx) => {
    await tx.execute(sql`lock table countersign.plans, countersign.runs in access exclusive mode`);
    held.resolve();
    await free.promise;
  });
  await held.promise;
  const { answer } = await slack.press(ana.id, card, 'countersign:approve');
  expect([answer.status, answer.failure]).toEqual([200, null]);
  free.resolve();
  await blocked;
  const done = await reach(instance, plan.id, 'completed');
  expect(done.approvals).toHaveLength(1);
});

test('a card that Slack will not take any more loses its live buttons all the same', async () => {
  const desk = await useStory();
  const { slack, ana, instance } = desk;
  const { card, plan } = await askFor(desk, 'plan it');
  slack.fail('chat.update', { error: 'msg_blocks_too_long' });
  await slack.press(ana.id, card, 'countersign:approve');
  await waitFor('the buttons to be gone', async () =>
    lookAgain(desk, card).blocks.every(({ type }) => type !== 'actions'),
  );
  await reach(instance, plan.id, 'completed');
});

test('a reply reaches its own thread’s plan and no other', async () => {
  const desk = await useStory();
  const { slack, ana, channel, instance } = desk;
  const first = await askFor(desk, 'plan one');
  const second = await askFor(desk, 'plan two');
  const other = await slack.say(ana.id, channel, 'something else');
  await slack.say(ana.id, channel, 'approve', { thread_ts: other.message.ts });
  await slack.say(ana.id, channel, 'approve');
  await slack.say(ana.id, channel, 'approve', { thread_ts: second.root });
  await reach(instance, second.plan.id, 'completed');
  await settled(instance);
  expect((await instance.service.getPlan(first.plan.id)).status).toBe('proposed');
});

test('a look-up that only reads is answered without a card, and asks nobody for anything', async () => {
  // Of the offline planner: what is a look-up is decided by what it would do.
  const desk = await useDesk(database);
  const { slack, ana, channel, instance } = desk;
  const { message } = await slack.mention(ana.id, channel, 'What is in the workspace?');
  const answer = await waitFor('the answer', async () => slack.replies(channel, message.ts)[0]);
  await settled(instance);
  expect(slack.replies(channel, message.ts)).toHaveLength(1);
  expect(answer.blocks.map(({ type }) => type)).not.toContain('actions');
  expect(JSON.stringify(answer.blocks)).not.toMatch(/countersign:|PLAN-/);
  const conversation = conversationAt(placeOf(slack.workspace.id, channel, message.ts));
  expect((await instance.service.listPlans({ conversation, limit: 10 })).plans).toEqual([]);
});

test('a plan that nobody decided about is cancelled by time, and never called rejected', async () => {
  const desk = await useStory();
  const { slack, channel, instance } = desk;
  const { card, plan, root } = await askFor(desk, 'plan it');
  await instance.db.query.execute(sql`
    update countersign.plan_versions set created_at = created_at - interval '8 days' where plan_id = ${plan.id}`);
  // As its schedule does every ten minutes.
  await instance.db.query.execute(sql`
    insert into pgboss.job (name, data, policy) select name, '{}', policy from pgboss.queue where name = 'expire'`);
  const ended = await reach(instance, plan.id, 'cancelled');
  expect(ended).toMatchObject({ decided_by: null, rejection_history: [], approvals: [] });
  await waitFor('the card without buttons', async () =>
    lookAgain(desk, card).blocks.every(({ type }) => type !== 'actions'),
  );
  await waitFor('the notice', async () =>
    slack.replies(channel, root).some(({ text }) => text.includes('Nobody decided within 7 days')),
  );
  const said = JSON.stringify(
    slack.replies(channel, root).map(({ blocks, text }) => [blocks, text]),
  );
  expect(said).toContain('Nobody decided within 7 days');
  expect(said).not.toMatch(/reject(?:ed|ion)/i);
});
