// Who is asked to do something: mentioned on the card that asks, and sent one direct message, even after crashes and retries.
import { expect, onTestFinished, test } from 'vitest';
import type { ChatContent, ChatPost, Posted } from '#domain/chat/chat.ts';
import { person } from '#domain/people/actor.ts';
import type { Plan, PlanDraft } from '#domain/plan/plan.ts';
import { openPlatform, type Platform } from '../../fixtures/chat-platform.ts';
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

/** The platform knows everyone who has an address, and each has a channel of their own. */
function knowing(platform: Platform): Platform {
  platform.answer = (post: ChatPost): Posted => {
    const said = platform.standing.find(({ message }) => message === post.message);
    const reached = (said?.content.mention?.people ?? []).flatMap(({ name }) => {
      const place = { ...post, channel: `D-${name}`, thread: null };
      return name.includes('@') ? [{ name, place, timezone: null }] : [];
    });
    return { ...post, reached, link: `https://chat.example.com/${post.message}` };
  };
  return platform;
}

let threads = 0;

async function useThread() {
  const platform = knowing(openPlatform());
  const instance = await openPostingInstance(database.url, { platform: () => platform });
  onTestFinished(() => instance.close());
  const thread = String(++threads);
  const here = await open(instance, { platform: 'slack', tenant: 'T1', channel: 'C1', thread });
  return { platform, instance, here };
}

function ask({ service }: TestInstance, here: string, draft = base) {
  return service.propose(draft, { user: ana.id, conversation: here }, ana);
}

const alone = ({ standing }: Platform, name: string) =>
  standing.filter(({ place }) => place.channel === `D-${name}`);
const inThread = ({ standing }: Platform) => standing.filter(({ place }) => place.thread !== null);

test('approvers who are not there are mentioned on the card and told alone; who asked is not', async () => {
  const { platform, instance, here } = await useThread();
  await ask(instance, here);
  const [told] = await waitFor('ben to be told', () => {
    const found = alone(platform, 'ben@example.com');
    return found.length === 0 ? null : found;
  });
  expect(told?.content.text).toMatch(/ana.* asks for your approval of PLAN-.* “Weekly report”/);
  expect(JSON.stringify(told?.content.card)).toContain('https://chat.example.com/m1');
  const [card] = inThread(platform);
  expect(card?.content.mention?.people.map(({ name }) => name)).toEqual([
    'ben@example.com',
    'Cleo',
  ]);
  await delivered(instance);
  expect(alone(platform, 'ana@example.com')).toEqual([]);
});

test('once the plan is approved nobody is mentioned on the card any more', async () => {
  const { platform, instance, here } = await useThread();
  const { id } = await ask(instance, here);
  await waitFor('ben to be told', () => alone(platform, 'ben@example.com').length === 1);
  const plan = await instance.service.getPlan(id);
  await instance.service.approve(id, plan, ben);
  await waitFor('the card to follow', () => inThread(platform)[0]?.content.mention === undefined);
  await delivered(instance);
  expect(alone(platform, 'ben@example.com')).toHaveLength(1);
});

test('a post whose answer is lost tells nobody twice', async () => {
  const { platform, instance, here } = await useThread();
  let lost = 2;
  platform.after = ({ verb, place }) => {
    if (verb === 'post' && place.thread !== null && lost-- > 0) throw new Error('gone');
  };
  await ask(instance, here);
  await waitFor('ben to be told', () => alone(platform, 'ben@example.com').length === 1);
  await delivered(instance);
  expect(alone(platform, 'ben@example.com')).toHaveLength(1);
});

test('who has decided before the card is noted is not told', async () => {
  const { platform, instance, here } = await useThread();
  let plan: Plan | undefined;
  platform.after = async ({ verb, place }) => {
    if (verb !== 'post' || place.thread === null) return;
    if (plan?.status !== 'proposed') return;
    const { version, digest } = plan;
    plan = await instance.service.approve(plan.id, { version, digest }, ben);
  };
  plan = await ask(instance, here);
  await reach(instance, plan.id, 'completed');
  await delivered(instance);
  expect(alone(platform, 'ben@example.com')).toEqual([]);
});

test('the person of a task is told when it waits for them, and no reminder of theirs is a second mention', async () => {
  const draft: PlanDraft = {
    title: 'Ask ben',
    steps: [
      {
        id: 'ask',
        description: 'Ask about the cost',
        tool: 'human',
        operation: 'task',
        args: { question: 'What did it cost?', assignee: 'ben@example.com' },
      },
    ],
  };
  const { platform, instance, here } = await useThread();
  const { id } = await ask(instance, here, draft);
  await delivered(instance);
  expect(inThread(platform)[0]?.content.mention).toBeUndefined();
  const plan = await instance.service.getPlan(id);
  await instance.service.approve(id, plan, ana);
  const [told] = await waitFor('ben to be told', () => {
    const found = alone(platform, 'ben@example.com');
    return found.length === 0 ? null : found;
  });
  expect(told?.content.text).toContain('What did it cost?');
  await instance.service.pause(id, { version: plan.version }, ana);
  await instance.service.resume(id, { version: plan.version }, ana);
  await delivered(instance);
  expect(alone(platform, 'ben@example.com')).toHaveLength(1);
});

test('a card that was deleted comes back without a second mention', async () => {
  const { platform, instance, here } = await useThread();
  const { id } = await ask(instance, here);
  await waitFor('ben to be told', () => alone(platform, 'ben@example.com').length === 1);
  await delivered(instance);
  platform.delete(inThread(platform)[0]?.message ?? '');
  const postedInThread: ChatContent[] = [];
  platform.before = ({ verb, place, content }) => {
    if (verb === 'post' && place.thread !== null) postedInThread.push(content);
  };
  const speaker = await openSpeaker(instance);
  onTestFinished(() => speaker.close());
  await speaker.rename(id, 'Another report');
  await waitFor('the card to come back', () => inThread(platform).length > 0);
  await delivered(instance);
  // A platform notifies nobody of a mention that an update adds.
  expect(postedInThread.map(({ mention }) => mention)).toEqual([undefined]);
  expect(alone(platform, 'ben@example.com')).toHaveLength(1);
});

test('whom a notice cannot be stored for holds up no card, and has none posted again', async () => {
  const { platform, instance, here } = await useThread();
  const { answer } = platform;
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
  const { id } = await ask(instance, here);
  await waitFor('the card', () => inThread(platform).length === 1);
  const plan = await instance.service.getPlan(id);
  await instance.service.approve(id, plan, ana);
  await waitFor('the card to follow', () => (inThread(platform)[0]?.changes ?? 0) > 0);
  await delivered(instance);
  const posted = platform.calls.filter(({ verb }) => verb === 'post').map(({ text }) => text);
  expect(new Set(posted).size).toBe(posted.length);
});
