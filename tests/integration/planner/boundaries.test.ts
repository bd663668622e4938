// Thresholds, caps and budgets at their limit and one beyond, through whole planning runs with the model double, a real
// database and a clock that the test moves.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '#db/database.ts';
import type { PlanningOutcome, PlanningRequest } from '#domain/planning/run.ts';
import type { PlanningLimits } from '#planner/budget/limits.ts';
import type { PlannerTools } from '#planner/ports.ts';
import {
  call,
  drawOutline,
  node,
  proposeFiles,
  selectPattern,
  stageIn,
  task,
} from '../../fixtures/model-calls.ts';
import { readCalls, settled } from '../../fixtures/model-instance.ts';
import {
  type ChatBody,
  type OpenAiDouble,
  type Script,
  start,
} from '../../fixtures/openai-double.ts';
import { openPricedPlanner } from '../../fixtures/priced-planner.ts';
import { useDatabase } from '../../setup/database.ts';
import { ana, openTestInstance, type TestInstance } from '../../setup/instance.ts';
import { builtins, toolsOf } from '../../unit/planner/manifest.ts';
import { request } from '../../unit/planner/requests.ts';

const database = useDatabase();
/** Stands still unless a test moves it, so that no day ends while one runs. */
const began = Date.now();
let now: number;
const clock = { now: () => new Date(now) };
let db: Database;
let double: OpenAiDouble;
let script: Script;
let asked: ChatBody[];

const plenty: PlanningLimits = {
  turns: 10,
  retries: 2,
  wallSeconds: 300,
  softPerTurn: 100,
  perSession: 100,
  perDay: 100,
};
const price = 0.25;

beforeAll(async () => {
  db = openDatabase(database.url, { max: 8, applicationName: 'test', onError: () => {} });
  double = await start({
    script: (body) => {
      asked.push(body);
      const index = asked.length - 1;
      const turn = typeof script === 'function' ? script(body, index) : script[index];
      return turn ?? { status: 400, message: 'The script has ended.' };
    },
  });
});
afterAll(async () => {
  await double.close();
  await db.close();
});
beforeEach(async () => {
  now = began;
  asked = [];
  await db.query.execute(sql`truncate countersign.model_calls restart identity`);
});

const runs = { count: 0 };

/** One turn, of a run of its own unless it is the next turn of another. */
async function plan(
  limits: Partial<PlanningLimits>,
  next: Script,
  more: Partial<PlanningRequest> & { tools?: PlannerTools } = {},
): Promise<{ outcome: PlanningOutcome; request: PlanningRequest }> {
  const { tools, ...changed } = more;
  script = next;
  runs.count += 1;
  const one = request('Write two files', { runId: `boundary-${runs.count}`, ...changed });
  const planner = openPricedPlanner({
    db,
    url: double.url,
    price,
    limits: { ...plenty, ...limits },
    clock,
    ...(tools === undefined ? {} : { tools }),
  });
  return { outcome: await planner.plan(one, new AbortController().signal), request: one };
}

const endless: Script = (_, index) => call('workspace_read', { path: `${index}.txt` });
const outline = (confidence: number) =>
  drawOutline([node('goal', 'goal'), node('all', 'phase'), task('one', { parent: 'all' })], {
    confidence,
  });
const inStages =
  (context: number, confidences: number[]): Script =>
  (body) => {
    if (stageIn(body) === 'context')
      return selectPattern('milestone_project', { confidence: context });
    return outline(confidences[asked.filter((one) => stageIn(one) === 'outline').length - 1] ?? 0);
  };
const endOf = ({ result }: PlanningOutcome) =>
  result.kind === 'aborted' ? result.reason : result.kind;

describe('how sure of the shape of the work', () => {
  const choose = async (text: string, choice: object) => {
    asked = [];
    const chosen = selectPattern('strategic_transformation', choice);
    const { outcome } = await plan(
      {},
      (body) => (stageIn(body) === 'context' ? chosen : { text: 'That is all.' }),
      { text },
    );
    const tries = asked.filter((body) => stageIn(body) === 'context').length;
    expect(asked.length - tries).toBe(1);
    return { tries, sure: outcome.session?.confidence.COLLECT_CONTEXT?.composite };
  };

  // A subtype that there is not halves the heuristics; rules 1: 0.3 + 0.1 + half of its own score.
  test.each([
    { sure: 0.4, own: 0, tries: 3 },
    { sure: 0.69, own: 0.58, tries: 3 },
    { sure: 0.7, own: 0.6, tries: 1 },
  ])('$sure: asked $tries times, then it goes on', async ({ sure, own, tries }) => {
    const chosen = await choose('Plan it', { subtype: 'moon_ritual', confidence: own });
    expect(chosen).toEqual({ tries, sure });
  });

  test('the words of the request weigh nothing', async () => {
    const texts = ['Set up a weekly review, repeated every Monday', 'Strategische Neuausrichtung'];
    const chosen = [];
    for (const text of texts) chosen.push(await choose(text, { confidence: 0.4 }));
    expect(chosen).toEqual(texts.map(() => ({ tries: 1, sure: 0.7 })));
  });
});

describe('how sure of the outline', () => {
  // Nothing is wrong with it: 0.5 and half of its own score.
  test.each([
    { own: 0.4, sure: 0.7, drafts: 1, end: 'proposal' },
    { own: 0.38, sure: 0.69, drafts: 3, end: 'question' },
  ])('$sure: drafted $drafts times, then a $end', async ({ own, sure, drafts, end }) => {
    const { outcome } = await plan({}, inStages(0.9, [own, own, own, own]));
    expect(asked.filter((body) => stageIn(body) === 'outline')).toHaveLength(drafts);
    expect(outcome.session?.confidence.VALIDATE_OUTLINE?.composite).toBe(sure);
    expect(endOf(outcome)).toBe(end);
  });
});

describe('the limit of turns', () => {
  const readsThenProposes =
    (reads: number): Script =>
    (_, index) =>
      index < reads ? call('workspace_read', { path: `${index}.txt` }) : proposeFiles(['b.txt']);

  test('allows the last call', async () => {
    const { outcome } = await plan({ turns: 3 }, readsThenProposes(2));
    expect(endOf(outcome)).toBe('proposal');
    expect(asked).toHaveLength(3);
  });

  test('allows none beyond it', async () => {
    const { outcome } = await plan({ turns: 3 }, readsThenProposes(3));
    expect(endOf(outcome)).toBe('cap_turns');
    expect(asked).toHaveLength(3);
  });

  test('counts over the stages of a turn', async () => {
    const { outcome } = await plan({ turns: 2 }, inStages(0.9, [0.1, 0.9]));
    // What was drafted is kept, and the person says whether to go on.
    expect(endOf(outcome)).toBe('question');
    expect(outcome.reason).toBe('cap_turns');
    expect(asked).toHaveLength(2);
  });
});

describe('planning time', () => {
  test.each([
    { passed: 44_999, end: 'proposal', calls: 2 },
    { passed: 45_000, end: 'cap_time', calls: 1 },
  ])('after $passed ms of 45,000 it ends with $end', async ({ passed, end, calls }) => {
    const usual = toolsOf(builtins);
    const tools: PlannerTools = {
      ...usual,
      async call(name, args, signal) {
        now += passed;
        return usual.call(name, args, signal);
      },
    };
    const first = [call('workspace_read', { path: 'a.txt' }), proposeFiles(['b.txt'])];
    const { outcome } = await plan({ wallSeconds: 45 }, first, { tools });
    expect(endOf(outcome)).toBe(end);
    expect(asked).toHaveLength(calls);
  });
});

describe('the budget of a request', () => {
  test.each([
    [0.5, 2],
    [0.49, 1],
    [0.25, 1],
    [0.24, 0],
    [0, 0],
  ])('of $%d pays for %d calls at $0.25 and none beyond', async (perSession, calls) => {
    const { outcome } = await plan({ perSession }, endless);
    expect(endOf(outcome)).toBe('cap_cost');
    expect(asked).toHaveLength(calls);
    expect(outcome.cost_usd).toBe(calls * price);
  });

  test('holds over its turns', async () => {
    const { request: first } = await plan({ perSession: 0.5 }, [{ text: 'Hello.' }]);
    const { outcome } = await plan({ perSession: 0.5 }, endless, { ...first, turn: 2 });
    expect(endOf(outcome)).toBe('cap_cost');
    expect(asked).toHaveLength(2);
  });
});

describe('the budget of the day', () => {
  test.each([
    [0.75, 3],
    [0.74, 2],
  ])('of $%d pays for %d calls of whoever asks', async (perDay, calls) => {
    await plan({ perDay }, [{ text: 'Hello.' }], { user: 'ben' });
    const { outcome } = await plan({ perDay }, endless);
    expect(endOf(outcome)).toBe('cap_cost');
    expect(outcome.result).toMatchObject({ text: expect.stringContaining("today's budget") });
    expect(asked).toHaveLength(calls);
  });

  test('begins anew with the next day', async () => {
    await plan({ perDay: 0.25 }, [{ text: 'Hello.' }]);
    now += 24 * 3_600_000;
    const { outcome } = await plan({ perDay: 0.25 }, (_, index) => ({ text: `Hello ${index}.` }));
    expect(endOf(outcome)).toBe('answer');
  });
});

describe('the soft ceiling of a turn', () => {
  const unsure = inStages(0.9, [0.1, 0.9]);

  test.each([
    [0.75, 3, 'proposal'],
    [0.74, 2, 'question'],
    [0.5, 2, 'question'],
    [0.49, 1, 'question'],
  ])('of $%d allows %d calls at $0.25, then a %s', async (softPerTurn, calls, end) => {
    const { outcome } = await plan({ softPerTurn }, unsure);
    expect(endOf(outcome)).toBe(end);
    expect(asked).toHaveLength(calls);
  });

  test('asks with what it has cost and how far it came, and waits', async () => {
    const { outcome } = await plan({ softPerTurn: 0.5 }, unsure);
    expect(outcome.result).toMatchObject({ text: expect.stringMatching(/\$0\.50/) });
    expect(outcome.session).toMatchObject({
      stage: 'NEEDS_CLARIFICATION',
      pause: { kind: 'budget', resume: 'DRAFT_OUTLINE' },
    });
  });

  test('is lifted by a person: it goes on where it stood and pays for nothing again', async () => {
    const limits = { softPerTurn: 0.25 };
    const { request: first } = await plan(limits, unsure);
    expect(asked).toHaveLength(1);
    const { outcome } = await plan(limits, unsure, {
      ...first,
      turn: 2,
      decision: { kind: 'approve', by: 'ana', digest: null },
    });
    expect(endOf(outcome)).toBe('proposal');
    expect(asked.map(stageIn)).toEqual(['context', 'outline', 'outline']);
    expect(outcome.cost_usd).toBe(2 * price);
  });

  test('ends the session when the person does not want to pay more', async () => {
    const limits = { softPerTurn: 0.25 };
    const { request: first } = await plan(limits, unsure);
    const decision = { kind: 'reject' as const, by: 'ana' };
    const { outcome } = await plan(limits, unsure, { ...first, turn: 2, decision });
    expect(outcome.session?.stage).toBe('ABORTED');
    expect(asked).toHaveLength(1);
  });
});

describe('the question about the budget in a conversation', () => {
  let instance: TestInstance;
  beforeAll(async () => {
    const limits = { ...plenty, softPerTurn: price };
    instance = await openTestInstance(database.url, {
      planner: openPricedPlanner({ db, url: double.url, price, limits }),
    });
  });
  afterAll(() => instance.close());

  test.each(['go on', 'approve'])(
    'is answered with “%s”, and planning goes on from there',
    async (word) => {
      script = inStages(0.9, [0.1, 0.9]);
      const conversation = `budget-${word}`;
      const text = 'Write one.txt';
      const { run_id } = await instance.service.startRun({ text, conversation }, ana);
      const question = await settled(instance, run_id);
      expect(question).toMatchObject({ planning_status: 'needs_clarification' });
      expect(question.response_text).toMatch(/\$0\.25.*go on/s);
      expect(question.plan_id).toBeUndefined();
      await instance.service.reply(run_id, word, ana);
      const proposed = await settled(instance, run_id);
      expect(proposed.plan_id).toBeDefined();
      expect(asked.map(stageIn)).toEqual(['context', 'outline', 'outline']);
      expect(await readCalls(instance, run_id)).toEqual({ calls: 3, usd: 3 * price, open: 0 });
      expect(proposed.cost_usd).toBe(3 * price);
    },
  );

  test('ends with “reject”', async () => {
    script = inStages(0.9, [0.1, 0.9]);
    const { run_id } = await instance.service.startRun({ text: 'Write one.txt' }, ana);
    await settled(instance, run_id);
    await instance.service.reply(run_id, 'reject', ana);
    expect((await settled(instance, run_id)).planning_status).toBe('aborted');
    expect(asked).toHaveLength(1);
  });
});
