// "Plan this": a window, and a plan in the message's thread.
import { expect, test } from 'vitest';
import type { PlanningRequest } from '#domain/planning/run.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop, scriptedPlanner } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { type Desk, useDesk } from './desk.ts';

const database = useDatabase();
const asked: string[] = [];
const planner = scriptedPlanner((request: PlanningRequest) => {
  asked.push(request.text);
  return { kind: 'proposal', draft: { title: 'From a message', steps: [noop('a')] } };
});
const shortcut = 'countersign:plan_this';

async function write(desk: Desk, text: string) {
  const { message } = await desk.slack.say(desk.ben.id, desk.channel, text);
  return message;
}

const openFor = async ({ slack, ana }: Desk, message: Awaited<ReturnType<typeof write>>) => {
  await slack.shortcut(ana.id, message, shortcut);
  return waitFor('the window', () => slack.views(ana.id).at(-1));
};

test('the window quotes the message, and what is wanted of it is planned in its thread', async () => {
  const desk = await useDesk(database, { planner });
  const { slack, ana, channel } = desk;
  const message = await write(desk, 'The <https://shop.example.com|shop> is slow &amp; sad');
  const view = await openFor(desk, message);
  expect(JSON.stringify(view.blocks)).toContain(
    '“The shop (https://shop.example.com) is slow & sad”',
  );
  await slack.submit(ana.id, view, { value: 'Find out why' });
  await waitFor('a card', () => slack.replies(channel, message.ts).length > 0);
  expect(asked.at(-1)).toMatch(
    /^Find out why\n\nMessage from ben \(https:\/\/acme\.slack\.com\/[^)]+\):\n> The shop/,
  );
  expect(asked.at(-1)).toContain('is slow & sad');
  expect(slack.ephemerals(ana.id).map(({ text }) => text)).toEqual([
    "I'm planning this. The plan will be in this thread.",
  ]);
});

test('with nothing said, the message itself is the request; sent twice, it is planned once', async () => {
  const desk = await useDesk(database, { planner });
  const { slack, ana, channel } = desk;
  const message = await write(desk, 'Create notes/a.md saying "hello"');
  const view = await openFor(desk, message);
  const { delivery } = await slack.submit(ana.id, view, {});
  await slack.replay(delivery.signal);
  await waitFor('a card', () => slack.replies(channel, message.ts).length > 0);
  expect(asked.filter((text) => text.includes('notes/a.md'))).toEqual([
    'Create notes/a.md saying "hello"',
  ]);
});

test('a message without text needs words, a long one goes along in part and says so', async () => {
  const desk = await useDesk(database, { planner });
  const { slack, ana } = desk;
  const empty = await openFor(desk, await write(desk, ' '));
  await expect(slack.submit(ana.id, empty, {})).rejects.toThrow();
  await slack.close(ana.id, empty);
  const long = await openFor(desk, await write(desk, `${'"\\ü'.repeat(3000)}`));
  expect(JSON.stringify(long.blocks)).toMatch(/its first [\d,]+ characters go along/);
  expect(long.private_metadata.length).toBeLessThanOrEqual(3000);
});

test('where the app is not in the channel, the plan is in the person’s direct messages', async () => {
  const desk = await useDesk(database, { planner });
  const { slack, ana, ben } = desk;
  const other = slack.addChannel({ name: 'elsewhere', members: [ana.id, ben.id], bot: false }).id;
  const { message } = await slack.say(ben.id, other, 'Tidy up');
  const view = await openFor(desk, message);
  await slack.submit(ana.id, view, {});
  const direct = slack.direct(ana.id).id;
  await waitFor('a card', () => slack.messages(direct).length > 0);
  expect(slack.ephemerals(ana.id).at(-1)?.text).toContain("I'm not in that channel");
  expect(slack.messages(other)).toHaveLength(1);
});

test('an alert of an app is planned with all that it says, and what is not read is named', async () => {
  const desk = await useDesk(database, { planner });
  const { slack, ana } = desk;
  const message = await write(desk, 'Alert');
  Object.assign(message, {
    bot_id: 'B0ALERTS',
    username: 'Grafana',
    blocks: [
      {
        type: 'section',
        text: { type: 'mrkdwn', text: 'Disk &gt; 90 % in <http://df.sh|df.sh>' },
      },
    ],
    attachments: [{ title: 'db-1', image_url: 'https://grafana.example/a.png' }],
  });
  const view = await openFor(desk, message);
  await slack.submit(ana.id, view, { value: 'Fix it' });
  await waitFor('the request', () => asked.some((text) => text.startsWith('Fix it')));
  const request = asked.find((text) => text.startsWith('Fix it')) ?? '';
  expect(request).toContain('Message from Grafana');
  expect(request).toContain('> Disk > 90 % in df.sh');
  expect(request).toContain('[Not read: an image]');
});

test('a window that somebody else sends, or one of another workspace, plans nothing', async () => {
  const desk = await useDesk(database, { planner });
  const { slack, ana, ben, channel } = desk;
  const message = await write(desk, 'Forge this');
  const view = await openFor(desk, message);
  const { delivery } = await slack.submit(ana.id, view, {});
  await waitFor('a card', () => slack.replies(channel, message.ts).length > 0);
  const before = asked.length;
  await slack.replay(delivery.signal, (payload) => {
    Object.assign(payload, { user: { id: ben.id, team_id: slack.workspace.id } });
    Object.assign(payload.view as object, { id: 'V0OTHER', hash: '1.2' });
  });
  await slack.settle();
  expect(asked.length).toBe(before);
});

test('what somebody else wrote decides nothing in the name of who has it planned', async () => {
  const desk = await useDesk(database, { planner });
  const { slack, ana, ben, channel, instance } = desk;
  const { message } = await slack.mention(ana.id, channel, 'tidy up');
  await waitFor('a card', () => slack.replies(channel, message.ts).length > 0);
  const [plan] = (await instance.service.listPlans({ limit: 1 })).plans;
  const { message: word } = await slack.say(ben.id, channel, 'approve', { thread_ts: message.ts });
  await slack.settle();
  const before = asked.length;
  const view = await openFor(desk, word);
  await slack.submit(ana.id, view, {});
  await waitFor('a plan of its own', () => asked.length > before);
  await slack.settle();
  const { status } = await instance.service.getPlan(plan?.id ?? '');
  expect(status).toBe('proposed');
});
