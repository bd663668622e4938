// The thread above a Teams mention, read by Microsoft Graph.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { propose } from '../../fixtures/model-calls.ts';
import { type ChatBody, type OpenAiDouble, start } from '../../fixtures/openai-double.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import { waitFor } from '../../wait.ts';
import { awaitMessage, useTeamsInstance } from './teams-instance.ts';

const database = useDatabase();
let model: OpenAiDouble;
const write = draftStep('1', 'Note the date', 'workspace_write', { path: 'date.md', content: 'x' });

beforeAll(async () => {
  const noted = propose({ title: 'Note the date', steps: [write], confidence: 0.9 });
  model = await start({ script: () => noted });
});
afterAll(() => model.close());

const wordsOf = (body: ChatBody) => body.messages.map(({ content }) => content ?? '').join('\n');
const threadIn = (body: ChatBody) =>
  /<untrusted source="thread">\n([\s\S]*?)\n<\/untrusted>/.exec(wordsOf(body))?.[1] ?? '';

async function openTeam() {
  const use = await useTeamsInstance(database, { env: { OPENAI_BASE_URL: model.url } });
  const { teams } = use;
  const [ana, ben, cleo] = [
    teams.addPerson('ana'),
    teams.addPerson('ben'),
    teams.addPerson('cleo'),
  ];
  const channel = teams.addChannel([ana, ben, cleo]);
  const team = channel.team ?? '';
  async function ask(root: string) {
    const before = model.requests.length;
    const message = await teams.say(ana, channel, 'plan what we agreed above', { root });
    const body = await waitFor('the model to be asked', async () => model.requests[before]);
    return { ...message, body };
  }
  return { ...use, ana, ben, cleo, channel, team, ask };
}

test('a long thread is read from its newest pages, and what is missing is said', async () => {
  const { teams, ben, channel, ask } = await openTeam();
  const root = teams.graph.write(ben, channel, 'Start').id;
  for (let n = 1; n < 300; n++) teams.graph.write(ben, channel, `Point ${n}`, { root });
  const { body } = await ask(root);
  const thread = threadIn(body);
  expect(thread).toMatch(
    /"ben": Start\n\[more messages are left out here\]\n[\s\S]*"ben": Point 299$/,
  );
  expect(teams.calls.filter(({ path }) => path.startsWith('/graph/'))).toHaveLength(5);
});

test('without consent the request is planned alone, and the card’s details say that', async () => {
  const { teams, instance, ben, channel, team, ask } = await openTeam();
  teams.graph.allow(team, false);
  const root = teams.graph.write(ben, channel, 'Secret plans').id;
  const { body, conversation } = await ask(root);
  expect(wordsOf(body)).not.toContain('Secret plans');
  expect(wordsOf(body)).toContain('The thread above the request could not be read.');
  const card = JSON.stringify((await awaitMessage(teams, conversation, '"approve"')).activity);
  const plan = await instance.service.getPlan(/PLAN-[0-9a-f]{8}/.exec(card)?.[0] ?? '');
  expect(plan.context.tool_outputs['1 chat_thread']?.data).toMatchObject({
    args: { what: expect.stringMatching(/^This thread, not read: .*a team owner adds the app/) },
  });
});

test.each([true, false])(
  'of a group chat the newest messages are read if it allows that: %s',
  async (allowed) => {
    const { teams, ana, ben } = await openTeam();
    const chat = teams.addGroup([ana, ben]);
    teams.graph.allow(chat.id, allowed);
    for (let n = 0; n < 60; n++) teams.graph.write(ben, chat, `Point ${n}`);
    const before = model.requests.length;
    await teams.say(ana, chat, 'plan what we agreed above');
    const body = await waitFor('the model to be asked', async () => model.requests[before]);
    if (allowed)
      expect(threadIn(body)).toMatch(
        /^\[more messages are left out here\]\n.*"ben": Point 10\n[\s\S]*"ben": Point 59$/,
      );
    else {
      expect(threadIn(body)).toBe('');
      expect(wordsOf(body)).toContain('could not be read');
    }
    await awaitMessage(teams, chat.id, '"approve"');
  },
);

test('of a group chat nothing is read that Teams hides from a member', async () => {
  const { teams, ana, ben } = await openTeam();
  const chat = teams.addGroup([ana, ben]);
  const [, , third] = Array.from({ length: 5 }, (_, n) =>
    teams.graph.write(ben, chat, `Hint ${n}`),
  );
  teams.graph.addLater(chat, third?.createdDateTime ?? '');
  const before = model.requests.length;
  await teams.say(ana, chat, 'plan what we agreed above');
  const body = await waitFor('the model to be asked', async () => model.requests[before]);
  expect(threadIn(body)).toMatch(/^\[more messages are left out here\]\n.*"ben": Hint 2\n/);
  await awaitMessage(teams, chat.id, '"approve"');
});
