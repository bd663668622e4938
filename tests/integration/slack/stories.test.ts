// Failures of other products that must not happen here: one test per story, as far as chats show it.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { placeOf } from '#adapters/slack/place.ts';
import { conversationAt } from '#domain/chat/chat.ts';
import { person } from '#domain/people/actor.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop, reach, scriptedPlanner } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { settled } from '../inbox/bench.ts';
import { approve, askFor, type Desk, openWindow, seeCard, useDesk } from './desk.ts';

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

async function attemptsOf({ instance }: Desk, plan: string): Promise<number> {
  const { rows } = await instance.db.query.execute(
    sql`select from countersign.step_attempts where plan_id = ${plan}`,
  );
  return rows.length;
}

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
  // Nor one that was begun before: it is answered with the buttons.
  await slack.say(ana.id, channel, 'approve', { thread_ts: root });
  await waitFor('the question', async () =>
    slack.replies(channel, root).some(({ text }) => text.includes('arrived just before')),
  );
  expect(await instance.service.getPlan(plan.id)).toMatchObject({ status: 'proposed', version: 2 });
  await seeCard(desk, root);
  await slack.replay(told.signal, (payload) => {
    const said = payload as { event_id: string; event: { text: string; ts: string } };
    said.event_id = 'Ev0READ';
    said.event.text = 'approve';
    said.event.ts = `${Math.ceil(Date.now() / 1000) + 5}.000001`;
  });
  await reach(instance, plan.id, 'completed');
});

test('a plan that is commented on keeps its gate', async () => {
  const desk = await useStory();
  const { slack, ana, channel, instance } = desk;
  const { plan, root } = await askFor(desk, 'plan it');
  const conversation = conversationAt(placeOf(slack.workspace.id, channel, root));
  for (const comment of [
    'looks good, but what about b?',
    'approved by my boss, I think',
    'no, do not approve this',
    'yes',
    'LGTM :+1:',
  ]) {
    await slack.say(ana.id, channel, comment, { thread_ts: root });
    await waitFor(`an answer to “${comment}”`, async () => {
      const messages = await instance.service.messages(conversation, { limit: 50 });
      const at = messages.findIndex(({ text }) => text === comment);
      return at >= 0 && messages.length > at + 1;
    });
  }
  await settled(instance);
  expect((await instance.service.getPlan(plan.id)).approvals).toEqual([]);
  expect(await attemptsOf(desk, plan.id)).toBe(0);
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

const failing = scriptedPlanner(() => ({
  kind: 'proposal',
  draft: {
    title: 'Read',
    steps: [draftStep('a', 'Read', 'workspace_read', { path: 'nowhere.md' })],
  },
}));

test('a failed step is edited and retried in a window, and the finished plan saved as a playbook', async () => {
  const desk = await useDesk(database, { planner: failing });
  const { slack, ana, instance } = desk;
  await writeFile(join(instance.workspace, 'there.md'), 'yes');
  const { card, plan, root } = await askFor(desk, 'plan to read');
  await approve(desk, ana, card);
  const failed = await seeCard(desk, root, 'countersign:retry_edited');
  const [edit = ''] = /countersign:retry_edited[^"]*/.exec(JSON.stringify(failed.blocks)) ?? [];
  const window = await openWindow(desk, ana, failed, edit);
  expect(JSON.stringify(window.blocks)).toContain('"initial_value":"nowhere.md"');
  await slack.submit(ana.id, window, { 'field:path/value': 'there.md' });
  const change = await waitFor('the change', async () => {
    const { patches } = await instance.service.listPatches(plan.id, { limit: 1 });
    return patches[0]?.status === 'needs_approval' && patches[0];
  });
  const { version, digest } = change;
  await instance.service.approve(plan.id, { version, digest }, person('ana@example.com', 'api'));
  await reach(instance, plan.id, 'completed');
  const done = await seeCard(desk, root, 'countersign:save_playbook');
  const save = await openWindow(desk, ana, done, 'countersign:save_playbook');
  await slack.submit(ana.id, save, { 'field:name/value': 'read-it' });
  await waitFor('the playbook', async () =>
    instance.service.getPlaybook('read-it', person('ana@example.com', 'api')).catch(() => null),
  );
});
