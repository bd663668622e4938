// Slack's refusals lose and repeat no message.
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { placeOf } from '#adapters/slack/signals/name-signal.ts';
import { readLatestMessages } from '#db/chat/messages.ts';
import { readDeliveryState } from '#db/chat/places.ts';
import { conversationAt } from '#domain/chat/chat.ts';
import { person } from '#domain/people/actor.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop, reach, scriptedPlanner } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { askFor, type Desk, lookAgain, seeCard, useDesk } from './desk.ts';

const database = useDatabase();
const planner = scriptedPlanner(({ text }) =>
  text.startsWith('plan')
    ? { kind: 'proposal', draft: { title: 'Nothing', steps: [noop('a'), noop('b', 'a')] } }
    : { kind: 'answer', text: `Heard: ${text}` },
);
// Earlier tests' threads are unknown here.
async function useFailing(options: Parameters<typeof useDesk>[1] = {}): Promise<Desk> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query('truncate countersign.chat_places cascade');
  await client.end();
  return useDesk(database, { planner, ...options });
}

const broken = ({ instance }: Desk) =>
  waitFor('a place to be broken', async () => {
    const { last } = await readDeliveryState(instance.db.query, 100);
    return last?.broken;
  });

const answers = ({ slack, channel }: Desk, root: string) =>
  slack.replies(channel, root).map(({ text }) => text);

const replies = (desk: Desk, root: string, count: number) =>
  waitFor(`${count} answers`, async () => answers(desk, root).length === count);

test.each([
  ['is_archived', 'archived'],
  ['channel_not_found', '/invite @Countersign'],
])(
  '%s: what was said waits, the operator is told, and it is posted when somebody writes there again',
  async (error, words) => {
    const desk = await useFailing();
    const { slack, ana, channel } = desk;
    const { message } = await slack.mention(ana.id, channel, 'hello');
    await replies(desk, message.ts, 1);
    slack.fail('chat.postMessage', { error });
    await slack.say(ana.id, channel, 'and now?', { thread_ts: message.ts });
    expect(await broken(desk)).toContain(words);
    expect(answers(desk, message.ts).filter((text) => text.startsWith('Heard'))).toHaveLength(1);
    await slack.say(ana.id, channel, 'again', { thread_ts: message.ts });
    await waitFor('all answers', async () => {
      const echoes = answers(desk, message.ts).filter((text) => text.startsWith('Heard'));
      return echoes.join() === 'Heard: hello,Heard: and now?,Heard: again';
    });
  },
);

test('an app that was removed from a channel says how to bring it back, and goes on when it is', async () => {
  const desk = await useFailing();
  const { slack, ana, ben, channel, instance } = desk;
  const { plan, card, root } = await askFor(desk, 'plan nothing');
  slack.removeApp(channel);
  const { version, digest } = plan;
  const by = person('ana@example.com', 'api');
  await instance.service.approve(plan.id, { version, digest }, by);
  await reach(instance, plan.id, 'completed');
  expect(await broken(desk)).toContain('/invite @Countersign');
  await slack.inviteApp(ben.id, channel);
  await slack.mention(ana.id, channel, 'are you there?', { thread_ts: root });
  await waitFor('the outcome', async () => answers(desk, root).join().includes('is done'));
  await waitFor(
    'a card that decides nothing',
    async () => !JSON.stringify(lookAgain(desk, card).blocks).includes('countersign:approve'),
  );
});

test('under Slack’s own limits a plan is shown to its end, in the latest state, by few calls', async () => {
  const desk = await useFailing({ slack: { limits: 'real' } });
  const { slack, ana, instance } = desk;
  const { plan, card } = await askFor(desk, 'plan nothing');
  slack.fail('chat.update', { status: 429, retryAfter: 1 });
  await slack.press(ana.id, card, 'countersign:approve');
  await reach(instance, plan.id, 'completed');
  await waitFor('the outcome on the card', async () => {
    const text = JSON.stringify(lookAgain(desk, card).blocks);
    return text.includes('Approved by') && text.includes('countersign:save_playbook');
  });
  const updates = slack.calls.filter(({ method }) => method === 'chat.update');
  const refused = updates.findIndex(({ answer }) => answer !== 'none' && answer.status === 429);
  const [first, next] = updates.slice(refused);
  expect((next?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1000);
});

test('while Slack fails, hangs up or keeps silent, what was said is posted in order and once', async () => {
  const desk = await useFailing();
  const { slack, ana, channel, instance } = desk;
  slack.fail('chat.postMessage', { status: 503 });
  slack.fail('chat.postMessage', { hangUp: 'before' });
  slack.fail('chat.postMessage', { hangUp: 'after' });
  slack.fail('conversations.replies', { status: 500 });
  const { message } = await slack.mention(ana.id, channel, 'one');
  // Messages during planning share one answer.
  const conversation = conversationAt(placeOf(slack.workspace.id, channel, message.ts));
  await waitFor('the first answer', async () => {
    const messages = await readLatestMessages(instance.db.query, conversation, 10);
    return messages.some(({ text }) => text === 'Heard: one');
  });
  await slack.say(ana.id, channel, 'two', { thread_ts: message.ts });
  await waitFor('both answers', async () => {
    const echoes = answers(desk, message.ts).filter((text) => text.startsWith('Heard'));
    return echoes.join() === 'Heard: one,Heard: two';
  });
});

test('who somebody is, is asked again when Slack did not say it: a press is not lost, and counts once', async () => {
  const desk = await useFailing({ own: true });
  const { slack, instance, ben, channel } = desk;
  slack.fail('users.info', { status: 503 });
  const { message } = await slack.mention(ben.id, channel, 'plan nothing');
  const card = await seeCard(desk, message.ts);
  const id = /PLAN-[0-9a-f]{8}/.exec(JSON.stringify(card.blocks))?.[0] ?? '';
  expect((await instance.service.getPlan(id)).requester).toBe('ben@example.com');
  await slack.press(ben.id, card, 'countersign:approve');
  const done = await reach(instance, id, 'completed');
  expect(done.approvals).toHaveLength(1);
});
