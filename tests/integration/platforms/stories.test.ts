// Plans in a chat: the same stories on each platform.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Plan } from '#domain/plan/plan.ts';
import type { Planner } from '#domain/planning/run.ts';
import { stagedPlanner } from '../../fixtures/staged-planner.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop, reach, scriptedPlanner } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { settled } from '../inbox/bench.ts';
import { hasButton, planIn, see } from './cards.ts';
import { type Button, type Chat, startChats } from './chats.ts';

const database = useDatabase();
const scripted = scriptedPlanner(({ revision }) => ({
  kind: 'proposal',
  draft: { title: revision === null ? 'Two of nothing' : 'Revised', steps: [noop('a'), noop('b')] },
}));
const staged = stagedPlanner(() => chats.instance.db.query);
// Lower-case requests at once, others in stages.
const planner: Planner = {
  ...scripted,
  plan: (request, ...rest) =>
    (/^[a-z]/.test(request.text) || request.revision !== null ? scripted : staged).plan(
      request,
      ...rest,
    ),
};

let chats: Awaited<ReturnType<typeof startChats>>;
beforeAll(async () => {
  chats = await startChats(database.url, planner);
});
afterAll(() => chats.close());

const approve: Button = { action: 'approve', title: 'Approve' };
const change: Button = { action: 'propose_changes', title: 'Propose changes' };
const blue: Button = { action: 'session_answer', title: 'The blue one' };

async function askFor(chat: Chat): Promise<{ card: number; plan: Plan }> {
  await chat.ask('do nothing, twice');
  const card = await see(chat, 'PLAN-');
  const id = planIn(chat.messages()[card]);
  return { card, plan: await chats.instance.service.getPlan(id) };
}

const planNow = ({ id }: Plan) => chats.instance.service.getPlan(id);

describe.each(['slack', 'teams', 'webhook-chat'] as const)('%s', (platform) => {
  const open = () => chats.open[platform]();

  test('a plan is asked for, approved on its card and run, and the card ends without buttons', async () => {
    const chat = open();
    const { card, plan } = await askFor(chat);
    expect(hasButton(chat.messages()[card], 'approve')).toBe(true);
    await chat.press('ana', card, approve);
    const done = await reach(chats.instance, plan.id, 'completed');
    expect(done.approvals.map(({ by }) => by)).toEqual(['ana@example.com']);
    await waitFor('the final card', async () => !hasButton(chat.messages()[card], 'approve'));
  });

  test('who may not approve is told why, alone, and nothing is decided', async () => {
    const chat = open();
    const { card, plan } = await askFor(chat);
    const before = chat.messages().length;
    await chat.press('ben', card, approve);
    await waitFor('a refusal', async () => chat.told('ben').some((text) => text.includes('ana')));
    await settled(chats.instance);
    expect(chat.messages()).toHaveLength(before);
    expect(chat.told('ana')).toEqual([]);
    expect(await planNow(plan)).toMatchObject({ status: 'proposed', approvals: [] });
  });

  test('changes are proposed in words, and only the card of the next version decides', async () => {
    const chat = open();
    const { card, plan } = await askFor(chat);
    await chat.press('ben', card, approve);
    await chat.press('ana', card, change, 'leave out b');
    await waitFor('version 2', async () => (await planNow(plan)).version === 2);
    const next = await see(chat, 'Revised');
    expect(next).toBeGreaterThan(card);
    await waitFor(
      'the old card without buttons',
      async () => !hasButton(chat.messages()[card], 'approve'),
    );
    expect((await planNow(plan)).status).toBe('proposed');
    await chat.press('ana', next, approve);
    await reach(chats.instance, plan.id, 'completed');
  });

  test('a question is answered by its button, and the answer reaches the planner', async () => {
    const chat = open();
    await chat.ask('Ask me');
    const asked = await see(chat, 'session_answer');
    const before = staged.asked.filter(({ text }) => /blue/i.test(text)).length;
    await chat.press('ana', asked, blue);
    await waitFor(
      'the answer',
      async () => staged.asked.filter(({ text }) => /blue/i.test(text)).length > before,
    );
  });

  test('a word in the thread of a plan is heard without a mention', async () => {
    const chat = open();
    await askFor(chat);
    const before = chat.messages().length;
    await chat.say('ana', 'status');
    await waitFor('the answer', async () => chat.messages().length > before);
    expect(chat.messages().at(-1)).toContain('waiting for approval');
  });

  test('the list of plans is for the one who asks, and says what is no command', async () => {
    const chat = open();
    const { plan } = await askFor(chat);
    await chat.list('ana', 'mine');
    await waitFor('the list', async () => chat.told('ana').some((text) => text.includes(plan.id)));
    await chat.list('ana', 'running');
    await waitFor('nothing', async () => chat.told('ana').length >= 2);
    expect(chat.told('ana').at(-1)).not.toContain(plan.id);
  });
});
