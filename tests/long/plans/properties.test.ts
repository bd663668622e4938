// Invariants of random graphs and contents, with two processes.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PlanDraft, StepStatus } from '#domain/plan/plan.ts';
import { isStorableText } from '#domain/words.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import { ana, openTestInstance, reach, runPlan, type TestInstance } from '../../setup/instance.ts';
import { checkPlan, type StepRow } from '../../setup/invariants.ts';

const database = useDatabase();
let instance: TestInstance;
let other: TestInstance;

beforeAll(async () => {
  const settings = { executor: { concurrency: 3, batch: 4, lease_seconds: 5 } };
  instance = await openTestInstance(database.url, { settings });
  other = await openTestInstance(database.url, { settings, workspace: instance.workspace });
});
afterAll(async () => {
  await other.close();
  await instance.close();
});

type Graph = PlanDraft['steps'];

const graph: fc.Arbitrary<Graph> = fc
  .array(
    fc.record({
      fails: fc.integer({ min: 0, max: 7 }).map((n) => n === 0),
      partition: fc.constantFrom(undefined, 'a', 'b'),
      priority: fc.integer({ min: -2, max: 2 }),
      after: fc.array(
        fc.record({
          back: fc.integer({ min: 1, max: 6 }),
          type: fc.constantFrom(
            'FS' as const,
            'FS' as const,
            'FS' as const,
            'SS' as const,
            'FF' as const,
            'SF' as const,
          ),
          // A lead counts as no lag: the future can't be known.
          lag_minutes: fc.constantFrom(-1, 0),
        }),
        { maxLength: 3 },
      ),
    }),
    { minLength: 1, maxLength: 14 },
  )
  .map((steps) =>
    steps.map(({ fails, partition, priority, after }, index) => ({
      id: `s${index + 1}`,
      description: 'A step',
      tool: fails ? 'workspace' : 'control',
      operation: fails ? 'read' : 'noop',
      args: fails ? { path: 'missing.md' } : {},
      priority,
      ...(partition === undefined ? {} : { partition }),
      after: after
        .filter(({ back }) => back <= index)
        .map(({ back, ...edge }) => ({ id: `s${index + 1 - back}`, ...edge })),
    })),
  );

const mayFollow: Partial<Record<StepStatus, StepStatus[]>> = {
  // Freed and started in one statement, so never seen as ready.
  pending: ['ready', 'running', 'skipped'],
  ready: ['running'],
  running: ['succeeded', 'failed'],
  failed: ['ready'],
  skipped: ['pending'],
};

// Replays the stream by allowed steps to the stored state.
async function checkChanges(planId: string, rows: StepRow[]): Promise<void> {
  const { changes, more } = await instance.service.diff(planId, 0, 1000);
  expect(more).toBe(false);
  expect(changes.map(({ revision }) => revision)).toEqual(changes.map((_, index) => index + 1));
  const plan = await instance.service.getPlan(planId);
  expect(plan.revision).toBe(changes.length);
  expect(changes.findLast(({ step_id }) => step_id === null)?.status).toBe(plan.status);
  const now = new Map<string, StepStatus>(rows.map(({ step_id }) => [step_id, 'pending']));
  for (const { step_id, status } of changes) {
    if (step_id === null) continue;
    const to = StepStatus.parse(status);
    expect(mayFollow[now.get(step_id) ?? 'stale'], `${step_id} to ${to}`).toContain(to);
    now.set(step_id, to);
  }
  expect(Object.fromEntries(now)).toEqual(
    Object.fromEntries(rows.map(({ step_id, status }) => [step_id, status])),
  );
}

async function checkAll(planId: string): Promise<StepRow[]> {
  const rows = await checkPlan(instance.db.query, planId);
  await checkChanges(planId, rows);
  return rows;
}

test('any graph ends, once, in order, and is counted and told as it was', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(graph, { minLength: 1, maxLength: 3 }), async (graphs) => {
      await Promise.all(
        graphs.map(async (steps, index) => {
          const { id } = await runPlan(index % 2 === 0 ? instance : other, { title: 'Any', steps });
          const fails = steps.some(({ operation }) => operation === 'read');
          const ended = await reach(instance, id, 'completed', 'failed');
          const rows = await checkAll(id);
          for (const { attempts } of rows) expect(attempts).toBeLessThanOrEqual(1);
          if (!fails) expect(ended.status).toBe('completed');
          if (ended.status === 'completed') return;
          await instance.service.retry(id, { version: 1 }, ana);
          await reach(other, id, 'failed');
          const again = await checkAll(id);
          for (const [place, { status, attempts }] of again.entries()) {
            // Failed steps are repeated, done ones are not.
            if (rows[place]?.status === 'succeeded') expect(attempts).toBe(1);
            if (rows[place]?.status === 'failed') expect([status, attempts]).toEqual(['failed', 2]);
          }
        }),
      );
    }),
    { numRuns: 20 },
  );
});

const storable = fc
  .string({ unit: 'binary', maxLength: 12 })
  .filter(isStorableText)
  .filter((text) => !['__proto__', '$from', '$decide'].includes(text));
const numbers = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(
    1e21,
    -1e21,
    1e-7,
    5e-324,
    1.7976931348623157e308,
    -0,
    1,
    0.1 + 0.2,
    123456789012345680000,
  ),
  fc.maxSafeInteger(),
);
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    fc.constant(null),
    fc.boolean(),
    numbers,
    storable,
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(storable, tie('json'), { maxKeys: 4 }),
  ),
}));
const moment = fc
  .tuple(
    fc.date({ min: new Date('1000-01-02'), max: new Date('9999-12-30'), noInvalidDate: true }),
    fc.constantFrom('Z', '+05:30', '-11:00'),
  )
  .map(([date, zone]) => date.toISOString().replace('Z', zone));

test('any content has the same digest before and after it was stored', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(storable, json, { maxKeys: 4 }),
      json,
      moment,
      fc.double({ min: 0, max: 5_000_000, noNaN: true }),
      fc.dictionary(
        fc.constantFrom('cpu', 'people'),
        fc.integer({ min: 1, max: 2_000_000_000 }).map((millionths) => millionths / 1e6),
      ),
      async (args, notes, not_before, duration_minutes, resources) => {
        const step = draftStep('1', 'Any', 'control_noop');
        const sent = { ...step, args, notes, not_before, duration_minutes, resources };
        const context = { tool_outputs: { x: { tool: 't', operation: 'o', data: notes } } };
        // As parsed by the API.
        const draft = PlanDraft.parse(
          JSON.parse(JSON.stringify({ title: 'Any', steps: [sent], context })),
        );
        const { id } = await instance.service.propose(draft, {}, ana);
        const { problems } = await instance.service.simulate(id, {}, ana);
        expect(problems).toEqual([]);
      },
    ),
    { numRuns: 80 },
  );
});
