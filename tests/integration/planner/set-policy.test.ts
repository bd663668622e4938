// Preferences with a model: it reads people's words in any language and stores them with set_policy. Words read offline by rules
// are not read twice.
import { describe, expect, test } from 'vitest';
import { readLatestMessages } from '#db/chat/messages.ts';
import { readPolicy } from '#db/people/policies.ts';
import { readRun } from '#db/planning/runs.ts';
import type { PolicyOverride } from '#domain/people/policy.ts';
import { call, proposeFiles } from '../../fixtures/model-calls.ts';
import { ben } from '../../setup/instance.ts';
import { useModelInstance } from '../../setup/use-instance.ts';

const instance = useModelInstance();

type PolicyChanges = PolicyOverride & { lasting?: boolean };

function set({ lasting = false, ...changes }: PolicyChanges) {
  return call('set_policy', { changes, lasting });
}

const toldIn = (index: number) =>
  instance
    .requests()
    [index]?.messages.map(({ content }) => content ?? '')
    .join('\n') ?? '';
const answersIn = (index: number) =>
  instance
    .requests()
    [index]?.messages.filter(({ role }) => role === 'tool')
    .map(({ content }) => content);
const textsIn = async (conversation: string) =>
  (await readLatestMessages(instance.db.query, conversation, 20)).map(({ text }) => text);

describe('set_policy', () => {
  const policiesOf = async (run: string) => ({
    run: (await readRun(instance.db.query, run)).policy,
    person: (await readPolicy(instance.db.query, 'ana')).policy,
  });
  const none = { run: {}, person: {} };

  test('is asked about before it holds, and holds in the conversation once the person agrees', async () => {
    instance.play([set({ conversation_style: 'concise' }), proposeFiles(['a.txt'])]);
    const conversation = 'sei-kurz';
    const asked = await instance.ask('Fass dich bitte kurz', { conversation });
    expect(asked).toMatchObject({
      planning_status: 'needs_clarification',
      questions: [expect.stringContaining('In this conversation, Style is Concise.')],
    });
    const card = await instance.service.runCard(asked.run_id, { user: 'ana', timezone: 'UTC' });
    expect(card.offers.map(({ name }) => name)).toEqual(['Yes, keep that', 'No']);
    expect(await policiesOf(asked.run_id)).toEqual(none);
    const next = await instance.reply(asked.run_id, card.offers[0]?.answer ?? '');
    expect(next.plan_id).toBeDefined();
    expect(toldIn(1)).toContain('At most 2 sentences');
    expect(await policiesOf(asked.run_id)).toEqual({
      ...none,
      run: { conversation_style: 'concise' },
    });
  });

  test.each([
    ['No', 'ana'],
    ['yes but later', 'ana'],
    ['Yes, keep that', 'ben'],
  ])('“%s” by %s keeps nothing', async (answer, by) => {
    instance.play([
      set({ approval_policy: 'strict_every_step', lasting: true }),
      proposeFiles(['a.txt']),
    ]);
    const asked = await instance.ask('Write a.txt, and always ask me before each step', {
      conversation: `kept-not-${answer}-${by}`,
    });
    await instance.reply(asked.run_id, answer, by === 'ben' ? ben : undefined);
    expect(await policiesOf(asked.run_id)).toEqual(none);
  });

  test('can be kept for good, and is said', async () => {
    instance.play([
      set({ approval_policy: 'strict_every_step', lasting: true }),
      proposeFiles(['a.txt']),
    ]);
    const conversation = 'strict';
    const asked = await instance.ask('Write a.txt, and always ask me before each step', {
      conversation,
    });
    const run = await instance.reply(asked.run_id, '1');
    // The outline comes first for this person, which no setting had said before.
    expect(run.planning_status).toBe('needs_clarification');
    expect(run.plan_id).toBeUndefined();
    expect(await textsIn(conversation)).toContain('From now on, Approvals is Every step.');
    const policy = { approval_policy: 'strict_every_step' };
    expect(await policiesOf(run.run_id)).toEqual({ run: policy, person: policy });
  });

  test('never takes an approval away', async () => {
    instance.play([
      set({ approval_policy: 'single_final' }),
      call('answer', { text: 'You can change that in your preferences.', cannot: null }),
    ]);
    const policy = { approval_policy: 'strict_every_step' as const };
    const run = await instance.ask('Only ask me once', {
      conversation: 'looser',
      interaction_policy: policy,
    });
    expect(answersIn(1)?.[0]).toContain('Only the person');
    expect((await readRun(instance.db.query, run.run_id)).policy).toEqual(policy);
  });

  test('of somebody else’s words is refused', async () => {
    instance.play([
      call('elicit_context', {
        questions: [
          { id: 'name', question: 'Which name?', why: null, default: null, essential: true },
        ],
      }),
      set({ tone: 'friendly' }),
      call('answer', { text: 'Which name?', cannot: null }),
    ]);
    const run = await instance.ask('Write a file', { conversation: 'two people' });
    await instance.reply(run.run_id, 'Be friendlier to her', ben);
    expect(answersIn(2)?.at(-1)).toContain('Only the requester');
    expect((await readRun(instance.db.query, run.run_id)).policy).toEqual({});
  });
});
