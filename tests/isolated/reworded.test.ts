// Rewords every sentence: behaviour must not depend on words,
// except those of decisions (“approve”, “propose changes: …”).
import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { slackDrawing } from '#adapters/slack/platform.ts';
import { drawForChat } from '#chat/outbox/draw-message.ts';
import { readLatestMessages } from '#db/chat/messages.ts';
import type { Queryable } from '#db/database.ts';
import type { Plan, PlanDraft } from '#domain/plan/plan.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import type { PlanningRequest, RunView } from '#domain/planning/run.ts';
import { stagedPlanner } from '../fixtures/staged-planner.ts';
import { draftStep } from '../fixtures/steps.ts';
import { ana, noop, reach } from '../setup/instance.ts';
import { useInstance } from '../setup/use-instance.ts';
import { waitFor } from '../wait.ts';

const { reword } = vi.hoisted(() => ({
  async reword(load: () => Promise<object>): Promise<object> {
    const wrap = (value: unknown): unknown => {
      if (typeof value === 'string') return value === '' ? '' : `⟦${value.replaceAll('e', 'ë')}⟧`;
      if (value !== null && typeof value === 'object')
        return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, wrap(one)]));
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        const worded: unknown = value(...args);
        return typeof worded === 'string' ? wrap(worded) : worded;
      };
    };
    return Object.fromEntries(Object.entries(await load()).map(([key, one]) => [key, wrap(one)]));
  },
}));

vi.mock('#cards/calls-to-action.ts', reword);
vi.mock('#cards/message-text.ts', reword);
vi.mock('#cards/chat-words.ts', reword);
vi.mock('#cards/decision-words.ts', reword);
vi.mock('#plans/authority/approver-words.ts', reword);
vi.mock('#cards/plan-answers.ts', reword);
vi.mock('#domain/errors.ts', async (load: () => Promise<typeof import('#domain/errors.ts')>) => {
  const errors = await load();
  class CountersignError extends errors.CountersignError {
    constructor(
      ...[code, message, ...rest]: ConstructorParameters<typeof errors.CountersignError>
    ) {
      super(code, `⟦${message}⟧`, ...rest);
    }
  }
  return { ...errors, CountersignError };
});

const instance = useInstance({
  planner: { name: 'scripted', plan, parsePolicyRequest: () => null },
});
let db: Queryable;
const staged = stagedPlanner(() => db);

/** By ids; the fixture plays staged sessions. */
function plan(request: PlanningRequest, signal: AbortSignal) {
  if (/^(?:Plan|Invent|Spend|Hurry|Ask)/.test(request.text)) return staged.plan(request, signal);
  const drafts: Record<string, PlanDraft> = { human: { title: 'A task', steps: [humanTask] } };
  const answer = request.answers?.find(({ question_id }) => question_id === 'name')?.text;
  const feedback = request.revision?.feedback.at(-1);
  const asks = request.text === 'Make it' && answer === undefined;
  const title = feedback ?? answer ?? request.text;
  return Promise.resolve({
    result: asks
      ? {
          kind: 'question' as const,
          text: '⟦Which?⟧',
          questions: [{ id: 'name', text: '⟦Which?⟧' }],
        }
      : {
          kind: 'proposal' as const,
          draft: drafts[request.text] ?? { title, steps: [noop('1')] },
        },
    reason: '⟦why⟧',
    planner: 'scripted',
    confidence: 1,
    cost_usd: 0,
    trace: [],
    session: null,
  });
}

const humanTask: StepDraft = draftStep('1', 'Open the hall', 'human_task', {
  question: 'Is it open?',
});

beforeAll(async () => {
  db = instance.db.query;
});
let conversation = '';
beforeEach((context) => {
  conversation = `conv-${context.task.id}-${context.task.result?.retryCount ?? 0}`;
});

const say = (text: string) => instance.service.say(conversation, text, ana);

function rests(run: string, turn: number): Promise<RunView> {
  return waitFor(`turn ${turn}`, async () => {
    const view = await instance.service.getRun(run);
    return view.turn === turn && view.planning_status !== 'running' ? view : null;
  });
}

async function ask(text: string): Promise<string> {
  const { run_id } = await say(text);
  if (run_id === null) throw new Error('Nothing was asked.');
  return run_id;
}

async function planOf(run: string, turn: number): Promise<Plan> {
  const { plan_id } = await rests(run, turn);
  if (plan_id === undefined) throw new Error('There is no plan.');
  return instance.service.getPlan(plan_id);
}

const lastSaid = async () => {
  const messages = await readLatestMessages(db, conversation, 20);
  return messages.filter(({ author }) => author === 'bot').at(-1);
};

test('a question is answered, and what is planned is changed, approved and done', async () => {
  const run = await ask('Make it');
  expect((await rests(run, 1)).questions).toEqual(['⟦Which?⟧']);
  await say('the second');
  const first = await planOf(run, 2);
  expect(first).toMatchObject({ title: 'the second', status: 'proposed', version: 1 });
  expect((await lastSaid())?.text).toMatch(/^⟦.*⟧$/s);
  await say('propose changes: the third');
  const second = await planOf(run, 3);
  expect(second).toMatchObject({ id: first.id, title: 'the third', version: 2 });
  await say('approve');
  await reach(instance, first.id, 'completed');
  await waitFor('the news', async () => (await lastSaid())?.parts?.kind === 'progress');
});

test.each(['looks good', 'yes please', 'cancel it', 'undo that'])(
  'a near word decides nothing, and is told what would: %s',
  async (text) => {
    const run = await ask(`Title ${text}`);
    const { id } = await planOf(run, 1);
    await say(text);
    expect((await lastSaid())?.parts).toMatchObject({
      kind: 'notice',
      facts: { code: 'near_word', plan_id: id },
    });
    expect((await instance.service.getPlan(id)).status).toBe('proposed');
    await say('reject');
    expect((await instance.service.getPlan(id)).status).toBe('rejected');
  },
);

test('a person is asked to do a step, says that it is done, and the plan ends', async () => {
  const run = await ask('human');
  const { id, version } = await planOf(run, 1);
  await say('approve');
  const asked = await waitFor('the question', async () => {
    const message = await lastSaid();
    return message?.parts?.kind === 'task' ? message : null;
  });
  expect(asked.parts).toMatchObject({ facts: { step_id: '1', question: 'Is it open?' } });
  await instance.service.resume(id, { version, steps: { '1': 'done' } }, ana);
  await reach(instance, id, 'completed');
});

test('a session is decided at each gate, and its card leaves the call to its buttons', async () => {
  const run = await ask('Plan the launch');
  await rests(run, 1);
  const message = await lastSaid();
  expect(message?.parts).toMatchObject({ kind: 'gate', action: { kind: 'gate', gate: 'outline' } });
  const session = await instance.service.runCard(run, { user: 'ana', timezone: 'UTC' });
  const { card, text } = drawForChat(slackDrawing, {
    text: message?.text ?? '',
    parts: message?.parts ?? null,
    facts: null,
    session,
    superseded: false,
  });
  expect(JSON.stringify(card)).not.toMatch(/“approvë”/);
  expect(text).toMatch(/“approvë”/);
  await say('approve');
  await rests(run, 2);
  expect((await lastSaid())?.parts).toMatchObject({ action: { gate: 'roadmap' } });
  await say('approve');
  const { id } = await planOf(run, 3);
  await say('approve');
  await reach(instance, id, 'completed');
});

test.each([
  ['Invent a pattern', 'rfc'],
  ['Spend more', 'budget'],
])('%s waits, goes on once it is approved, and ends with a plan', async (text, kind) => {
  const run = await ask(text);
  await rests(run, 1);
  expect((await lastSaid())?.parts).toMatchObject({ kind, action: { kind } });
  await say('approve');
  expect((await planOf(run, 2)).status).toBe('proposed');
});

test('an offer is picked by its name, and questions that are answered go', async () => {
  const run = await ask('Ask me');
  await rests(run, 1);
  const { offers } = await instance.service.runCard(run, { user: 'ana', timezone: 'UTC' });
  expect(offers.map(({ name }) => name)).toEqual(['The blue one']);
  await say('The blue one');
  await rests(run, 2);
  const answers = [{ question_id: 'offers', text: 'The blue one' }];
  const messages = await readLatestMessages(db, conversation, 20);
  expect(messages.map(({ parts }) => parts)).toContainEqual(
    expect.objectContaining({ kind: 'said', facts: { answers, rest: null } }),
  );
});
