// Sessions resumed by another planner reuse paid work.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '#db/database.ts';
import type { PlanningOutcome, PlanningRequest } from '#domain/planning/run.ts';
import type { PlannerTools } from '#planner/ports.ts';
import { listCheckpoints } from '../../fixtures/checkpoints.ts';
import {
  call,
  drawOutline,
  elicit,
  node,
  proposeFiles,
  selectPattern,
  stageIn,
  task,
} from '../../fixtures/model-calls.ts';
import { readCalls } from '../../fixtures/model-instance.ts';
import { type OpenAiDouble, type Script, start } from '../../fixtures/openai-double.ts';
import { openPricedPlanner } from '../../fixtures/priced-planner.ts';
import { useDatabase } from '../../setup/database.ts';
import { builtins, toolsOf } from '../../unit/planner/manifest.ts';
import { proposalOf, request } from '../../unit/planner/requests.ts';

const database = useDatabase();
const price = 0.01;
const week = 7 * 24 * 3_600_000;
const limits = {
  turns: 10,
  retries: 2,
  wallSeconds: 60,
  softPerTurn: 10,
  perSession: 10,
  perDay: 1000,
};
let db: Database;
let double: OpenAiDouble;
let script: Script;
let first: number;

beforeAll(async () => {
  db = openDatabase(database.url, { max: 8, applicationName: 'test', onError: () => {} });
  double = await start({
    script: (body, index) => {
      const turn =
        typeof script === 'function' ? script(body, index - first) : script[index - first];
      return turn ?? { status: 400, message: 'The script has ended.' };
    },
  });
});
afterAll(async () => {
  await double.close();
  await db.close();
});
beforeEach(() => {
  first = double.requests.length;
});

const asked = () => double.requests.length - first;
let runs = 0;

function ask(text = 'Write two files', more: Partial<PlanningRequest> = {}): PlanningRequest {
  runs += 1;
  return request(text, { runId: `resumed-${runs}`, ...more });
}

// Only the database is shared.
function planOnce(
  one: PlanningRequest,
  more: { tools?: PlannerTools; after?: number; signal?: AbortSignal } = {},
): Promise<PlanningOutcome> {
  const { tools, after = 0, signal = new AbortController().signal } = more;
  const began = Date.now() + after;
  const planner = openPricedPlanner({
    db,
    url: double.url,
    price,
    limits,
    clock: { now: () => new Date(began) },
    ...(tools === undefined ? {} : { tools }),
  });
  return planner.plan(one, signal);
}

const nextOf = (one: PlanningRequest, more: Partial<PlanningRequest>): PlanningRequest => ({
  ...one,
  turn: one.turn + 1,
  ...more,
});

const paidFor = async (one: PlanningRequest) => readCalls({ db }, one.runId);

describe('a planner that is stopped in the middle', () => {
  test('leaves what it paid for to the next, which asks the model only for the rest', async () => {
    script = [call('workspace_read', { path: 'a.txt' }), proposeFiles(['b.txt'])];
    const one = ask();
    const stop = new AbortController();
    const usual = toolsOf(builtins);
    const stopping: PlannerTools = {
      ...usual,
      async call(name, args, signal) {
        stop.abort();
        return usual.call(name, args, signal);
      },
    };
    const stopped = await planOnce(one, { tools: stopping, signal: stop.signal });
    expect(stopped.result).toMatchObject({ kind: 'aborted', reason: 'cancelled' });
    expect(asked()).toBe(1);
    const outcome = await planOnce(one);
    expect(proposalOf(outcome).steps.map(({ args }) => args?.path)).toEqual(['b.txt']);
    expect(asked()).toBe(2);
    expect(await paidFor(one)).toEqual({ calls: 2, usd: 2 * price, open: 0 });
    expect(outcome.cost_usd).toBe(2 * price);
    const recalled = outcome.trace.filter(
      ({ tool, remembered }) => tool === 'gpt-4.1' && remembered,
    );
    expect(recalled.map(({ cost_delta }) => cost_delta)).toEqual([0]);
  });

  test('tells the next what it saw around it, and what its critic said', async () => {
    const late = new AbortController();
    const submit = call('submit_plan', { confidence: 0.9 });
    const replies = [
      call('workspace_read', { path: 'a.txt' }),
      proposeFiles(['b.txt']),
      call('report', { points: ['Step 1 is missing a word.'] }),
    ];
    script = (_, index) => {
      // The planner ends once the critic's reply is stored.
      if (index === 3) late.abort();
      return replies[index] ?? submit;
    };
    const { modes } = request('');
    const one = ask('Write b.txt', { modes: { ...modes, plan_reasoning_mode: 'extensive' } });
    let looks = 0;
    const around = (onRead: () => void): PlannerTools => ({
      ...toolsOf(builtins),
      lookAround: async () => ({ own: [], foreign: [`Workspace: ${++looks}.txt`] }),
      async call(name, args, signal) {
        onRead();
        return toolsOf(builtins).call(name, args, signal);
      },
    });
    const stop = new AbortController();
    await planOnce(one, { tools: around(() => stop.abort()), signal: stop.signal });
    await planOnce(one, { tools: around(() => {}), signal: late.signal });
    expect(asked()).toBe(4);
    const outcome = await planOnce(one, { tools: around(() => {}) });
    proposalOf(outcome);
    // Only the interrupted call is repeated.
    expect(asked()).toBe(5);
    expect(looks).toBe(1);
    const seen = double.requests.slice(first).map(({ messages }) => JSON.stringify(messages));
    expect(seen.filter((text) => text.includes('Workspace: ')).length).toBeGreaterThan(1);
    expect(seen.join()).not.toContain('2.txt');
  });

  test('is asked anew in a later turn, whose words may be the same', async () => {
    script = () => ({ text: 'Two files.' });
    const one = ask('How many files are there?');
    await planOnce(one);
    await planOnce(nextOf(one, {}));
    expect(asked()).toBe(2);
  });
});

describe('a turn that comes twice', () => {
  test('comes to the same plan without a call, and writes nothing more', async () => {
    script = [proposeFiles(['b.txt', 'c.txt'])];
    const one = ask();
    const before = await planOnce(one);
    const stored = await listCheckpoints(db.query, one.runId);
    const again = await planOnce(one);
    expect(again.result).toEqual(before.result);
    expect(again.cost_usd).toBe(price);
    expect(asked()).toBe(1);
    expect(await listCheckpoints(db.query, one.runId)).toEqual(stored);
  });

  test('at the same moment is planned once: whoever is late leaves it, or says the same', async () => {
    script = () => proposeFiles(['b.txt']);
    const one = ask();
    const outcomes = await Promise.all([planOnce(one), planOnce(one), planOnce(one)]);
    const delivered = outcomes.filter(({ result }) => result.kind !== 'superseded');
    expect(delivered.length).toBeGreaterThan(0);
    const [draft] = delivered.map(proposalOf);
    for (const outcome of delivered) expect(proposalOf(outcome)).toEqual(draft);
    const lines = await listCheckpoints(db.query, one.runId);
    expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, index) => index + 1));
    expect(lines.filter(({ stage }) => stage === 'NEEDS_CLARIFICATION')).toHaveLength(1);
    expect(await paidFor(one)).toMatchObject({ calls: asked(), open: 0 });
  });
});

describe('an approval that comes a week later', () => {
  test('of an outline goes on with its order, and asks no model', async () => {
    script = [proposeFiles(['b.txt', 'c.txt'])];
    const policy = { ...request('').policy, approval_policy: 'milestone_approvals' as const };
    const one = ask('Write two files', { policy });
    const gate = await planOnce(one);
    if (gate.result.kind !== 'gate') throw new Error('no gate');
    const approve = (digest: string) => ({ kind: 'approve' as const, by: 'ana', digest });
    const two = nextOf(one, { decision: approve(gate.result.digest) });
    const ordered = await planOnce(two, { after: week });
    if (ordered.result.kind !== 'gate') throw new Error('no second gate');
    expect(ordered.result.gate).toBe('roadmap');
    const three = nextOf(two, { decision: approve(ordered.result.digest) });
    const outcome = await planOnce(three, { after: 2 * week });
    expect(proposalOf(outcome).steps).toHaveLength(2);
    expect(asked()).toBe(1);
  });

  test('of a gate that a process of another version asked for plans again from the request, and asks again', async () => {
    script = [proposeFiles(['b.txt']), proposeFiles(['b.txt'])];
    const policy = { ...request('').policy, approval_policy: 'milestone_approvals' as const };
    const one = ask('Write a file', { policy });
    const gate = await planOnce(one);
    if (gate.result.kind !== 'gate') throw new Error('no gate');
    await db.query.execute(sql`
      update countersign.planning_checkpoints set state = state || '{"of_a_newer_version": 1}'
      where run_id = ${one.runId} and state <> '{}'`);
    const { digest } = gate.result;
    const again = await planOnce(nextOf(one, { decision: { kind: 'approve', by: 'ana', digest } }));
    expect(again.result).toMatchObject({ kind: 'gate', gate: 'outline', digest });
    expect(again.session?.approvals).toEqual({});
    expect(asked()).toBe(2);
  });

  test('of a subtype that is new leads on', async () => {
    const subtype = 'proposed:daily_doses';
    script = (body) => {
      if (stageIn(body) === 'outline')
        return drawOutline([
          node('goal', 'goal'),
          task('one', {
            rhythm: 'recurring',
            duration_minutes: 15,
            recurs: { rrule: 'FREQ=DAILY;COUNT=5', starts_at: null, timezone: null, until: null },
          }),
        ]);
      return selectPattern('recurring_cycle', { subtype, rfc: 'Doses depend on the day before.' });
    };
    const one = ask('Take doses every day');
    const paused = await planOnce(one);
    expect(paused.result).toMatchObject({ kind: 'rfc', rfc: 'Doses depend on the day before.' });
    const digest = paused.session?.pause?.digest ?? null;
    const decision = { kind: 'approve' as const, by: 'ana', digest };
    const outcome = await planOnce(nextOf(one, { decision }), { after: week });
    expect(outcome.result.kind).toBe('proposal');
    expect(outcome.session?.pattern?.subtype).toBe('daily_doses');
    expect(outcome.session?.rfc).toMatchObject({ status: 'approved', by: 'ana' });
    expect(asked()).toBeLessThanOrEqual(2);
  });
});

describe('an answer that comes a week later', () => {
  test('is read with the question before it, and leads to the plan', async () => {
    script = (body) =>
      body.messages.some(({ content }) => content === 'Into b.txt')
        ? proposeFiles(['b.txt'])
        : elicit({ question: 'Into which file?' });
    const one = ask('Write it down');
    const question = await planOnce(one);
    expect(question.result).toMatchObject({
      kind: 'question',
      questions: [{ text: 'Into which file?' }],
    });
    const outcome = await planOnce(nextOf(one, { text: 'Into b.txt' }), { after: week });
    expect(proposalOf(outcome).steps).toHaveLength(1);
    expect(asked()).toBe(2);
  });
});
