// Tasks, unknown outcomes and retries in Slack.
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import type { PlanDraft } from '#domain/plan/plan.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import type { JsonObject } from '#domain/text.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop, reach, scriptedPlanner } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import {
  type Asked,
  approve,
  askFor,
  type Desk,
  lookAgain,
  openWindow,
  seeCard,
  told,
  useDesk,
} from './desk.ts';

const database = useDatabase();
let draft: PlanDraft = { title: 'Nothing', steps: [noop('a')] };
const planner = scriptedPlanner(() => ({ kind: 'proposal', draft }));
const useTasks = (settings: object = {}) => useDesk(database, { planner, settings });

const form = [
  { name: 'amount', label: 'Amount in EUR', type: 'number', required: true, min: 0, max: 100 },
  { name: 'reason', type: 'text', required: true },
  { name: 'remarks', type: 'multiline' },
  { name: 'day', type: 'date', required: true },
  { name: 'room', type: 'choice', required: true, options: ['Blue', 'Green'] },
  { name: 'paid', type: 'boolean' },
];

function task(args: JsonObject): StepDraft {
  const question = 'What did it cost <!channel>?';
  return draftStep('ask', 'Ask about the cost', 'human_task', { question, ...args });
}

// The first card asks too until it is replaced.
async function seeQuestion(desk: Desk, { card: first, root }: Asked, part: string) {
  const card = await waitFor('the card that asks', async () => {
    const last = await seeCard(desk, root, part);
    return last.ts === first.ts ? null : last;
  });
  await waitFor('the first card to be over', async () =>
    lookAgain(desk, first).blocks.every(({ type }) => type !== 'actions'),
  );
  return card;
}

async function askBen(desk: Desk, args: JsonObject = {}) {
  draft = { title: 'Ask', steps: [task({ assignee: 'ben@example.com', ...args })] };
  const asked = await askFor(desk, 'ask ben', 'countersign:reject');
  await approve(desk, desk.ana, asked.card);
  return { ...asked, card: await seeQuestion(desk, asked, 'countersign:human_done') };
}

const stepOf = async ({ instance }: Desk, plan: string, id = 'ask') =>
  (await instance.service.getSteps(plan, [id]))[0];

test('a form has a field of each kind, says beside each what is wrong with it, and its values are the output', async () => {
  const desk = await useTasks();
  const { slack, ben, instance } = desk;
  const { plan, card } = await askBen(desk, { form });
  const view = await openWindow(desk, ben, card, 'countersign:human_done:ask');
  const filled = {
    'field:amount/value': '12.5',
    'field:reason/value': '   ',
    'field:remarks/value': 'two\nlines',
    'field:day/value': '2026-03-31',
    'field:room/value': '1',
    'field:paid/value': ['true'],
  };
  await slack.submit(ben.id, view, filled);
  expect(view.errors).toEqual({ 'field:reason': 'Reason is missing.' });
  expect((await stepOf(desk, plan.id))?.status).toBe('waiting');
  await expect(slack.submit(ben.id, view, { 'field:amount/value': '101' })).rejects.toThrow('100');
  await slack.submit(ben.id, view, { ...filled, 'field:reason/value': 'Lunch' });
  await reach(instance, plan.id, 'completed');
  expect((await stepOf(desk, plan.id))?.output).toMatchObject({
    by: 'ben@example.com',
    fields: {
      amount: 12.5,
      reason: 'Lunch',
      remarks: 'two\nlines',
      day: '2026-03-31',
      room: 'Green',
      paid: true,
    },
  });
  const pinged = slack.messages(desk.channel).flatMap(({ pings, bot_id }) => (bot_id ? pings : []));
  expect([...new Set(pinged)]).toEqual([`@${ben.id}`]);
});

test('a task is answered by whom it is for; anybody else is told so and keeps what they wrote', async () => {
  const desk = await useTasks();
  const { slack, ben } = desk;
  const cleo = slack.addUser({ name: 'cleo' });
  await slack.join(cleo.id, desk.channel);
  const { plan, card } = await askBen(desk);
  const view = await openWindow(desk, cleo, card, 'countersign:human_done:ask');
  await slack.submit(cleo.id, view, { value: 'It was free' });
  expect(await told(desk, cleo)).toEqual([
    expect.stringMatching(/Only ana can.*\nYou wrote: It was free/),
  ]);
  expect((await stepOf(desk, plan.id))?.status).toBe('waiting');
  const own = await openWindow(desk, ben, card, 'countersign:human_done:ask');
  await slack.submit(ben.id, own, { value: '12 EUR' });
  await reach(desk.instance, plan.id, 'completed');
  expect((await stepOf(desk, plan.id))?.output).toMatchObject({ answer: '12 EUR' });
});

test('who cannot do their task says why, and is asked again when somebody retries', async () => {
  const desk = await useTasks();
  const { slack, ben, ana, instance } = desk;
  const { plan, card, root } = await askBen(desk);
  const view = await openWindow(desk, ben, card, 'countersign:human_blocked:ask');
  await slack.submit(ben.id, view, { value: '  ' });
  expect(view.errors).toEqual({ text: "Say what's blocking you." });
  await slack.submit(ben.id, view, { value: 'The room is closed' });
  await reach(instance, plan.id, 'failed');
  const failed = await seeCard(desk, root, 'countersign:retry');
  await slack.press(ana.id, failed, 'countersign:retry');
  await waitFor('the second question', async () => {
    const step = await stepOf(desk, plan.id);
    return step?.status === 'waiting' && step.attempt === 2;
  });
});

async function serveOnce(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return address.port;
}

async function loseAnswer(desk: Desk) {
  let hits = 0;
  const port = await serveOnce((_, response) => {
    hits += 1;
    if (hits === 1) response.destroy();
    else response.end('ok');
  });
  const post: StepDraft = draftStep('post', 'Post it', 'http_request', {
    method: 'POST',
    url: `http://127.0.0.1:${port}/`,
    body: 'x',
  });
  draft = { title: 'Post', steps: [post] };
  const asked = await askFor(desk, 'post it');
  await desk.slack.press(desk.ana.id, asked.card, 'countersign:approve');
  const card = await seeQuestion(desk, asked, 'countersign:settle_done');
  return { ...asked, card, hits: () => hits };
}

const http = { http: { allowPrivate: ['127.0.0.1'] }, guardedTools: [] };

test('an unknown outcome is settled by whoever may decide: tried again', async () => {
  const desk = await useTasks(http);
  const { plan, card, hits } = await loseAnswer(desk);
  await desk.slack.press(desk.ben.id, card, 'countersign:settle_retry:post');
  expect((await told(desk, desk.ben))[0]).toContain('Only ana');
  expect(hits()).toBe(1);
  await desk.slack.press(desk.ana.id, card, 'countersign:settle_retry:post');
  await reach(desk.instance, plan.id, 'completed');
  expect(hits()).toBe(2);
});
