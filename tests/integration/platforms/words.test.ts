// A model reads messages about waiting plans, on each platform.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, proposeFiles, resultsIn, wordsIn } from '../../fixtures/model-calls.ts';
import { type ChatBody, start, type Turn } from '../../fixtures/openai-double.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import { waitFor } from '../../wait.ts';
import { hasButton, openCards as listOpen, see, seeOnePlan } from './cards.ts';
import { type Button, type Chat, startChats } from './chats.ts';

const database = useDatabase();

let replies: (words: string, body: ChatBody) => Turn;
let model: Awaited<ReturnType<typeof start>>;
let chats: Awaited<ReturnType<typeof startChats>>;

beforeAll(async () => {
  model = await start({ script: (body) => replies(wordsIn(body), body) });
  chats = await startChats(database.url, undefined, 1000, { OPENAI_BASE_URL: model.url });
});
afterAll(async () => {
  await chats.close();
  await model.close();
});

const useIt: Button = { action: 'finding_replan', title: 'Use it' };
const leaveIt: Button = { action: 'finding_dismiss', title: 'Leave it' };

const textOf = ({ messages }: ChatBody) => messages.map((one) => one.content ?? '').join('\n');
const shownIn = (body: ChatBody, id: string) =>
  Number(new RegExp(`${id} \\w+, revision (\\d+)`).exec(textOf(body))?.[1]);

const writing = (id: string, path: string) =>
  draftStep(id, `Write ${path}`, 'workspace_write', { path, content: id });

/** @param plan undefined if unknown to the model */
const addTo = (body: ChatBody, plan: string | undefined, path: string) =>
  call('plan_continue', {
    ...(plan === undefined ? {} : { plan }),
    revision: plan === undefined ? 1 : shownIn(body, plan),
    why: 'One more file.',
    add: [writing(path, path)],
  });

const openCards = (chat: Chat, count: number) => listOpen(chats.instance, chat, count);

async function askFor(chat: Chat, path: string): Promise<string> {
  replies = () => proposeFiles([path]);
  await chat.ask(`Write ${path}`);
  await see(chat, 'PLAN-');
  const [id = ''] = await openCards(chat, 1);
  return id;
}

const filesOf = async (id: string) =>
  (await chats.instance.service.listSteps(id, { limit: 20 })).steps.map(({ args }) => args.path);

async function expectNext(chat: Chat, id: string, files: string[]) {
  const { plan } = await seeOnePlan(chats.instance, chat, 2);
  expect(plan.id).toBe(id);
  expect(await filesOf(id)).toEqual(files);
}

describe.each(['slack', 'teams', 'webhook-chat'] as const)('%s', (platform) => {
  const open = () => chats.open[platform]();

  test('by somebody else it is a suggestion, which the owner uses with a press', async () => {
    const chat = open();
    const id = await askFor(chat, 'a.txt');
    replies = (_, body) => addTo(body, id, 'b.txt');
    await chat.say('ben', 'Also write b.txt');
    const card = await see(chat, 'suggests a change', 'Also write b.txt', 'Use it');
    expect(await chats.instance.service.getPlan(id)).toMatchObject({ version: 1 });
    replies = (_, body) => {
      expect(textOf(body)).toContain('1. ben suggested: Also write b.txt');
      return {
        calls: [
          { name: 'add_steps', args: { steps: [writing('2', 'b.txt')] } },
          { name: 'submit_plan', args: { confidence: 0.9 } },
        ],
      };
    };
    await chat.press('ben', card, useIt);
    await waitFor('the refusal', async () => chat.told('ben').some((one) => /Only /.test(one)));
    expect(await chats.instance.service.getPlan(id)).toMatchObject({ version: 1 });
    await chat.press('ana', card, useIt);
    await expectNext(chat, id, ['a.txt', 'b.txt']);
  });

  test('a suggestion that the owner leaves changes nothing', async () => {
    const chat = open();
    const id = await askFor(chat, 'a.txt');
    replies = (_, body) => addTo(body, id, 'b.txt');
    await chat.say('ben', 'Also write b.txt');
    const card = await see(chat, 'Use it', 'Also write b.txt');
    const isOffered = () => hasButton(chat.messages()[card] ?? '', 'finding_replan');
    expect(isOffered()).toBe(true);
    await chat.press('ana', card, leaveIt);
    await waitFor('the card without it', async () => !isOffered());
    expect(await openCards(chat, 1)).toEqual([id]);
    expect(await chats.instance.service.getPlan(id)).toMatchObject({ version: 1, revising: false });
  });

  test('words close to a decision and questions reach the model, which shows the card again and decides nothing', async () => {
    const chat = open();
    const id = await askFor(chat, 'a.txt');
    const received: string[] = [];
    replies = (words) => {
      received.push(words);
      return call('answer', { text: `Heard: ${words}`, plan: id });
    };
    const inputs = ['LGTM', 'use b.txt instead', 'what about step 1, can it also go to Ben?'];
    for (const words of inputs) {
      await chat.say('ana', words);
      await see(chat, `Heard: ${words}`, 'Approve');
      expect(await openCards(chat, 1)).toEqual([id]);
    }
    expect(received).toEqual(inputs);
    expect(await chats.instance.service.getPlan(id)).toMatchObject({
      status: 'proposed',
      version: 1,
    });
  });

  test('while two plans wait, it is asked which one is meant', async () => {
    const chat = open();
    const first = await askFor(chat, 'a.txt');
    replies = () => proposeFiles(['b.txt']);
    await chat.say('ana', 'Write b.txt in a plan of its own');
    const [, second = ''] = await openCards(chat, 2);
    expect(second).not.toBe(first);
    replies = (words, body) => addTo(body, words.includes(second) ? second : undefined, 'c.txt');
    await chat.say('ana', 'Also write c.txt');
    const asked = await see(chat, 'Which plan do you mean?', first, second);
    const title = `${second} Write b.txt`;
    await chat.press('ana', asked, { action: 'session_answer', title });
    await see(chat, second, 'Changed since version 1');
    await see(chat, `: “${title}”`);
    expect((await openCards(chat, 2)).toSorted()).toEqual([first, second].toSorted());
    expect(await filesOf(second)).toEqual(['b.txt', 'c.txt']);
    expect(await chats.instance.service.getPlan(first)).toMatchObject({ version: 1 });
  });
});

describe('on any platform', () => {
  const open = () => chats.open['webhook-chat']();

  test('“also write b.txt” by the owner makes the next version of the plan that waits', async () => {
    const chat = open();
    const id = await askFor(chat, 'a.txt');
    replies = (_, body) => addTo(body, id, 'b.txt');
    await chat.say('ana', 'Also write b.txt');
    await expectNext(chat, id, ['a.txt', 'b.txt']);
  });

  test('“do the same for Initech” takes the waiting plan as the draft of its next version', async () => {
    const chat = open();
    const id = await askFor(chat, 'acme.txt');
    replies = (_, body) =>
      resultsIn(body).length === 0
        ? call('plan_again', { plan: id })
        : {
            calls: [
              { name: 'add_steps', args: { steps: [writing('2', 'initech.txt')] } },
              { name: 'submit_plan', args: { confidence: 0.9 } },
            ],
          };
    await chat.say('ana', 'Do the same for Initech');
    await expectNext(chat, id, ['acme.txt', 'initech.txt']);
  });

  test('a model that claims work without a plan speaks under the line that nothing has run', async () => {
    const chat = open();
    const claim = 'Done, I deleted old.txt.';
    replies = () => call('answer', { text: claim, cannot: null });
    await chat.ask('Delete old.txt');
    const index = await see(chat, claim);
    expect(chat.messages()[index]).toMatch(/nothing was planned or run for it.*Done, I deleted/s);
  });
});
