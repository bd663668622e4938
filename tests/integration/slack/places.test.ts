// Slack targets by name: checked while drafting, pinned by ID.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { person } from '#domain/people/actor.ts';
import { call, propose, resultsIn } from '../../fixtures/model-calls.ts';
import {
  type ChatBody,
  type OpenAiDouble,
  start,
  type Turn,
} from '../../fixtures/openai-double.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import { waitFor } from '../../wait.ts';
import { approve, type Desk, seeCard, useDesk } from './desk.ts';

const database = useDatabase();
let model: OpenAiDouble;
let replies: Turn[] = [];

beforeAll(async () => {
  model = await start({ script: () => replies.shift() ?? { status: 400 } });
});
afterAll(() => model.close());

const post = (id: string, conversation: string) =>
  draftStep(id, `Tell ${conversation}`, 'chat_post', { conversation, text: `Shipped ${id}` });

const desk = (own = false) =>
  useDesk(database, { env: { OPENAI_BASE_URL: model.url }, ...(own ? { own } : {}) });

async function readPlan(at: Desk, root: string) {
  const card = await seeCard(at, root);
  const id = /PLAN-[0-9a-f]{8}/.exec(JSON.stringify(card.blocks))?.[0] ?? '';
  const { steps } = await at.instance.service.listSteps(id, { limit: 10 });
  return { card, id, steps };
}

const refusalsIn = (body: ChatBody | undefined) => JSON.stringify(resultsIn(body as ChatBody));

test('nothing is posted where the app or the requester is not, or where a name is not one person’s, and no private channel is named', async () => {
  const at = await desk(true);
  const { slack, ana, ben } = at;
  slack.addChannel({ name: 'without-app', members: [ana.id], bot: false });
  slack.addChannel({ name: 'without-ana', members: [ben.id] });
  slack.addChannel({ name: 'secret', members: [ben.id], kind: 'private', bot: false });
  const board = slack.addChannel({ name: 'board-hidden', members: [ben.id], kind: 'private' });
  const old = slack.addChannel({ name: 'old-hidden', members: [ben.id], kind: 'private' });
  old.archived = true;
  slack.addUser({ name: 'max', realName: 'Max', email: 'max1@example.com' });
  slack.addUser({ name: 'Max', email: 'max2@example.com' });
  const wanted: [string, RegExp][] = [
    ['#without-app', /Countersign is not in “?#without-app/],
    ['#without-ana', /The requester is not in “?#without-ana/],
    ['#secret', /no channel “?#secret.*or it is private/],
    ['#board-hidden', /There is no channel “?#board-hidden.*or it is private/],
    ['board-hidden', /No channel and no person is called “?board-hidden/],
    [board.id, /There is no channel “?[CG]0/],
    [`https://acme.slack.com/archives/${board.id}/p1700000000000100`, /There is no channel “?http/],
    [old.id, /There is no channel “?[CG]0/],
    ['Max', /Several people are called “?Max/],
    ['Nobody Atall', /No channel and no person is called/],
    [`https://acme.slack.com/archives/C000NOTHERE/p1700000000000100`, /There is no channel/],
  ];
  for (const [target, reason] of wanted) {
    const asked = model.requests.length;
    replies = [
      call('add_steps', { steps: [post('1', target)] }),
      call('answer', { text: 'I cannot post there.', cannot: null }),
    ];
    await slack.mention(ana.id, at.channel, 'post it');
    await waitFor('an answer', () => model.requests[asked + 1]);
    const refused = refusalsIn(model.requests[asked + 1]);
    expect(refused).toMatch(reason);
    if (!target.includes('hidden')) expect(refused).not.toContain('hidden');
  }
  const lists = slack.calls.filter(({ method }) => /^(?:conversations|users)\.list$/.test(method));
  expect(lists.length).toBeLessThanOrEqual(4);
});

test('a thread is posted to by its link, and a name that came with another conversation’s ID is replaced by its own', async () => {
  const at = await desk();
  const { slack, ana, ben, channel } = at;
  const ops = slack.addChannel({ name: 'ops-two', members: [ana.id, ben.id] });
  const root = slack.wrote(ben.id, ops.id, 'Release?');
  const link = `https://acme.slack.com/archives/${ops.id}/p${root.ts.replace('.', '')}`;
  replies = [propose({ title: 'Answer', steps: [post('1', link)], confidence: 0.9 })];
  const { message } = await slack.mention(ana.id, channel, 'answer there');
  const { card, id, steps } = await readPlan(at, message.ts);
  expect(JSON.stringify(card.blocks)).toContain('Posts to a thread in #ops-two');
  await approve(at, ana, card);
  await waitFor('the reply', () =>
    slack.replies(ops.id, root.ts).some(({ text }) => text.includes('Shipped 1')),
  );
  const { conversation } = await at.instance.service.getPlan(id);
  const pinned = String(steps[0]?.args.conversation).replace('a thread in #ops-two', '#release');
  const made = await proposeAs(at, conversation, 'ana@example.com', pinned);
  const [shown] = (await at.instance.service.listSteps(made.id, { limit: 1 })).steps;
  expect(shown?.args.conversation).toBe(steps[0]?.args.conversation);
});

function proposeAs(at: Desk, conversation: string | null, account: string, target: string) {
  const actor = person(account, 'slack');
  const draft = { title: 'Post', steps: [post('1', target)] };
  const origin = { user: actor.id, conversation: conversation ?? '' };
  return at.instance.service.propose(draft, origin, actor);
}

test('a channel that is given by its ID is checked like one by its name, and an approved plan survives its renaming', async () => {
  const at = await desk();
  const { slack, ana, ben, channel, instance } = at;
  const board = slack.addChannel({ name: 'board-of-ben', members: [ben.id], kind: 'private' });
  const open = slack.addChannel({ name: 'open', members: [ben.id] });
  const ops = slack.addChannel({ name: 'ops-old', members: [ana.id, ben.id] });
  replies = [propose({ title: 'Tell', steps: [post('1', '#ops-old')], confidence: 0.9 })];
  const { message } = await slack.mention(ana.id, channel, 'tell ops');
  const { card, id } = await readPlan(at, message.ts);
  const { conversation } = await instance.service.getPlan(id);
  const pinnedFor = async (target: string) => {
    const plan = await proposeAs(at, conversation, 'ben@example.com', target);
    const [step] = (await instance.service.listSteps(plan.id, { limit: 1 })).steps;
    return String(step?.args.conversation);
  };
  for (const [name, reason] of [
    [board.name, 'no conversation it can reach'],
    [open.name, 'The requester is not in'],
  ] as const) {
    const pinned = await pinnedFor(`#${name}`);
    const own = /slack-[0-9a-f]{32}/.exec(pinned)?.[0] ?? '';
    for (const target of [pinned, own])
      await expect(proposeAs(at, conversation, 'ana@example.com', target)).rejects.toThrow(reason);
    const { revision } = await instance.service.getPlan(id);
    const set = { args: { conversation: own } };
    const change = { op: 'update_steps' as const, steps: { ids: ['1'] }, set };
    await expect(
      instance.service.patch(
        id,
        { base_revision: revision, operations: [change] },
        person('ana@example.com', 'slack'),
      ),
    ).rejects.toThrow(reason);
  }
  const pinned = await pinnedFor('#ops-old');
  ops.name = 'ops-new';
  expect(await pinnedFor(pinned)).toBe(pinned.replace('ops-old', 'ops-new'));
  await approve(at, ana, card);
  await waitFor('the post', () =>
    slack.messages(ops.id).some(({ text }) => text.includes('Shipped 1')),
  );
});
