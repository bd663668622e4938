// kill -9 of whoever handles what Slack sent, after it was done and before that is noted; then another process: a mention is
// heard once, a word decides once, and a press does.
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { placeOf } from '#adapters/slack/place.ts';
import { conversationAt } from '#domain/chat/chat.ts';
import type { SlackMessage } from '../fixtures/slack/types.ts';
import { clearInbox, settled } from '../integration/inbox/bench.ts';
import { type SlackInstance, useSlackInstance } from '../integration/slack/slack-instance.ts';
import { useDatabase } from '../setup/database.ts';
import { reach } from '../setup/instance.ts';
import { useFixture } from '../setup/process.ts';
import { waitFor } from '../wait.ts';

const database = useDatabase();
const startProcess = useFixture('slack-process.ts');

/** A gateway that handles nothing, and the way to start processes that do. */
async function useGateway() {
  const use = await useSlackInstance(database, { work: false, own: true });
  const { slack, instance } = use;
  await clearInbox(instance);
  const ana = slack.addUser({ name: 'ana' });
  const channel = slack.addChannel({ name: 'release', members: [ana.id] }).id;

  const start = (env: Record<string, string> = {}) =>
    startProcess({
      DATABASE_URL: database.url,
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: slack.token,
      SLACK_SIGNING_SECRET: slack.app.signingSecret,
      ...env,
    });
  /** Handles in a process that dies when its handler has returned, and then in another until nothing is open. */
  async function handleTwice(): Promise<() => Promise<unknown>> {
    const { signal } = await start({ COUNTERSIGN_CRASH_AT: 'inbox_handled' }).exited;
    expect(signal).toBe('SIGKILL');
    const { stop } = start();
    const rows = await settled(instance, 60_000);
    expect(rows.map(({ state }) => state)).toEqual(rows.map(() => 'handled'));
    expect(rows[0]?.attempt).toBeGreaterThan(1);
    return stop;
  }
  /** A plan that ana asked for, and its card; nothing of it is left to be handled. */
  async function askForPlan(): Promise<SlackMessage> {
    const { message } = await slack.mention(ana.id, channel, 'plan nothing');
    const { stop } = start();
    const card = await waitFor('a card', async () =>
      slack
        .replies(channel, message.ts)
        .findLast(({ blocks }) => JSON.stringify(blocks).includes('countersign:approve')),
    );
    await slack.settle();
    await settled(instance);
    await stop();
    await clearInbox(instance);
    return card;
  }
  return { ...use, ana, channel, handleTwice, askForPlan };
}

const planOf = ({ blocks }: SlackMessage) =>
  /PLAN-[0-9a-f]+/.exec(JSON.stringify(blocks))?.[0] ?? '';

async function talkIn({ instance, slack }: SlackInstance, channel: string, root: string) {
  const conversation = conversationAt(placeOf(slack.workspace.id, channel, root));
  return instance.service.messages(conversation, { limit: 50 });
}

test('a mention is heard and answered once', async () => {
  const use = await useGateway();
  const { slack, ana, channel, instance, handleTwice } = use;
  const { message } = await slack.mention(ana.id, channel, 'hello');
  const stop = await handleTwice();
  // The one that died may have begun to plan as well: then the round has to find that first.
  const answered = async () => slack.replies(channel, message.ts).length === 1;
  await waitFor('the answer', answered, { timeoutMs: 150_000 });
  await stop();
  const said = await talkIn(use, channel, message.ts);
  expect(said.map(({ text }) => text)).toEqual(['hello', 'Heard: hello']);
  const conversation = conversationAt(placeOf(slack.workspace.id, channel, message.ts));
  const { rows } = await instance.db.query.execute(
    sql`select id from countersign.runs where conversation = ${conversation}`,
  );
  expect(rows).toHaveLength(1);
});

test('a word decides once, and nobody is told that it had decided already', async () => {
  const use = await useGateway();
  const { slack, ana, channel, instance, handleTwice, askForPlan } = use;
  const card = await askForPlan();
  const thread = card.thread_ts ?? '';
  await slack.say(ana.id, channel, 'approve', { thread_ts: thread });
  const stop = await handleTwice();
  const plan = await reach(instance, planOf(card), 'completed');
  await stop();
  expect(plan.approvals).toHaveLength(1);
  const said = (await talkIn(use, channel, thread)).map(({ text }) => text);
  expect(said.filter((text) => text === 'approve')).toHaveLength(1);
  expect(said.filter((text) => /decided|changed nothing/.test(text))).toEqual([]);
});

test('a press decides once, and whoever pressed is not told that they were too late', async () => {
  const { slack, ana, instance, handleTwice, askForPlan } = await useGateway();
  const card = await askForPlan();
  await slack.press(ana.id, card, 'countersign:approve');
  const stop = await handleTwice();
  expect((await reach(instance, planOf(card), 'completed')).approvals).toHaveLength(1);
  await stop();
  expect(slack.ephemerals()).toEqual([]);
});
