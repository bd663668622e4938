// Direct messages: one welcome, private memories, the reader's time zone.
import { expect, test } from 'vitest';
import { person } from '#domain/people/actor.ts';
import { usualScopes } from '../../fixtures/slack/app.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop, scriptedPlanner } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { askFor, type Desk, seeCard, useDesk } from './desk.ts';

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
  await waitFor('the answer', () => slack.messages(direct).length >= 2);
  await slack.openHome(ana.id, 'messages');
  await slack.openHome(ana.id, 'home');
  await waitFor('the Home tab', () => slack.home(ana.id));
  expect(
    slack
      .messages(direct)
      .map(({ text }) => text)
      .join(),
  ).not.toContain("I'm Countersign");
});

const written = (value: unknown) => JSON.stringify(value);

async function startsOf({ instance }: Desk, id: string, timeZone: string): Promise<string[]> {
  const { steps } = await instance.service.listSteps(id, { limit: 10 });
  return steps.map(({ not_before }) =>
    new Date(not_before ?? 0).toLocaleTimeString('en-GB', {
      ...{ timeZone, hour: '2-digit', minute: '2-digit' },
    }),
  );
}

test('what is asked for in a direct message is planned by the clock of whoever asks', async () => {
  const desk = await useDesk(database);
  const { slack } = desk;
  const aiko = slack.addUser({ name: 'aiko', tz: 'Asia/Tokyo' });
  const dm = slack.direct(aiko.id).id;
  await slack.say(aiko.id, dm, 'Tomorrow at 9:30 write "hello" to a.txt');
  const card = await waitFor('the card', async () =>
    slack.messages(dm).find(({ blocks }) => written(blocks).includes('countersign:approve')),
  );
  const id = /PLAN-[0-9a-f]{8}/.exec(written(card.blocks))?.[0] ?? '';
  expect(await startsOf(desk, id, 'Asia/Tokyo')).toEqual(['09:30']);
  const times = written(card.blocks).match(/\d\d:\d\d[^",·)]*/g) ?? [];
  expect(times.length).toBeGreaterThan(1);
  // Her own zone is not named.
  for (const time of times) expect(time).toMatch(/^09:30(?! GMT)/);
});

test('in a channel the card says whose times it shows, and a change is read in those of who wants it', async () => {
  const desk = await useDesk(database);
  const { slack, instance } = desk;
  const aiko = slack.addUser({ name: 'aiko', tz: 'Asia/Tokyo' });
  const channel = slack.addChannel({ name: 'across', members: [aiko.id] }).id;
  const asking: Desk = { ...desk, ana: aiko, channel };
  const { card, root, plan } = await askFor(asking, 'Tomorrow at 9:30 write "hello" to a.txt');
  expect(await startsOf(desk, plan.id, 'Asia/Tokyo')).toEqual(['09:30']);
  expect(written(card.blocks)).toContain('09:30 GMT+9');
  const cleo = person('aiko@example.com', 'slack', 'America/New_York');
  const { version, id } = plan;
  await instance.service.proposeChanges(id, { version, feedback: 'at 16:15 instead' }, cleo);
  await waitFor('version 2', async () => (await instance.service.getPlan(id)).version === 2);
  expect(await startsOf(desk, id, 'America/New_York')).toEqual(['16:15']);
  const next = await seeCard(asking, root, 'version 2');
  expect(written(next.blocks)).toMatch(/16:15 (EST|GMT-[45]|EDT)/);
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

test('file names that Slack made links of are what was typed, and few of many mentions are looked up', async () => {
  const asked: string[] = [];
  const planner = scriptedPlanner(({ text }) => {
    asked.push(text);
    return { kind: 'proposal', draft: { title: 'Read', steps: [noop('a')] } };
  });
  const { slack, ana } = await useDesk(database, { planner });
  const others = Array.from({ length: 60 }, (_, index) => slack.addUser({ name: `other${index}` }));
  const before = slack.calls.filter(({ method }) => method === 'users.info').length;
  const mentions = [...others, ...others].map(({ id }) => `<@${id}>`).join(' ');
  await slack.directMessage(ana.id, `Read "docs/<http://notes.md|notes.md>" for ${mentions}`);
  await waitFor('the request', () => asked.length > 0);
  expect(asked[0]).toMatch(/^Read "docs\/notes\.md" for @other0 @other1 .*@U[A-Z0-9]+/);
  const looked = slack.calls.filter(({ method }) => method === 'users.info').length - before;
  expect(looked).toBeLessThan(40);
});
