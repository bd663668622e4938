// The turn cap and a turn's soft ceiling, in whole runs.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '#db/database.ts';
import type { PlanningOutcome, PlanningRequest } from '#domain/planning/run.ts';
import type { PlanningLimits } from '#planner/budget/budget.ts';
import {
  call,
  drawOutline,
  elicit,
  node,
  selectPattern,
  stageIn,
  task,
} from '../../fixtures/model-calls.ts';
import {
  type ChatBody,
  type OpenAiDouble,
  type Script,
  start,
} from '../../fixtures/openai-double.ts';
import { openPricedPlanner } from '../../fixtures/priced-planner.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import { request } from '../../unit/planner/requests.ts';

const database = useDatabase();
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
  asked = [];
  await db.query.execute(sql`truncate countersign.model_calls restart identity`);
});

const runs = { count: 0 };

async function plan(
  limits: Partial<PlanningLimits>,
  next: Script,
  more: Partial<PlanningRequest> = {},
): Promise<{ outcome: PlanningOutcome; request: PlanningRequest }> {
  script = next;
  runs.count += 1;
  const one = request('Write two files', { runId: `boundary-${runs.count}`, ...more });
  const planner = openPricedPlanner({
    db,
    url: double.url,
    price,
    limits: { ...plenty, ...limits },
  });
  return { outcome: await planner.plan(one, new AbortController().signal), request: one };
}

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

test('the limit of turns counts over the stages of a turn', async () => {
  const { outcome } = await plan({ turns: 2 }, inStages(0.9, [0.1, 0.9]));
  expect(endOf(outcome)).toBe('question');
  expect(outcome.reason).toBe('cap_turns');
  expect(asked).toHaveLength(2);
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
});

describe("a plan's own limit", () => {
  const previous = {
    title: 'Notes',
    steps: [draftStep('1', 'Write', 'workspace_write', { path: 'a.txt', content: 'x' })],
    context: { tool_outputs: {}, notes: '', artifacts: [], budget_usd: price },
  };
  const revision = { previous, feedback: ['look first'] };
  const look = call('workspace_read', { path: 'a.txt' });
  const reached = {
    pause: { kind: 'budget' },
    result: { text: expect.stringContaining('the limit of this plan is $0.25') },
  };

  test('is asked about once a turn has read what the requester wants, and a reply raises it', async () => {
    const { outcome, request: first } = await plan({}, [look, look], { revision });
    expect(outcome.session).toMatchObject(reached);
    expect(asked).toHaveLength(1);
    asked = [];
    const raise = call('submit_plan', {
      ...{ summary: 'Notes', confidence: 0.9 },
      preferences: { budget_usd: 1 },
    });
    const next = await plan({}, [raise], { ...first, turn: 2, text: 'limit: $1' });
    expect(next.outcome.result).toMatchObject({ draft: { context: { budget_usd: 1 } } });
  });

  test('is lifted for a turn by a person', async () => {
    const { request: first } = await plan({}, [look], { revision });
    asked = [];
    const decision = { kind: 'approve' as const, by: 'ana', digest: null };
    const back = elicit({ question: 'Which line?' });
    const { outcome } = await plan({}, [look, back], { ...first, turn: 2, decision });
    expect(outcome.session).toMatchObject({ pause: { kind: 'questions' } });
  });

  test('holds planners of its parts', async () => {
    const { outcome } = await plan({}, [look, look], { limitUsd: price });
    expect(outcome.session).toMatchObject(reached);
    expect(asked).toHaveLength(1);
  });
});
