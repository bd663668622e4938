// Planning progress in Slack, and stopping it.
import { sql } from 'drizzle-orm';
import { expect, onTestFinished, test } from 'vitest';
import { usualScopes } from '../../fixtures/slack/app.ts';
import { createSlowPlanner } from '../../fixtures/slow-planner.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop, openTestInstance, reach, scriptedPlanner } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { seeCard, told, useDesk } from './desk.ts';

const database = useDatabase();
const { planner, begun } = createSlowPlanner();

test('in a direct message the status goes as well, though the answer is no reply', async () => {
  const { slack, ana } = await useDesk(database, { planner });
  const direct = slack.direct(ana.id).id;
  await slack.say(ana.id, direct, 'Just me');
  const turn = await begun('Just me');
  await waitFor('thinking', () => slack.statuses(direct).length === 1);
  turn.answer('Well.');
  await waitFor('the answer', () => slack.messages(direct).some(({ text }) => text === 'Well.'));
  await waitFor('the end', () => slack.statuses(direct).length === 0);
});

test('a message has a status before it is handled, and loses it if nothing is planned', async () => {
  const { slack, ana } = await useDesk(database, { planner });
  const direct = slack.direct(ana.id).id;
  const [said, called] = [slack.messages(direct).length, slack.calls.length];
  await slack.say(ana.id, direct, 'status');
  await waitFor('the answer', () => slack.messages(direct).length === said + 2);
  await waitFor('the end', () => slack.statuses(direct).length === 0);
  const shown = slack.calls
    .slice(called)
    .flatMap(({ parameters: { channel_id: channel, status } }) =>
      channel === direct ? [status] : [],
    );
  expect(shown).toEqual(['is thinking…', '']);
});

test('what comes next is handled, though Slack keeps a status from being removed', async () => {
  const { slack, ana, channel, instance } = await useDesk(database, { planner });
  onTestFinished(async () => {
    await instance.db.query.execute(sql`truncate countersign.rate_limits`);
  });
  slack.fail('assistant.threads.setStatus', { status: 429, retryAfter: 600 });
  const { message } = await slack.mention(ana.id, channel, 'status');
  await waitFor('an answer', () => slack.replies(channel, message.ts).length === 1);
  await slack.mention(ana.id, channel, 'status', { thread_ts: message.ts });
  await waitFor('another', () => slack.replies(channel, message.ts).length === 3);
});

test('what Slack takes no status for is answered all the same', async () => {
  const desk = await useDesk(database, { planner });
  const { slack, ana, channel } = desk;
  slack.fail('assistant.threads.setStatus', { silence: 'before' }, 3);
  const { message } = await slack.mention(ana.id, channel, 'Quietly');
  const turn = await begun('Quietly');
  turn.answer('Here.');
  await waitFor('the answer', () => slack.replies(channel, message.ts).length === 1);
  expect(slack.statuses(channel)).toEqual([]);
});

test('of two processes that write to Slack, one shows each status', async () => {
  const desk = await useDesk(database, { planner });
  const { slack, ana, channel, instance } = desk;
  const { config } = instance;
  const other = await openTestInstance(database.url, {
    planner,
    env: {
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: slack.token,
      SLACK_SIGNING_SECRET: slack.app.signingSecret,
      PORT: String(config.env.PORT),
    },
  });
  await slack.mention(ana.id, channel, 'Once');
  const turn = await begun('Once');
  for (const steps of [1, 2]) {
    turn.report({ kind: 'drafting', steps });
    const words = `is drafting: ${steps} step${steps === 1 ? '' : 's'} so far…`;
    await waitFor(words, () => slack.statuses(channel)[0] === words);
  }
  turn.answer('Done.');
  await waitFor('the end', () => slack.statuses(channel).length === 0);
  await other.close();
  // Perhaps from the other process.
  const shown = slack.calls.flatMap(({ parameters: { status } }) =>
    typeof status === 'string' && /^(?!is thinking)./.test(status) ? [status] : [],
  );
  expect(shown).toEqual([...new Set(shown)]);
});

test('Slack’s own Stop stops the planner for those who may', async () => {
  const events = ['app_mention', 'message.channels', 'agent_session_stopped'];
  const desk = await useDesk(database, {
    planner,
    slack: { app: { agent: true, events }, scopes: [...usualScopes, 'assistant:write'] },
  });
  const { slack, ana, ben, channel } = desk;
  const { message } = await slack.mention(ana.id, channel, 'Stop me');
  const turn = await begun('Stop me');
  await waitFor('a session', () => slack.session(channel, message.ts) === 'processing');
  await slack.stop(ben.id, channel, message.ts);
  expect(await told(desk, ben)).toEqual([expect.stringContaining('Only')]);
  expect(turn.signal.aborted).toBe(false);
  await slack.stop(ana.id, channel, message.ts);
  await waitFor('the planner to hear it', () => turn.signal.aborted);
  await waitFor('the end', () => slack.session(channel, message.ts) === 'active');
  const [reply] = slack.replies(channel, message.ts);
  expect(reply?.text).toContain('Planning stopped.');
});

test('a session is suspended while its plan waits for a person, and closed once the plan has ended', async () => {
  const scripted = scriptedPlanner(() => ({
    kind: 'proposal',
    draft: { title: 'Nothing', steps: [noop('a')] },
  }));
  const { promise: seen, resolve: proceed } = Promise.withResolvers<void>();
  const desk = await useDesk(database, {
    planner: { ...scripted, plan: (...asked) => seen.then(() => scripted.plan(...asked)) },
    slack: { app: { agent: true }, scopes: [...usualScopes, 'assistant:write'] },
    own: true,
  });
  const { slack, ana, channel } = desk;
  const { message } = await slack.mention(ana.id, channel, 'Do nothing');
  const root = message.ts;
  await waitFor('a session', () => slack.session(channel, root) === 'processing');
  proceed();
  const card = await seeCard(desk, root);
  const id = /PLAN-[0-9a-f]{8}/.exec(JSON.stringify(card.blocks))?.[0] ?? '';
  await waitFor('its suspension', () => slack.session(channel, root) === 'suspended');
  const titles = slack.calls.flatMap(({ parameters: { title } }) => title ?? []);
  expect(titles).toEqual(['Do nothing']);
  await slack.press(ana.id, card, 'countersign:approve');
  await reach(desk.instance, id, 'completed');
  await waitFor('its end', () => slack.session(channel, root) === 'closed');
});
