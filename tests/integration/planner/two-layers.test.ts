// Two-layer plans: a scaffold, and a planner for each part.
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { drawText } from '#cards/text.ts';
import { viewPlan } from '#cards/view-model.ts';
import { settlePart } from '#db/planning/parts.ts';
import { wordsIn } from '../../fixtures/model-calls.ts';
import { replyCost, settled } from '../../fixtures/model-instance.ts';
import type { ChatBody, Turn } from '../../fixtures/openai-double.ts';
import { type PartArgs, partIn, planFiles, scaffold, submitAgain } from '../../fixtures/parts.ts';
import { ana } from '../../setup/instance.ts';
import { useModelInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

const instance = useModelInstance({
  env: { SOFT_BUDGET_PER_TURN_USD: '2' },
});

// The second uses the first one's file.
const twoFiles = (part: string) =>
  planFiles([
    { id: '1', path: `${part}/a.txt` },
    { id: '2', path: `${part}/b.txt`, after: ['1'] },
  ]);

function play(parts: PartArgs[], ofPart: (part: string, body: ChatBody) => Turn): void {
  let whole = 0;
  instance.play((body) => {
    const part = partIn(body);
    if (part !== null) return ofPart(part, body);
    whole += 1;
    return whole === 1 ? scaffold(parts) : submitAgain;
  });
}

const ask = (text = 'Write up all regions') => instance.ask(text, { planning_mode: 'extensive' });

async function stepsOf(planId: string | undefined) {
  const { steps } = await instance.service.listSteps(planId ?? '', { limit: 200 });
  return steps;
}

test('each part is planned by a planner of its own, and the parts are one plan in their order', async () => {
  play([{ id: 'north' }, { id: 'south' }, { id: 'sum', after: ['north', 'south'] }], twoFiles);
  const run = await ask();
  expect(run).toMatchObject({ planning_status: 'needs_clarification' });
  const steps = await stepsOf(run.plan_id);
  expect(steps.map(({ id, partition }) => [id, partition])).toEqual([
    ['north-1', 'north'],
    ['north-2', 'north'],
    ['south-1', 'south'],
    ['south-2', 'south'],
    ['sum-1', 'sum'],
    ['sum-2', 'sum'],
  ]);
  const before = Object.fromEntries(
    steps.map(({ id, after }) => [id, after.map((one) => one.id).sort()]),
  );
  expect(before).toMatchObject({
    'north-1': [],
    'north-2': ['north-1'],
    'sum-1': ['north-2', 'south-2'],
  });
  expect(instance.requests()).toHaveLength(4);
  expect(await instance.paid(run.run_id)).toMatchObject({ calls: 4, open: 0 });
  expect(run.cost_usd).toBeCloseTo(4 * replyCost, 9);
});

test('what is literal for the whole is literal for its parts', async () => {
  const told: boolean[] = [];
  play([{ id: 'north' }, { id: 'south' }], (part, body) => {
    told.push(JSON.stringify(body.messages).includes('are literal. List the items'));
    return twoFiles(part);
  });
  const modes = { planning_mode: 'extensive', plan_reasoning_mode: 'extensive' } as const;
  await instance.ask('Write up every region', modes);
  expect(told.length).toBeGreaterThanOrEqual(2);
  expect(told).not.toContain(false);
});

const parts = (count: number, more: Partial<PartArgs> = {}): PartArgs[] =>
  Array.from({ length: count }, (_, at) => ({ id: `p${at + 1}`, ...more }));

const inCircle = planFiles([
  { id: '1', path: 'x.txt', after: ['2'] },
  { id: '2', path: 'y.txt', after: ['1'] },
]);
const ofNobody = planFiles([{ id: '1', path: 'z.txt', after: ['nowhere'] }]);

test('twelve parts, of which three break off and two are unsound: a sound plan without those two, and why', async () => {
  const broken = new Set(['p3', 'p5', 'p7']);
  play(
    [
      ...parts(11),
      {
        id: 'p12',
        after: parts(11)
          .map(({ id }) => id)
          .filter((id) => id !== 'p4'),
      },
    ],
    (part) => {
      if (broken.delete(part)) return { status: 400, message: 'Broken off.' };
      if (part === 'p4') return inCircle;
      return part === 'p9' ? ofNobody : twoFiles(part);
    },
  );
  const run = await ask();
  const plan = await instance.service.getPlan(run.plan_id ?? '');
  const steps = await stepsOf(plan.id);
  const missing = ['p4', 'p9', 'p12'];
  const there = parts(12).flatMap(({ id }) => (missing.includes(id) ? [] : [`${id}-1`, `${id}-2`]));
  expect(steps.map(({ id }) => id)).toEqual(there);
  const risks = plan.risks.map(({ text }) => text);
  expect(risks).toHaveLength(3);
  expect(risks[0]).toMatch(/^“Part p4” is not in this plan\. .*wait for each other/);
  expect(risks[1]).toMatch(/^“Part p9” is not in this plan\. .*nowhere/);
  expect(risks[2]).toBe(
    '“Part p12” is not in this plan. It comes after “Part p9”, which is missing.',
  );
});

test('a large plan is reviewed by its parts: counts, what they do, a sample, and every step by its words', async () => {
  const { service } = instance;
  play(parts(15), twoFiles);
  const { plan_id: id = '' } = await ask();
  const first = await service.listPartitions(id, { limit: 8 });
  const rest = await service.listPartitions(id, { limit: 8, cursor: first.next_cursor ?? '' });
  expect(rest.next_cursor).toBeNull();
  const all = [...first.partitions, ...rest.partitions];
  expect(all.map(({ name }) => name).sort()).toEqual(
    parts(15)
      .map((part) => part.id)
      .sort(),
  );
  expect(all[0]).toMatchObject({
    name: 'p1',
    steps: 2,
    ranks: [{ rank: 1, steps: 2 }],
    sample: { id: 'p1-1' },
  });
  const found = await service.listSteps(id, { words: 'P7/B.TXT', limit: 10 });
  expect(found.steps.map((step) => step.id)).toEqual(['p7-2']);
  const ofPart = await service.listSteps(id, { partition: 'p7', limit: 10 });
  expect(ofPart.steps.map((step) => step.id)).toEqual(['p7-1', 'p7-2']);
  const text = drawText(viewPlan(await service.card(id, { user: 'ana', timezone: 'UTC' })));
  expect(text).toContain('extensive plan, level 3 · 15 parts');
  expect(text).toContain('p1: 2 steps, 2 change something');
});

test('people read how many parts are planned, and a stop ends all of their planners', async () => {
  const { service } = instance;
  play(parts(6), (part) => (Number(part.slice(1)) <= 2 ? twoFiles(part) : { hang: true }));
  const { run_id } = await service.startRun(
    { text: 'Write up all regions', planning_mode: 'extensive' },
    ana,
  );
  await waitFor('two planned parts', async () => {
    const { activity } = await service.getRun(run_id);
    return activity?.kind === 'parts' && activity.planned === 2 && activity.total === 6;
  });
  await service.stopRun(run_id, undefined, ana);
  await waitFor('the end of their jobs', async () => (await openJobs(run_id)) === 0);
  expect(await service.getRun(run_id)).toMatchObject({ planning_status: 'aborted' });
  const asked = instance.requests().length;
  expect(await partsOf(run_id)).not.toContain('failed');
  expect(instance.requests()).toHaveLength(asked);
});

async function openJobs(runId: string): Promise<number> {
  const { rows } = await instance.db.query.execute<{ n: number }>(sql`
    select count(*)::int as n from pgboss.job
    where name = 'expand' and data ->> 'run_id' = ${runId} and state in ('created', 'retry', 'active')`);
  return rows[0]?.n ?? 0;
}

async function partsOf(runId: string): Promise<string[]> {
  const { rows } = await instance.db.query.execute<{ status: string }>(sql`
    select status from countersign.planning_parts where run_id = ${runId} order by turn, position`);
  return rows.map(({ status }) => status);
}

test('the parts of a plan that has used up its own limit wait for the person', async () => {
  let whole = 0;
  instance.play((body) => {
    const part = partIn(body);
    if (part !== null) return twoFiles(part);
    whole += 1;
    if (whole > 1) return scaffold([{ id: 'south' }]);
    const preferences = { budget_usd: 0.5 };
    return {
      calls: [
        {
          name: 'scaffold',
          args: { parts: [{ id: 'north', title: 'Part north', goal: 'Written.' }] },
        },
        { name: 'submit_plan', args: { title: 'The whole', confidence: 0.9, preferences } },
      ],
    };
  });
  const run = await ask();
  const id = run.plan_id ?? '';
  const { version, context } = await instance.service.getPlan(id);
  expect(context.budget_usd).toBe(0.5);
  await instance.db.query.execute(
    sql`update countersign.model_calls set cost_usd = 0.5 where run_id = ${run.run_id}`,
  );
  await instance.service.proposeChanges(id, { version, feedback: 'The south too' }, ana);
  await waitFor('the part', async () => (await partsOf(run.run_id)).at(-1) === 'held');
  const { response_text: question } = await settled(instance, run.run_id);
  expect(question).toContain('the limit of this plan is $0.50. You can also reply with a higher');
});

test('what the plan lacks is a finding, until it is planned after all', async () => {
  const { service } = instance;
  let broken = true;
  let whole = 0;
  instance.play((body) => {
    const part = partIn(body);
    if (part === 'north') return broken ? inCircle : twoFiles(part);
    if (part !== null) return twoFiles(part);
    whole += 1;
    if (whole === 1) return scaffold([{ id: 'north' }, { id: 'south' }]);
    return whole === 3 ? scaffold([{ id: 'north' }]) : submitAgain;
  });
  const run = await ask();
  const id = run.plan_id ?? '';
  const found = async () =>
    (await listFindings(id)).map(({ status, partition, category }) => [
      status,
      partition,
      category,
    ]);
  expect(await found()).toEqual([['open', 'north', 'planning']]);
  broken = false;
  const plan = await service.getPlan(id);
  await service.proposeChanges(id, { version: plan.version, feedback: 'Try north again' }, ana);
  await waitFor('the second version', async () => (await service.getPlan(id)).version === 2);
  expect((await stepsOf(id)).map((step) => step.id)).toEqual(
    expect.arrayContaining(['north-1', 'north-2', 'south-1', 'south-2']),
  );
  expect((await service.getPlan(id)).risks).toEqual([]);
  expect(await found()).toEqual([['dismissed', 'north', 'planning']]);
});

async function listFindings(planId: string) {
  const { rows } = await instance.db.query.execute<{
    status: string;
    partition: string;
    category: string;
  }>(
    sql`select status, partition, category from countersign.plan_findings where plan_id = ${planId}`,
  );
  return rows;
}

test('a part that a dead planner left is taken up by another one; the late one changes nothing', async () => {
  let asked = 0;
  play([{ id: 'a' }, { id: 'b' }], (part) => {
    if (part === 'b') return twoFiles(part);
    asked += 1;
    return asked === 1 ? { hang: true } : twoFiles(part);
  });
  const { run_id } = await instance.service.startRun(
    { text: 'Write up all regions', planning_mode: 'extensive' },
    ana,
  );
  await waitFor('the first planner', () => asked === 1);
  let part_id = '';
  // Its renewed lease must expire until another begins.
  await waitFor('the second planner', async () => {
    const { rows } = await instance.db.query.execute<{ part_id: string }>(sql`
      with ended as (
        update countersign.planning_parts set lease_until = clock_timestamp() - interval '1 second'
        where run_id = ${run_id} and status = 'planning' and attempt = 1 returning part_id
      )
      select part_id, pg_notify('countersign', 'parts:' || ${run_id}) from ended`);
    part_id = rows[0]?.part_id ?? part_id;
    return asked === 2;
  });
  const place = { run_id, turn: 1, part_id };
  const run = await settled(instance, run_id);
  expect((await stepsOf(run.plan_id)).map(({ id }) => id)).toEqual(['a-1', 'a-2', 'b-1', 'b-2']);
  const late = { status: 'failed' as const, steps: [], message: 'late', cost_usd: 0 };
  expect(await settlePart(instance.db.query, place, 1, late)).toBe(false);
  expect(await settlePart(instance.db.query, place, 2, late)).toBe(false);
  expect(await partsOf(run_id)).toEqual(['planned', 'planned']);
});

test('two turns at once keep apart', async () => {
  instance.play((body) => {
    const part = partIn(body);
    if (part !== null) return twoFiles(part);
    const own = wordsIn(body).includes('east') ? 'east' : 'west';
    return scaffold([{ id: own }, { id: 'both' }]);
  });
  const [east, west] = await Promise.all([ask('Write up the east'), ask('Write up the west')]);
  expect((await stepsOf(east?.plan_id)).map(({ id }) => id)).toEqual([
    'east-1',
    'east-2',
    'both-1',
    'both-2',
  ]);
  expect((await stepsOf(west?.plan_id)).map(({ id }) => id)).toEqual([
    'west-1',
    'west-2',
    'both-1',
    'both-2',
  ]);
});
