// Twenty conversations planned concurrently on one worker: each within its own caps, all within the day's, and each ends in a
// named outcome.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '#db/database.ts';
import { readSpentSince } from '#db/planning/spending.ts';
import { person } from '#domain/people/actor.ts';
import type { RunView } from '#domain/planning/run.ts';
import type { PlanningLimits } from '#planner/budget/limits.ts';
import {
  call,
  drawOutline,
  elicit,
  node,
  proposeFiles,
  selectPattern,
  stageIn,
  task,
  wordsIn,
} from '../../fixtures/model-calls.ts';
import { readCalls, settled } from '../../fixtures/model-instance.ts';
import { type ChatBody, start, type Turn } from '../../fixtures/openai-double.ts';
import { openPricedPlanner } from '../../fixtures/priced-planner.ts';
import { freshDatabase } from '../../setup/database.ts';
import { openTestInstance } from '../../setup/instance.ts';

const conversations = 20;
const price = 0.02;
const kinds = ['plain', 'phases', 'question', 'answer', 'endless'] as const;
type Kind = (typeof kinds)[number];

/** Calls each kind pays for when nothing stops it but its own caps; six turns are allowed. */
const callsOf: Record<Kind, number> = { plain: 1, phases: 2, question: 1, answer: 1, endless: 6 };

function kindOf(index: number): Kind {
  return kinds[index % kinds.length] ?? 'plain';
}

function play(body: ChatBody): Turn {
  const [, kind = '', number = ''] = /make (\w+) (\d+)/.exec(wordsIn(body)) ?? [];
  switch (kind) {
    case 'plain':
      return proposeFiles([`${number}.txt`]);
    case 'phases':
      return stageIn(body) === 'context'
        ? selectPattern('milestone_project')
        : drawOutline([node('goal', 'goal'), node('p', 'phase'), task(number, { parent: 'p' })]);
    case 'question':
      return elicit({ question: `What goes into ${number}.txt?` });
    case 'answer':
      return { text: `Number ${number}.` };
    default:
      return call('workspace_read', { path: `${body.messages.length}-${number}.txt` });
  }
}

/** An instance whose planner pays `price` for each call, and runs that are all started at once. */
async function planAll(limits: PlanningLimits) {
  const database = await freshDatabase();
  const double = await start({ script: play });
  const db = openDatabase(database.url, { max: 8, applicationName: 'planner', onError: () => {} });
  const planner = openPricedPlanner({ db, url: double.url, price, limits });
  const instance = await openTestInstance(database.url, { planner });
  const started = await Promise.all(
    Array.from({ length: conversations }, (_, index) => {
      const user = `user-${index % 7}`;
      const text = `make ${kindOf(index)} ${index}`;
      return instance.service.startRun({ text, conversation: `c-${index}` }, person(user, 'api'));
    }),
  );
  const runs: RunView[] = [];
  for (const { run_id } of started) runs.push(await settled(instance, run_id));
  return {
    runs,
    instance,
    db,
    double,
    async close() {
      await instance.close();
      await db.close();
      await double.close();
      await database.close();
    },
  };
}

const limits: PlanningLimits = {
  turns: 6,
  retries: 2,
  wallSeconds: 60,
  softPerTurn: 10,
  perSession: 10,
  perDay: 100,
};

async function spentToday(db: Database): Promise<number> {
  return readSpentSince(db.query, new Date(0));
}

describe('twenty conversations at once', () => {
  let all: Awaited<ReturnType<typeof planAll>>;
  beforeAll(async () => {
    all = await planAll(limits);
  }, 90_000);
  afterAll(() => all.close());

  test('end each as its own model led it, within its own caps', async () => {
    const ends = {
      plain: { planning_status: 'needs_clarification', plan: true },
      phases: { planning_status: 'needs_clarification', plan: true },
      question: { planning_status: 'needs_clarification', plan: false },
      answer: { planning_status: 'complete', plan: false },
      endless: { planning_status: 'aborted', plan: false },
    };
    for (const [index, run] of all.runs.entries()) {
      const { planning_status, plan_id } = run;
      const kind = kindOf(index);
      expect({ planning_status, plan: plan_id !== undefined }, kind).toEqual(ends[kind]);
      if (kind === 'endless') expect(run.escalate_reason).toBe('cap_turns');
      const paid = await readCalls(all.instance, run.run_id);
      expect(paid, kind).toMatchObject({ calls: callsOf[kind], open: 0 });
      expect(run.cost_usd).toBeCloseTo(callsOf[kind] * price, 9);
    }
  });

  test('mix nothing up: each plan and each answer is about its own number', async () => {
    for (const [index, run] of all.runs.entries()) {
      if (kindOf(index) === 'answer') expect(run.response_text).toContain(`Number ${index}.`);
      if (kindOf(index) === 'question') expect(run.questions?.[0]).toContain(`${index}.txt`);
      if (run.plan_id === undefined) continue;
      const { steps } = await all.instance.service.listSteps(run.plan_id, { limit: 10 });
      expect(steps.map(({ args }) => args?.path)).toEqual([`${index}.txt`]);
    }
  });

  test('cost together what the double was asked for', async () => {
    const expected = all.runs.reduce((sum, _, index) => sum + callsOf[kindOf(index)], 0);
    expect(all.double.requests).toHaveLength(expected);
    expect(await spentToday(all.db)).toBeCloseTo(expected * price, 9);
  });
});

describe('twenty conversations and a day that pays for a part of them', () => {
  let all: Awaited<ReturnType<typeof planAll>>;
  const calls = 16;
  beforeAll(async () => {
    all = await planAll({ ...limits, perDay: calls * price, perSession: 3 * price });
  }, 90_000);
  afterAll(() => all.close());

  test('make exactly the calls that the day allows', async () => {
    expect(all.double.requests).toHaveLength(calls);
    expect(await spentToday(all.db)).toBeCloseTo(calls * price, 9);
  });

  test('end each by name: with a result, or with the budget that was met', async () => {
    const capped = all.runs.filter(({ planning_status }) => planning_status === 'aborted');
    expect(new Set(capped.map(({ escalate_reason }) => escalate_reason))).toEqual(
      new Set(['cap_cost']),
    );
    for (const { response_text } of capped)
      expect(response_text).toMatch(/today's budget|budget of this request/);
    expect(all.runs.every(({ planning_status }) => planning_status !== 'running')).toBe(true);
  });

  test('pass the budget of a request in none of them', async () => {
    const { rows } = await all.db.query.execute<{ most: number }>(sql`
      select max(usd)::float8 as most from (
        select sum(cost_usd)::numeric as usd from countersign.model_calls group by run_id) runs`);
    expect(rows[0]?.most).toBeLessThanOrEqual(3 * price + 1e-9);
  });
});
