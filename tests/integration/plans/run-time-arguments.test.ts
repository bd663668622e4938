// Arguments chosen by a model at run time: costs, limits, confirmation.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { viewPlan } from '#cards/view-model.ts';
import { readSpentSince } from '#db/planning/spending.ts';
import type { Caps } from '#domain/budget.ts';
import { startOfUtcDay, systemClock } from '#domain/clock.ts';
import { CountersignError } from '#domain/errors.ts';
import type { PlanContext, Step } from '#domain/plan/plan.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import type { Json, JsonObject } from '#domain/text.ts';
import { payOnPlan } from '#executor/budget.ts';
import type { ExecutorContext } from '#executor/executor-context.ts';
import { runStep } from '#executor/run-step.ts';
import { createChatModel } from '#models/chat-model.ts';
import { createModelClient } from '#models/client.ts';
import { decideArguments } from '#models/decide-arguments.ts';
import { createBudget } from '#planner/budget/budget.ts';
import { type OpenAiDouble, start, type Turn } from '../../fixtures/openai-double.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import {
  ana,
  openTestInstance,
  settleAsRead,
  type TestInstance,
  withOpened,
} from '../../setup/instance.ts';
import { readsOf } from '../../setup/reads.ts';
import { claimReady, makeExecutor, mayCall, runClaimed, startBy, usualCaps } from './bench.ts';

const database = useDatabase();
let instance: TestInstance;
const { resume } = readsOf(() => instance);
let executor: ReturnType<typeof makeExecutor>;
let server: OpenAiDouble;
let answer: (question: string) => Turn;

beforeAll(async () => {
  server = await start({
    script: ({ messages }) =>
      answer(String(messages.findLast(({ role }) => role === 'user')?.content)),
  });
  const model = createChatModel({
    client: createModelClient({ baseUrl: server.url }),
    api: 'chat',
    name: 'gpt-4.1',
  });
  instance = await openTestInstance(database.url, {
    work: false,
    env: { OPENAI_BASE_URL: server.url, EXECUTOR_MODEL: 'gpt-4.1' },
  });
  executor = makeExecutor(instance, { decide: (_, request) => decideArguments(model, request) });
});
afterAll(async () => {
  executor.leases.stop();
  await instance.close();
  await server.close();
});

const budgetOf = (caps: Partial<Caps>) =>
  createBudget({ db: instance.db, clock: systemClock, caps: { ...usualCaps, ...caps } });

const runReady = async (planId: string, context: ExecutorContext = executor) =>
  (await runClaimed(context, planId)).outcomes;

const deletes = (path: Json, rest: JsonObject = {}): StepDraft =>
  draftStep('d', 'Delete one', 'workspace_delete', { path, ...rest });
const writes = (content: Json, path = 'note.md'): StepDraft =>
  draftStep('w', 'Write a note', 'workspace_write', { path, content });
const choose = (name: string, args: JsonObject) => (): Turn => ({ calls: [{ name, args }] });
const settle = (planId: string, resolution: 'retry' | 'failed') =>
  settleAsRead(instance, planId, { d: resolution });
async function rerun(planId: string, step: string) {
  const { revision } = await instance.service.overview(planId);
  const again = { op: 'rerun_steps' as const, steps: { ids: [step] } };
  const change = { base_revision: revision, operations: [again] };
  const { version, digest } = await instance.service.patch(planId, change, ana);
  await instance.service.approve(planId, { version, digest }, ana);
}
const stepOf = async (planId: string): Promise<Step> => {
  const [step] = (await instance.service.listSteps(planId, { limit: 10 })).steps;
  if (step === undefined) throw new Error('there is no step');
  return step;
};
const put = (path: string, content = 'x') => writeFile(join(instance.workspace, path), content);
const get = (path: string) => readFile(join(instance.workspace, path), 'utf8');

const limited = (budget_usd: number): PlanContext => ({
  ...{ tool_outputs: {}, notes: '', artifacts: [], budget_usd },
});

function counting(calls: JsonObject[]): ExecutorContext {
  const counted = withOpened(executor.registry, (tools) => ({
    get(name) {
      const operation = tools.get(name);
      if (operation === undefined || name !== 'workspace_delete') return operation;
      return {
        ...operation,
        call: (args, context) => {
          calls.push(args);
          return operation.call(args, context);
        },
      };
    },
  }));
  return { ...executor, registry: counted };
}

test('a step whose target changes while it waits for a slot asks instead of calling', async () => {
  await put('late.md', 'as it was shown');
  const { slots } = executor;
  const context: ExecutorContext = {
    ...executor,
    slots: {
      ...slots,
      async run(begin, signal) {
        await put('late.md', 'changed while it waited');
        await pause(300);
        return slots.run(begin, signal);
      },
    },
  };
  const plan = { title: 'Delete late', steps: [deletes('late.md')] };
  const { id } = await startBy(executor, instance, plan);
  await runReady(id, context);
  const { status, question } = await stepOf(id);
  expect(status).toBe('waiting');
  expect(question).toContain('late.md changed after the plan was approved');
  expect(await get('late.md')).toBe('changed while it waited');
  await settle(id, 'retry');
  await runReady(id);
  await expect(get('late.md')).rejects.toThrow('ENOENT');
});

describe('a guarded step with run-time arguments', () => {
  test('waits with the final values, and once confirmed is called with exactly these, once', async () => {
    await put('old.md');
    await put('new.md');
    answer = choose('workspace_delete', { path: 'old.md' });
    const calls: JsonObject[] = [];
    const context = counting(calls);
    const { id } = await startBy(executor, instance, [deletes({ $decide: 'the oldest file' })]);
    await runReady(id, context);
    expect(await stepOf(id)).toMatchObject({
      status: 'waiting',
      question: 'Run this now? Permanently deletes old.md',
      final_args: { path: 'old.md' },
    });
    expect(calls).toEqual([]);
    const confirm = { version: 1, steps: { d: 'retry' as const } };
    await expect(instance.service.resume(id, confirm, ana)).rejects.toMatchObject({
      code: 'invalid_request',
    });
    const earlier = { d: { attempt: 0, status: 'waiting' as const } };
    await expect(
      instance.service.resume(id, { ...confirm, about: earlier }, ana),
    ).rejects.toMatchObject({ code: 'already_decided' });
    // The confirmed value counts, not a new choice.
    answer = choose('workspace_delete', { path: 'new.md' });
    const asked = server.requests.length;
    await settle(id, 'retry');
    await runReady(id, context);
    expect((await instance.service.getPlan(id)).status).toBe('completed');
    expect(calls).toEqual([{ path: 'old.md' }]);
    expect(server.requests).toHaveLength(asked);
    await expect(get('old.md')).rejects.toThrow('ENOENT');
    expect(await get('new.md')).toBe('x');
    await expect(settle(id, 'retry')).rejects.toThrow();
    await runReady(id, context);
    expect(calls).toHaveLength(1);
  });

  test('is never called when a person says no, and asks anew when a change has it run again', async () => {
    answer = choose('workspace_delete', { path: 'first.md' });
    const calls: JsonObject[] = [];
    const context = counting(calls);
    const { id } = await startBy(executor, instance, {
      title: 'Refuse',
      steps: [deletes({ $decide: 'the oldest file' })],
    });
    await runReady(id, context);
    await settle(id, 'failed');
    expect((await instance.service.getPlan(id)).status).toBe('completed');
    await runReady(id, context);
    answer = choose('workspace_delete', { path: 'second.md' });
    await rerun(id, 'd');
    await runReady(id, context);
    expect(await stepOf(id)).toMatchObject({
      status: 'waiting',
      question: 'Run this now? Permanently deletes second.md',
      final_args: { path: 'second.md' },
    });
    expect(calls).toEqual([]);
  });

  test('asks again when what surrounds the confirmed values has changed', async () => {
    await put('changed.md');
    answer = choose('workspace_delete', { path: 'changed.md', recursive: false });
    const calls: JsonObject[] = [];
    const context = counting(calls);
    const { id } = await startBy(executor, instance, [
      deletes({ $decide: 'the oldest file' }, { recursive: false }),
    ]);
    await runReady(id, context);
    await settle(id, 'retry');
    await instance.db.query.execute(sql`
      update countersign.step_states set final_args = final_args || '{"recursive": true}'
      where plan_id = ${id}`);
    await runReady(id, context);
    expect(await stepOf(id)).toMatchObject({
      status: 'waiting',
      question: expect.stringContaining('changed.md'),
      final_args: { path: 'changed.md', recursive: false },
    });
    expect(calls).toEqual([]);
    await settle(id, 'retry');
    await runReady(id, context);
    expect(calls).toEqual([{ path: 'changed.md', recursive: false }]);
  });

  test('is checked against the schema again before the call', async () => {
    answer = choose('workspace_delete', { path: 'strict.md' });
    const calls: JsonObject[] = [];
    const context = counting(calls);
    const { id } = await startBy(executor, instance, [deletes({ $decide: 'the oldest file' })]);
    await runReady(id, context);
    await settle(id, 'retry');
    const { registry } = context;
    const stricter = withOpened(registry, () => ({ validate: () => ['path must be a folder'] }));
    const [outcome] = await runReady(id, { ...context, registry: stricter });
    expect(outcome).toMatchObject({
      status: 'failed',
      error: { code: 'invalid_arguments', message: 'path must be a folder.' },
    });
    expect(calls).toEqual([]);
  });

  test('asks too when its operation became guarded after the approval', async () => {
    answer = choose('workspace_write', { content: 'hello' });
    const { id } = await startBy(executor, instance, [
      writes({ $decide: 'a greeting' }, 'later.md'),
    ]);
    const [outcome] = await runReady(id, { ...executor, guardedTools: ['workspace_write'] });
    expect(outcome?.status).toBe('waiting');
    await expect(get('later.md')).rejects.toThrow('ENOENT');
  });
});

const read: StepDraft = draftStep('r', 'Read the list', 'workspace_read', { path: 'list.txt' });
const from = (id: string, path: string) => ({ $from: id, path });
const stepNamed = async (planId: string, id: string) => {
  const [step] = await instance.service.getSteps(planId, [id]);
  if (step === undefined) throw new Error(`There is no step ${id}.`);
  return step;
};

describe('values that an earlier step put out', () => {
  test('do not decide what is deleted until a person has seen them', async () => {
    await put('list.txt', 'payroll.csv');
    await put('payroll.csv');
    const { id } = await startBy(executor, instance, {
      title: 'Clean up',
      steps: [read, deletes(from('r', '/text'))],
    });
    await runReady(id);
    await runReady(id);
    const asked = await stepNamed(id, 'd');
    expect(asked).toMatchObject({ status: 'waiting', final_args: { path: 'payroll.csv' } });
    expect(asked.call.headline).toEqual([
      'Permanently deletes',
      { text: 'payroll.csv', later: false },
    ]);
    expect(await get('payroll.csv')).toBe('x');
    await settle(id, 'retry');
    await runReady(id);
    expect((await instance.service.getPlan(id)).status).toBe('completed');
    await expect(get('payroll.csv')).rejects.toThrow('ENOENT');
  });

  test('are asked about again when they have changed since they were confirmed', async () => {
    await put('list.txt', 'one.md');
    await put('one.md');
    await put('two.md');
    const { id } = await startBy(executor, instance, [read, deletes(from('r', '/text'))]);
    await runReady(id);
    await runReady(id);
    await settle(id, 'retry');
    await instance.db.query.execute(sql`
      update countersign.step_states set output = output || '{"text": "two.md"}'
      where plan_id = ${id} and step_id = 'r'`);
    await runReady(id);
    expect(await stepNamed(id, 'd')).toMatchObject({
      status: 'waiting',
      final_args: { path: 'two.md' },
    });
    expect([await get('one.md'), await get('two.md')]).toEqual(['x', 'x']);
  });

  test('are asked about again when a change has a refused call run again, also where each step asks', async () => {
    await put('list.txt', 'kept.md');
    await put('kept.md');
    const { id } = await startBy(executor, instance, {
      title: 'Refused',
      steps: [read, deletes(from('r', '/text'))],
      step_approval: 'each',
    });
    await runReady(id);
    await settleAsRead(instance, id, { r: 'retry' });
    await runReady(id);
    await runReady(id);
    await settle(id, 'failed');
    await rerun(id, 'd');
    await runReady(id);
    expect((await stepNamed(id, 'd')).status).toBe('waiting');
    expect(await get('kept.md')).toBe('x');
  });

  test.each<[string, JsonObject, StepDraft['operation'], StepDraft['tool']]>([
    ['the address of a request', { method: 'GET', url: from('r', '/text') }, 'request', 'http'],
    [
      'a header, however deep it is',
      { url: 'https://example.test/', headers: { 'x-note': from('r', '/text') } },
      'get',
      'http',
    ],
    ['where a file is moved', { from: 'a.md', to: from('r', '/text') }, 'move', 'workspace'],
    ['which file is written', { path: from('r', '/text'), content: 'x' }, 'write', 'workspace'],
    ['which calendar is read', { calendar: from('r', '/text') }, 'read', 'calendar'],
  ])('do not decide %s without a person', async (_, args, operation, tool) => {
    await put('list.txt', 'https://example.test/secret');
    const { id } = await startBy(executor, instance, [
      read,
      { id: 'd', description: 'Use it', tool, operation, args },
    ]);
    await runReady(id);
    const calls: string[] = [];
    const registry = withOpened(executor.registry, (tools) => ({
      validate: () => [],
      get(name) {
        const found = tools.get(name);
        const call = async () => {
          calls.push(name);
          return { kind: 'done' as const, data: {}, summary: '' };
        };
        return found === undefined ? undefined : { ...found, call };
      },
    }));
    await runReady(id, { ...executor, registry });
    expect((await stepNamed(id, 'd')).status).toBe('waiting');
    expect(calls).toEqual([]);
  });
});

describe('a value that the model cannot decide', () => {
  const cannot = (name: string, reason = 'Nothing says which one.') =>
    choose(name, { cannot_decide: reason });
  const cardOf = async (planId: string) =>
    viewPlan(await instance.service.card(planId, { user: 'ana', timezone: 'UTC' }));

  test('is asked of a person with the reason, and used as it is filled in', async () => {
    answer = cannot('workspace_write');
    const { id } = await startBy(executor, instance, {
      title: 'Open',
      steps: [writes({ $decide: 'the greeting' }, 'open.md')],
    });
    await runReady(id);
    const asked = await stepOf(id);
    expect(asked).toMatchObject({ status: 'waiting', error: null, final_args: null });
    const [ask] = (await cardOf(id)).asks;
    expect(ask).toMatchObject({
      label: expect.stringContaining('Choose its values'),
      quotes: expect.arrayContaining([
        { by: 'Why you are asked', words: '“Nothing says which one.”' },
      ]),
      fields: [
        { name: 'value_1', type: 'multiline', label: 'content: the greeting', required: true },
      ],
    });
    expect(ask?.buttons.map(({ label }) => label)).toEqual(['Fill in', "Don't run it"]);
    const fill = (answers: Record<string, Record<string, string>>) =>
      resume(id, { steps: { w: 'done' }, answers });
    await expect(fill({ w: {} })).rejects.toMatchObject({ code: 'invalid_answer' });
    answer = () => ({ text: 'I am not asked again.' });
    await fill({ w: { value_1: 'Good morning' } });
    await runReady(id);
    expect((await instance.service.getPlan(id)).status).toBe('completed');
    expect(await get('open.md')).toBe('Good morning');
  });

  test('is confirmed like any other where the call is destructive, and never made before', async () => {
    await put('chosen.md');
    answer = cannot('workspace_delete');
    const calls: JsonObject[] = [];
    const context = counting(calls);
    const { id } = await startBy(executor, instance, [deletes({ $decide: 'the oldest file' })]);
    await runReady(id, context);
    await resume(id, { steps: { d: 'done' }, answers: { d: 'chosen.md' } });
    await runReady(id, context);
    expect(await stepOf(id)).toMatchObject({
      status: 'waiting',
      final_args: { path: 'chosen.md' },
      output: { confirm: true },
    });
    expect(calls).toEqual([]);
    await settle(id, 'retry');
    await runReady(id, context);
    expect(calls).toEqual([{ path: 'chosen.md' }]);
  });

  test('is asked for again where what was filled in does not fit', async () => {
    answer = cannot('workspace_write');
    const { id } = await startBy(executor, instance, [
      writes({ $decide: 'the greeting' }, 'misfit.md'),
    ]);
    await runReady(id);
    await resume(id, { steps: { w: 'done' }, answers: { w: 'hello' } });
    const validate = () => ['content must be polite'];
    await runReady(id, {
      ...executor,
      registry: withOpened(executor.registry, () => ({ validate })),
    });
    expect(await stepOf(id)).toMatchObject({
      status: 'waiting',
      output: { undecided: 'What was filled in does not fit: content must be polite.' },
    });
    await resume(id, { steps: { w: 'failed' } });
    expect(await instance.service.getPlan(id)).toMatchObject({
      status: 'completed',
      result_summary: 'Nothing was done, 1 step skipped. Step 1 was skipped: ana said no.',
    });
  });
});

describe('what deciding costs', () => {
  const spentToday = () => readSpentSince(instance.db.query, startOfUtcDay(systemClock.now()));

  test('is added to the plan and to the day once, also when the answer is of no use', async () => {
    answer = () => ({ text: 'I do not know.' });
    const before = await spentToday();
    const { id } = await startBy(executor, instance, [writes({ $decide: 'a greeting' })]);
    const [outcome] = await runReady(id);
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'model_failed' } });
    // Three answers of 100 tokens in and 20 out, at $2 and $8 a million.
    const cost = 3 * ((100 * 2 + 20 * 8) / 1_000_000);
    expect((await instance.service.getPlan(id)).cost_usd).toBeCloseTo(cost, 10);
    expect((await spentToday()) - before).toBeCloseTo(cost, 10);
  });

  test('stays when the process ends between the answer and the outcome', async () => {
    answer = choose('workspace_write', { content: 'hello' });
    const { id } = await startBy(executor, instance, [writes({ $decide: 'a greeting' })]);
    const { plan, steps } = await claimReady(executor, id, 1);
    const [step] = steps;
    if (step === undefined) throw new Error('nothing was ready');
    const lease = { plan_id: id, position: step.position, attempt: step.attempt };
    const { signal } = new AbortController();
    const run = { context: executor, plan, step, lease, signal, mark: mayCall };
    await runStep({ ...run, cutOff: () => {}, mayBegin: () => false });
    expect((await instance.service.getPlan(id)).cost_usd).toBeGreaterThan(0);
  });

  test.each([
    ['the plan’s', { perSession: 0.0001 }, 'BUDGET_PER_SESSION_USD'],
    ['the day’s', { perDay: 0.0001 }, 'BUDGET_PER_DAY_USD'],
    ['the person’s', { perPerson: 0.0001 }, 'limits.person.usd_per_day'],
  ])('calls no model beyond %s budget', async (_, caps, setting) => {
    answer = choose('workspace_write', { content: 'hello' });
    const asked = server.requests.length;
    const { id } = await startBy(executor, instance, [writes({ $decide: 'a greeting' })]);
    const [outcome] = await runReady(id, { ...executor, budget: budgetOf(caps) });
    expect(outcome).toMatchObject({
      status: 'failed',
      error: { code: 'budget_exhausted', message: expect.stringContaining(setting) },
    });
    expect(server.requests).toHaveLength(asked);
    expect((await instance.service.getPlan(id)).cost_usd).toBe(0);
    await instance.service.retry(id, { version: 1 }, ana);
    await runReady(id);
    expect((await instance.service.getPlan(id)).status).toBe('completed');
    expect(await get('note.md')).toBe('hello');
  });
});

describe('what text tools cost', () => {
  const spentToday = () => readSpentSince(instance.db.query, startOfUtcDay(systemClock.now()));
  const texts = (count = 1): StepDraft[] =>
    Array.from({ length: count }, (_, index) => ({
      id: `t${index}`,
      description: 'Write a text',
      tool: 'text',
      operation: index % 2 === 0 ? 'write' : 'summarize',
      args: index % 2 === 0 ? { instructions: 'A poem' } : { text: 'A long story' },
    }));
  // 100 tokens in and 20 out, at $2 and $8 a million.
  const each = (100 * 2 + 20 * 8) / 1_000_000;

  test('is added to the plan and to the day once, also when the answer is of no use', async () => {
    answer = (question) => ({ text: question.includes('story') ? ' ' : 'Roses' });
    const before = await spentToday();
    const { id } = await startBy(executor, instance, { title: 'Texts', steps: texts(2) });
    const outcomes = await runReady(id);
    expect(outcomes.map(({ status }) => status)).toEqual(['succeeded', 'failed']);
    expect((await instance.service.getPlan(id)).cost_usd).toBeCloseTo(2 * each, 10);
    expect((await spentToday()) - before).toBeCloseTo(2 * each, 10);
  });

  test('is nothing when the server refuses the call', async () => {
    answer = () => ({ status: 400 });
    const { id } = await startBy(executor, instance, { title: 'Refused', steps: texts() });
    expect(await runReady(id)).toMatchObject([{ status: 'failed' }]);
    expect((await instance.service.getPlan(id)).cost_usd).toBe(0);
  });

  async function payOn(id: string, caps: Partial<Caps>) {
    const { plan, steps } = await claimReady(executor, id, 1);
    const [step] = steps;
    if (step === undefined) throw new Error('nothing was ready');
    return payOnPlan({
      context: { ...executor, budget: budgetOf(caps) },
      plan,
      step,
      lease: { plan_id: id, position: step.position, attempt: step.attempt },
      signal: new AbortController().signal,
      cutOff: () => {},
      mark: mayCall,
      mayBegin: () => true,
    });
  }

  test('stays within the limit of the plan itself, whatever the settings allow', async () => {
    const draft = { title: 'Thrifty', steps: texts(), context: limited(0.2) };
    const { id } = await startBy(executor, instance, draft);
    const pay = await payOn(id, { perSession: 500, perDay: 500 });
    const usage = { input_tokens: 1, output_tokens: 1 };
    const ask = (usd: number) =>
      pay({ model: 'm', kind: `kind of ${id}`, price: async () => usd }, async () => {
        return { cost_usd: usd, usage };
      });
    await ask(0.15);
    await expect(ask(0.06)).rejects.toMatchObject({
      code: 'budget_exhausted',
      message: expect.stringContaining("this plan's own limit ($0.20)"),
    });
    await ask(0.05);
    expect((await instance.service.getPlan(id)).cost_usd).toBe(0.2);
  });

  test.each([
    [0.01, null],
    [0.04, 'budget_exhausted'],
  ])(
    'is booked before the call, and one beside it waits until a call of $%d is settled',
    async (cost, refused) => {
      const { id } = await startBy(executor, instance, texts());
      const pay = await payOn(id, { perSession: 0.08, perDay: 500 });
      const priced = { model: 'm', kind: `kind of ${id}`, price: async () => 0.05 };
      const usage = { input_tokens: 1, output_tokens: 1 };
      const began = Promise.withResolvers<void>();
      const answered = Promise.withResolvers<{ cost_usd: number; usage: typeof usage }>();
      const order: string[] = [];
      const first = pay(priced, () => {
        began.resolve();
        return answered.promise;
      });
      await began.promise;
      // Cut off, so its maximum charge stays.
      const cut = new CountersignError('timed_out', 'It took too long.');
      const second = pay(priced, () => {
        order.push('called');
        return Promise.reject(cut);
      }).catch((error: CountersignError) => error.code);
      const over = { ...priced, price: async () => 0.09 };
      await expect(pay(over, () => answered.promise)).rejects.toMatchObject({
        code: 'budget_exhausted',
      });
      order.push('settled');
      answered.resolve({ cost_usd: cost, usage });
      await first;
      expect(await second).toBe(refused ?? 'timed_out');
      expect(order).toEqual(refused === null ? ['settled', 'called'] : ['settled']);
      const after = await instance.service.getPlan(id);
      expect(after.cost_usd).toBeCloseTo(refused === null ? cost + 0.05 : cost, 10);
    },
  );
});

describe('the pre-flight of a plan whose steps ask a model', () => {
  const caps = { BUDGET_PER_SESSION_USD: '2', BUDGET_PER_DAY_USD: '5' };
  const texts = (count: number, more: Partial<StepDraft> = {}): StepDraft[] =>
    Array.from({ length: count }, (_, index) => ({
      ...draftStep(`t${index}`, 'Write a text', 'text_write'),
      ...{ args: { instructions: 'A poem' }, ...more },
    }));
  async function approveWith(
    {
      env = {},
      settings = {},
      context,
    }: { env?: object; settings?: object; context?: PlanContext },
    steps: StepDraft[],
  ) {
    const small = await openTestInstance(database.url, {
      work: false,
      env: { OPENAI_BASE_URL: server.url, EXECUTOR_MODEL: 'gpt-4.1', ...caps, ...env },
      settings,
    });
    try {
      const draft = { title: 'Texts', steps, ...(context === undefined ? {} : { context }) };
      const plan = await small.service.propose(draft, { user: 'dora' }, ana);
      const { version, digest } = plan;
      return await small.service
        .approve(plan.id, { version, digest }, { ...ana, id: 'dora' })
        .then(({ status }) => status)
        .catch((error: CountersignError) => error);
    } finally {
      await small.close();
    }
  }
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();

  test.each([
    ['a plan', { env: { BUDGET_PER_SESSION_USD: '0.001' } }, 'BUDGET_PER_SESSION_USD'],
    ['a day', { env: { BUDGET_PER_DAY_USD: '0.0001' } }, 'BUDGET_PER_DAY_USD'],
    ['the plan itself', { context: limited(0.001) }, '\\$0\\.0010'],
    [
      'a person',
      { settings: { limits: { person: { usd_per_day: 0.0001 } } } },
      'limits.person.usd_per_day',
    ],
  ])(
    'says before it starts that the budget of %s does not allow for them',
    async (_, options, setting) => {
      expect(await approveWith(options, texts(30))).toMatchObject({
        code: 'preflight_failed',
        message: expect.stringMatching(new RegExp(`30 steps may ask gpt-4\\.1.*${setting}`)),
      });
    },
  );

  test.each([
    ['that ask none', {}, [writes('hello')]],
    ['that fit', {}, texts(3)],
    [
      'of another day',
      { env: { BUDGET_PER_DAY_USD: '0.0001' } },
      texts(3, { not_before: tomorrow }),
    ],
  ])('lets a plan pass with steps %s', async (_, options, steps) => {
    expect(await approveWith(options, steps)).toBe('approved');
  });
});
