// Who opens their direct messages with the app is told how to begin, once; of an agent Slack shows examples to press as well.
import { expect, test } from 'vitest';
import { usualScopes } from '../../fixtures/slack/app.ts';
import { useDatabase } from '../../setup/database.ts';
import { waitFor } from '../../wait.ts';
import { useDesk } from './desk.ts';

const database = useDatabase();

test('who opens it for the first time is greeted once, however often they come back', async () => {
  const { slack } = await useDesk(database);
  const zoe = slack.addUser({ name: 'zoe' });
  await slack.openHome(zoe.id, 'messages');
  const direct = slack.direct(zoe.id).id;
  await waitFor('the greeting', () => slack.messages(direct).length === 1);
  expect(slack.messages(direct)[0]?.text).toContain("I'm Countersign");
  await slack.openHome(zoe.id, 'messages');
  await slack.openHome(zoe.id, 'home');
  await waitFor('the Home tab', () => slack.home(zoe.id));
  expect(slack.messages(direct)).toHaveLength(1);
  expect(slack.prompts(direct)).toEqual([]);
});

test('who wrote before is not greeted', async () => {
  const { slack, ana } = await useDesk(database);
  const direct = slack.direct(ana.id).id;
  await slack.say(ana.id, direct, 'What can you do?');
  await waitFor('the answer', () => slack.messages(direct).length === 2);
  await slack.openHome(ana.id, 'messages');
  await slack.settle();
  expect(
    slack
      .messages(direct)
      .map(({ text }) => text)
      .join(),
  ).not.toContain("I'm Countersign");
});

const agent = {
  slack: { app: { agent: true }, scopes: [...usualScopes, 'assistant:write'] },
};

test('an agent shows examples that can be pressed', async () => {
  const { slack } = await useDesk(database, agent);
  const zoe = slack.addUser({ name: 'zoe' });
  await slack.openHome(zoe.id, 'messages');
  const direct = slack.direct(zoe.id).id;
  await waitFor('the examples', () => slack.prompts(direct).length === 4);
});

test('direct messages that are gone take the examples from nobody else', async () => {
  const { slack } = await useDesk(database, agent);
  const [kim, yan] = [slack.addUser({ name: 'kim' }), slack.addUser({ name: 'yan' })];
  const refused = 'assistant.threads.setSuggestedPrompts';
  slack.fail(refused, { error: 'channel_not_found' });
  await slack.openHome(kim.id, 'messages');
  await waitFor('the refusal', () => slack.calls.some(({ method }) => method === refused));
  await slack.openHome(yan.id, 'messages');
  await waitFor('the examples', () => slack.prompts(slack.direct(yan.id).id).length === 4);
});
