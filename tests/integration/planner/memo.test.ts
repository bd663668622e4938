// Paid replies and results outlive their planner, and are paid once.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Database, openDatabase } from '#db/database.ts';
import { CountersignError } from '#domain/errors.ts';
import { defaultPolicy } from '#domain/people/policy.ts';
import { StrategyProfile } from '#domain/planning/schedule.ts';
import { PlanningState } from '#domain/planning/state.ts';
import type { ChatModel, ChatReply, ChatRequest } from '#models/chat.ts';
import { createBudget } from '#planner/budget/budget.ts';
import { payForCalls } from '#planner/budget/pay-for-calls.ts';
import { createRemember, remember } from '#planner/memo/memo.ts';
import type { ToolOutcome } from '#planner/tool.ts';
import { useDatabase } from '../../setup/database.ts';

const database = useDatabase();
let db: Database;
const now = new Date('2026-02-03T14:00:00.000Z');

beforeAll(() => {
  db = openDatabase(database.url, { max: 8, applicationName: 'test', onError: () => {} });
});
afterAll(() => db.close());
beforeEach(() =>
  db.query.execute(sql`truncate countersign.model_calls, countersign.planning_memo`),
);

const place = { runId: 'run_1', turn: 1, user: 'ana' };
const stage = { stage: 'DRAFT_OUTLINE', softLifted: false } as const;
const { signal } = new AbortController();
const ask = (content: string, deadline = 1): ChatRequest => ({
  messages: [{ role: 'user', content }],
  deadline,
});

function countingModel(says: (asked: number) => string = (asked) => `answer ${asked}`) {
  let asked = 0;
  const model: ChatModel = {
    name: 'gpt-4.1',
    estimateCost: async () => 0.1,
    async complete() {
      asked += 1;
      const reply: ChatReply = {
        content: says(asked),
        refusal: null,
        toolCalls: [{ id: 'call_1', name: 'answer', arguments: '{"text":"a"}' }],
        finishReason: 'tool_calls',
        usage: { input_tokens: 100, output_tokens: 20 },
        cost_usd: 0.01,
        attempts: 1,
      };
      return reply;
    },
  };
  return { model, asked: () => asked };
}

const payFor = (model: ChatModel, more: Partial<typeof place> & { round?: number } = {}, day = 5) =>
  payForCalls(
    {
      model,
      db: db.query,
      budget: createBudget({
        db,
        clock: { now: () => now },
        caps: { softPerTurn: 1, perSession: 2, perDay: day },
      }),
    },
    { ...place, ...more },
    defaultPolicy,
  );

async function bookkeeping() {
  const { rows } = await db.query.execute<{
    cost_usd: number | null;
    output_tokens: number | null;
  }>(sql`select cost_usd, output_tokens from countersign.model_calls order by id`);
  return rows;
}

describe('a model call', () => {
  test('is written down with what it cost', async () => {
    const { model } = countingModel();
    const paid = await payFor(model).complete(ask('a'), stage, signal);
    expect(paid).toMatchObject({ kind: 'reply', remembered: false, reply: { cost_usd: 0.01 } });
    expect(await bookkeeping()).toEqual([{ cost_usd: 0.01, output_tokens: 20 }]);
  });

  test('whose reply was stored is not made again by the next planner, even over budget and with another deadline', async () => {
    const { model, asked } = countingModel();
    const first = await payFor(model).complete(ask('a', 1), stage, signal);
    const again = await payFor(model, {}, 0).complete(ask('a', 2), stage, signal);
    expect(asked()).toBe(1);
    expect(again).toMatchObject({ kind: 'reply', remembered: true, reply: { cost_usd: 0 } });
    if (first.kind !== 'reply' || again.kind !== 'reply') throw new Error('no reply');
    expect({ ...again.reply, cost_usd: 0.01 }).toEqual(first.reply);
    expect(await bookkeeping()).toHaveLength(1);
  });

  test.each([
    ['another turn', { turn: 2 }],
    ['another run', { runId: 'run_2' }],
    ['another round', { round: 7 }],
  ])('is made again in %s', async (_, elsewhere) => {
    const { model, asked } = countingModel();
    await payFor(model).complete(ask('a'), stage, signal);
    await payFor(model, elsewhere).complete(ask('a'), stage, signal);
    expect(asked()).toBe(2);
  });

  test('that a planner makes twice is asked twice, and replayed in that order', async () => {
    const { model, asked } = countingModel();
    const texts = async (planner: ReturnType<typeof payFor>) => {
      const replies: string[] = [];
      for (let i = 0; i < 3; i += 1) {
        const paid = await planner.complete(ask('same'), stage, signal);
        if (paid.kind === 'reply') replies.push(paid.reply.content);
      }
      return replies;
    };
    expect(await texts(payFor(model))).toEqual(['answer 1', 'answer 2', 'answer 3']);
    expect(await texts(payFor(model))).toEqual(['answer 1', 'answer 2', 'answer 3']);
    expect(asked()).toBe(3);
  });

  test('by two planners at once costs twice and both go on with one reply', async () => {
    const { model } = countingModel();
    let under = 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    const slow: ChatModel = {
      ...model,
      async complete(...call) {
        under += 1;
        if (under === 2) resolve();
        await promise;
        return model.complete(...call);
      },
    };
    const [a, b] = await Promise.all(
      [payFor(slow), payFor(slow)].map((one) => one.complete(ask('a'), stage, signal)),
    );
    if (a?.kind !== 'reply' || b?.kind !== 'reply') throw new Error('no reply');
    expect(a.reply.content).toBe(b.reply.content);
    expect((await bookkeeping()).map(({ cost_usd }) => cost_usd)).toEqual([0.01, 0.01]);
  });

  test('keeps what no database text can hold', async () => {
    const odd = 'a\u0000b \ud800 \\u0000 "q" ☂';
    const { model } = countingModel(() => odd);
    await payFor(model).complete(ask('a'), stage, signal);
    const again = await payFor(model).complete(ask('a'), stage, signal);
    expect(again).toMatchObject({ remembered: true, reply: { content: odd } });
  });

  test('over the budget is not made', async () => {
    const { model, asked } = countingModel();
    expect(await payFor(model, {}, 0.09).complete(ask('a'), stage, signal)).toMatchObject({
      kind: 'exceeded',
      ceiling: 'day',
      spent_usd: 0,
      estimate_usd: 0.1,
    });
    expect(asked()).toBe(0);
    expect(await bookkeeping()).toEqual([]);
  });

  test.each([
    ['model_failed', 0],
    ['timed_out', null],
    ['cancelled', null],
  ] as const)('that ends in %s is not stored, and costs $%s', async (code, cost_usd) => {
    const { model } = countingModel(() => {
      throw new CountersignError(code, 'No.');
    });
    await expect(payFor(model).complete(ask('a'), stage, signal)).rejects.toThrow('No.');
    expect(await bookkeeping()).toEqual([{ cost_usd, output_tokens: null }]);
    const { model: well } = countingModel();
    expect(await payFor(well).complete(ask('a'), stage, signal)).toMatchObject({
      remembered: false,
    });
  });
});

describe('a result of a tool', () => {
  const desk = {
    policy: defaultPolicy,
    modes: { plan_reasoning_mode: 'normal', planning_mode: 'normal', reasoning_level: 5 },
    request: 'Tidy up',
    user: 'ana',
    ownWords: true,
    settings: {
      allowNewSubtypes: true,
      requireRfcForNewSubtype: true,
      profile: StrategyProfile.parse({}),
    },
    now,
  } as const;
  const state = PlanningState.parse({
    thread_id: 'user_ana:new',
    run_id: 'run_1',
    turn: 1,
    stage: 'DRAFT_OUTLINE',
    now: now.toISOString(),
    timezone: 'Europe/Madrid',
  });
  const tool = { name: 'select_pattern', revision: 1 };
  const good: ToolOutcome = {
    result: { ok: true, confidence: 0.8, explanations: ['Fits.'], data: null },
    changes: { pattern: { pattern_type: 'recurring_cycle', introduced_by: 'system' } },
    self: 0.9,
  };

  function tryOut(outcome: ToolOutcome = good, seen: Partial<typeof state> = {}, revision = 1) {
    let made = 0;
    const use = createRemember(db.query, place, desk, () => ({ ...state, ...seen }));
    return use({ ...tool, revision }, { a: 1 }, async () => {
      made += 1;
      return outcome;
    }).then((used) => ({ ...used, made }));
  }

  test('is used again as it was, nothing added to what it changes', async () => {
    expect(await tryOut()).toEqual({ outcome: good, remembered: false, made: 1 });
    expect(await tryOut()).toEqual({ outcome: good, remembered: true, made: 0 });
  });

  test('does not depend on what the session cost or how it came there', async () => {
    await tryOut();
    expect(await tryOut(good, { calls: 3, cost_usd: 0.2 })).toMatchObject({ remembered: true });
  });

  test('is made again when the session is another, or the tool’s rules are', async () => {
    await tryOut();
    expect(await tryOut(good, { hints: ['Ask for less.'] })).toMatchObject({ remembered: false });
    expect(await tryOut(good, {}, 2)).toMatchObject({ remembered: false });
  });

  test('that failed is not kept', async () => {
    const bad = { result: { ok: false, confidence: 0, explanations: ['No.'], data: null } };
    await tryOut(bad);
    expect(await tryOut(bad)).toMatchObject({ remembered: false, made: 1 });
  });
});

describe('what is stored', () => {
  const use = <T>(schema: z.ZodType<T>) => ({
    key: 'k'.repeat(64),
    kind: 'tool',
    runId: 'run_1',
    schema,
    keep: () => true,
  });

  test('and has a shape this version does not know is made anew', async () => {
    await remember(db.query, use(z.string()), async () => 'old');
    const made = await remember(db.query, use(z.number()), async () => 7);
    expect(made).toEqual({ value: 7, remembered: false });
  });

  test('is nothing when making it fails', async () => {
    const failing = remember(db.query, use(z.string()), () => Promise.reject(new Error('No.')));
    await expect(failing).rejects.toThrow('No.');
    expect(await remember(db.query, use(z.string()), async () => 'new')).toMatchObject({
      remembered: false,
    });
  });
});
