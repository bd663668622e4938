// People asked to act get a mention and one direct message.
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { ChatContent, ChatPlace, ChatPost, Posted } from '#domain/chat/chat.ts';
import { person } from '#domain/people/actor.ts';
import type { Plan, PlanDraft } from '#domain/plan/plan.ts';
import { openPlatform } from '../../fixtures/chat-platform.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop, reach, type TestInstance } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { delivered, open, openPostingInstance, openSpeaker } from './bench.ts';

const database = useDatabase();
const ana = person('ana@example.com', 'slack');
const ben = person('ben@example.com', 'slack');

const base: PlanDraft = {
  title: 'Weekly report',
  steps: [noop('1')],
  approvers: { kind: 'named', people: ['ben@example.com', 'ana@example.com', 'Cleo'] },
};

// A new platform would get earlier cards posted again.
const platform = openPlatform();
let instance: TestInstance;
let threads = 0;
let here: string;

// Direct channels are per thread.
function answer(post: ChatPost): Posted {
  const posted = platform.standing.find(({ message }) => message === post.message);
  const reached = (posted?.content.mention?.people ?? []).flatMap(({ name }) => {
    const place = { ...post, channel: `D${post.thread}-${name}`, thread: null };
    return name.includes('@') ? [{ name, place, timezone: null }] : [];
  });
  return { ...post, reached, link: `https://chat.example.com/${post.message}` };
}

beforeAll(async () => {
  instance = await openPostingInstance(database.url, { platform: () => platform });
});
afterAll(() => instance.close());
beforeEach(async () => {
  Object.assign(platform, { before() {}, after() {}, answer });
  const thread = String(++threads);
  here = await open(instance, { platform: 'slack', tenant: 'T1', channel: 'C1', thread });
});

const ask = (draft = base) =>
  instance.service.propose(draft, { user: ana.id, conversation: here }, ana);

const isHere = ({ thread }: ChatPlace) => thread === String(threads);
const inThread = () => platform.standing.filter(({ place }) => isHere(place));
const alone = (name: string) =>
  platform.standing.filter(({ place }) => place.channel === `D${threads}-${name}`);

function watchPosts(): ChatContent[] {
  const posts: ChatContent[] = [];
  platform.before = ({ verb, place, content }) => {
    if (verb === 'post' && isHere(place)) posts.push(content);
  };
  return posts;
}

test('approvers who are not there are mentioned on the card and told alone; who asked is not', async () => {
  await ask();
  const [notice] = await waitFor('ben to be told', () => {
    const found = alone('ben@example.com');
    return found.length === 0 ? null : found;
  });
  expect(notice?.content.text).toMatch(/ana.* asks for your approval of PLAN-.* “Weekly report”/);
  const [card] = inThread();
  expect(JSON.stringify(notice?.content.card)).toContain(
    `https://chat.example.com/${card?.message}`,
  );
  expect(card?.content.mention?.people.map(({ name }) => name)).toEqual([
    'ben@example.com',
    'Cleo',
  ]);
  await delivered(instance);
  expect(alone('ana@example.com')).toEqual([]);
});

test('once the plan is approved nobody is mentioned on the card any more', async () => {
  const { id } = await ask();
  await waitFor('ben to be told', () => alone('ben@example.com').length === 1);
  const plan = await instance.service.getPlan(id);
  await instance.service.approve(id, plan, ben);
  await waitFor('the card to follow', () => inThread()[0]?.content.mention === undefined);
  await delivered(instance);
  expect(alone('ben@example.com')).toHaveLength(1);
});

test('a post whose answer is lost tells nobody twice', async () => {
  let lost = 2;
  platform.after = ({ verb, place }) => {
    if (verb === 'post' && isHere(place) && lost-- > 0) throw new Error('gone');
  };
  await ask();
  await waitFor('ben to be told', () => alone('ben@example.com').length === 1);
  await delivered(instance);
  expect(alone('ben@example.com')).toHaveLength(1);
});

test('who has decided before the card is noted is not told', async () => {
  let plan: Plan | undefined;
  platform.after = async ({ verb, place }) => {
    if (verb !== 'post' || !isHere(place)) return;
    if (plan?.status !== 'proposed') return;
    const { version, digest } = plan;
    plan = await instance.service.approve(plan.id, { version, digest }, ben);
  };
  plan = await ask();
  await reach(instance, plan.id, 'completed');
  await delivered(instance);
  expect(alone('ben@example.com')).toEqual([]);
});

test('the person of a task is told when it waits for them, and no reminder of theirs is a second mention', async () => {
  const draft: PlanDraft = {
    title: 'Ask ben',
    steps: [
      draftStep('ask', 'Ask about the cost', 'human_task', {
        question: 'What did it cost?',
        assignee: 'ben@example.com',
      }),
    ],
  };
  const { id } = await ask(draft);
  await delivered(instance);
  expect(inThread()[0]?.content.mention).toBeUndefined();
  const plan = await instance.service.getPlan(id);
  await instance.service.approve(id, plan, ana);
  const [notice] = await waitFor('ben to be told', () => {
    const found = alone('ben@example.com');
    return found.length === 0 ? null : found;
  });
  expect(notice?.content.text).toContain('What did it cost?');
  await instance.service.pause(id, { version: plan.version }, ana);
  await instance.service.resume(id, { version: plan.version }, ana);
  await delivered(instance);
  expect(alone('ben@example.com')).toHaveLength(1);
});

test('a card that was deleted comes back without a second mention', async () => {
  const { id } = await ask();
  await waitFor('ben to be told', () => alone('ben@example.com').length === 1);
  await delivered(instance);
  platform.delete(inThread()[0]?.message ?? '');
  const postedInThread = watchPosts();
  const speaker = await openSpeaker(instance);
  onTestFinished(() => speaker.close());
  await speaker.rename(id, 'Another report');
  await waitFor('the card to come back', () => inThread().length > 0);
  await delivered(instance);
  // Platforms don't notify of mentions added by an edit.
  expect(postedInThread.map(({ mention }) => mention)).toEqual([undefined]);
  expect(alone('ben@example.com')).toHaveLength(1);
});

test('whom a notice cannot be stored for holds up no card, and has none posted again', async () => {
  const posted = watchPosts();
  platform.answer = (post) => ({
    ...answer(post),
    reached: [
      {
        name: 'ben@example.com',
        place: { ...post, channel: 'D\u0000', thread: null },
        timezone: null,
      },
    ],
  });
  const { id } = await ask();
  await waitFor('the card', () => inThread().length === 1);
  const plan = await instance.service.getPlan(id);
  await instance.service.approve(id, plan, ana);
  await waitFor('the card to follow', () => (inThread()[0]?.changes ?? 0) > 0);
  await delivered(instance);
  expect(new Set(posted.map(({ text }) => text)).size).toBe(posted.length);
});
