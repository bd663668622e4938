// Staleness by findings, compared with a model of the plan.
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findDependents } from '#bench/benches/impact.ts';
import { lockPlan } from '#db/plans/plans.ts';
import { makeStale, positionsOf } from '#db/sql/impact.ts';
import { rerunSteps } from '#db/sql/rerun.ts';
import { CountersignError } from '#domain/errors.ts';
import type { FindingAction } from '#domain/plan/finding.ts';
import type { PlanDraft, StepStatus } from '#domain/plan/plan.ts';
import { countStatements } from '../../fixtures/counted-database.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { rounds } from '../../rounds.ts';
import { ana, reach, runPlan, type TestInstance } from '../../setup/instance.ts';
import { checkPlan } from '../../setup/invariants.ts';
import { useInstance } from '../../setup/use-instance.ts';

const executor = { concurrency: 3, batch: 4, lease_seconds: 5 };

type Graph = PlanDraft['steps'];
type EdgeType = 'FS' | 'SS' | 'FF' | 'SF';
type Edge = { from: string; to: string; type: EdgeType };

const graph: fc.Arbitrary<Graph> = fc
  .array(
    fc.record({
      kind: fc.constantFrom('noop', 'wait', 'wait', 'noop', 'noop', 'fail'),
      partition: fc.constantFrom(undefined, 'a', 'b'),
      after: fc.array(
        fc.record({
          back: fc.integer({ min: 1, max: 6 }),
          type: fc.constantFrom<EdgeType>('FS', 'FS', 'FS', 'FF', 'SS', 'SF'),
        }),
        { maxLength: 3 },
      ),
    }),
    { minLength: 3, maxLength: 14 },
  )
  .map((steps) =>
    steps.map(({ kind, partition, after }, index) => ({
      id: `s${index + 1}`,
      description: 'A step',
      tool: kind === 'fail' ? 'workspace' : 'control',
      operation: kind === 'fail' ? 'read' : kind,
      args: kind === 'fail' ? { path: 'missing.md' } : kind === 'wait' ? { seconds: 0.02 } : {},
      ...(partition === undefined ? {} : { partition }),
      after: after
        .filter(({ back }) => back <= index)
        .map(({ back, type }) => ({ id: `s${index + 1 - back}`, type, lag_minutes: 0 })),
    })),
  );

type Command =
  | { do: 'raise'; about: { step: number } | { partition: string } }
  | { do: 'settle'; which: number; action: Exclude<FindingAction, 'replan'> };

const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({
    do: fc.constant('raise' as const),
    about: fc.oneof(
      fc.record({ step: fc.nat(20) }),
      fc.record({ partition: fc.constantFrom('a', 'b') }),
    ),
  }),
  fc.record({
    do: fc.constant('settle' as const),
    which: fc.nat(5),
    action: fc.constantFrom('proceed' as const, 'dismiss' as const, 'leave_out' as const),
  }),
);

const edgesOf = (steps: Graph): Edge[] =>
  steps.flatMap(({ id = '', after = [] }) =>
    after.flatMap((one) =>
      typeof one === 'string' ? [] : [{ from: one.id, to: id, type: one.type }],
    ),
  );

function closureOf(edges: Edge[], sources: string[]): Set<string> {
  const found = new Set<string>();
  const ahead = [...sources];
  for (let at = ahead.pop(); at !== undefined; at = ahead.pop()) {
    for (const { from, to, type } of edges) {
      if (from !== at || (type !== 'FS' && type !== 'FF') || found.has(to)) continue;
      found.add(to);
      ahead.push(to);
    }
  }
  return found;
}

type Covered = { id: string; status: StepStatus; findings: string[] | null };

const readCovers = (instance: TestInstance, id: string): Promise<Covered[]> =>
  instance.db.transaction(async (tx) => {
    await lockPlan(tx, id);
    const { rows } = await tx.execute<Covered>(sql`
      select step_id as id, status, held_by as findings
      from countersign.step_states where plan_id = ${id} order by position`);
    return rows;
  });

// Stale exactly by the open findings that reach it.
async function expectCovered(
  instance: TestInstance,
  id: string,
  open: Map<string, Set<string>>,
): Promise<void> {
  for (const { id: step, status, findings } of await readCovers(instance, id)) {
    const by = [...open].filter(([, closure]) => closure.has(step)).map(([finding]) => finding);
    if (status === 'cancelled') continue;
    expect(new Set(findings ?? []), `${step} (${status})`).toEqual(new Set(by));
    if (status !== 'running' && status !== 'unknown')
      expect(status === 'stale', `${step} is ${status}`).toBe(by.length > 0);
  }
}

async function play(instance: TestInstance, steps: Graph, commands: Command[]): Promise<void> {
  const { service } = instance;
  const edges = edgesOf(steps);
  const { id } = await runPlan(instance, steps);
  const open = new Map<string, Set<string>>();
  const leftOut = new Set<string>();
  const settle = async (finding: string, action: Exclude<FindingAction, 'replan'>) => {
    await service.settleFinding(id, finding, action, ana);
    if (action === 'leave_out') for (const step of open.get(finding) ?? []) leftOut.add(step);
    open.delete(finding);
  };
  for (const one of commands) {
    if (one.do === 'settle') {
      const [chosen] = [...open.keys()].slice(one.which % Math.max(1, open.size));
      if (chosen !== undefined) await settle(chosen, one.action);
    } else {
      const about =
        'step' in one.about
          ? { step_id: steps[one.about.step % steps.length]?.id ?? '' }
          : one.about;
      const sources =
        'step_id' in about
          ? [about.step_id]
          : steps.flatMap((step) => (step.partition === about.partition ? [step.id ?? ''] : []));
      const report = { severity: 'ERROR', category: 'reported', message: 'No.' } as const;
      const finding = await service
        .raiseFinding(id, { ...report, evidence: [], ...about }, ana)
        .catch((error: unknown) => {
          if (error instanceof CountersignError && error.code === 'unknown_step') return null;
          throw error;
        });
      if (finding !== null) {
        const closure = closureOf(edges, sources);
        const found = await findDependents(
          instance.db.query,
          id,
          'step_id' in about ? { ids: [about.step_id] } : about,
        );
        expect(found.map((position) => `s${position}`).toSorted()).toEqual([...closure].toSorted());
        open.set(finding.id, closure);
      }
    }
    await expectCovered(instance, id, open);
  }
  for (const finding of [...open.keys()]) await settle(finding, 'proceed');
  const ended = await reach(instance, id, 'completed', 'failed');
  expect(ended.counts.stale + ended.counts.pending + ended.counts.ready).toBe(0);
  const rows = await checkPlan(instance.db.query, id);
  for (const { step_id, status } of rows)
    if (leftOut.has(step_id)) expect(status, step_id).toBe('cancelled');
  const fails = steps.some(({ tool }) => tool === 'workspace');
  // A correction begun before the settlement adds two steps.
  if (!fails && leftOut.size === 0) expect(ended.counts.succeeded).toBe(rows.length);
}

const stillSound = (instance: TestInstance) =>
  fc.assert(
    fc.asyncProperty(graph, fc.array(command, { minLength: 1, maxLength: 7 }), (steps, commands) =>
      play(instance, steps, commands),
    ),
    // Shrinking would take too long.
    { numRuns: rounds(40), endOnFailure: true },
  );
const sound =
  'what is stale is what depends on the steps of open findings, and all of it is settled';

describe('with a failure that stops a plan', () => {
  const instance = useInstance({ settings: { executor: { ...executor, on_failure: 'stop_all' } } });
  test(sound, () => stillSound(instance), 120_000);
});

describe('with a failure that lets the rest of a plan go on', () => {
  const instance = useInstance({ settings: { executor } });
  test(sound, () => stillSound(instance), 120_000);

  test('a partition of 5,000 steps becomes stale, and runs again, by one statement each', async () => {
    const size = 5_000;
    const steps = Array.from({ length: size }, (_, at) => ({
      ...draftStep(`s${at + 1}`, 'A step', 'control_noop'),
      partition: 'all',
    }));
    const { id } = await instance.service.propose({ title: 'Many', steps }, {}, ana);
    const { db, statements, forget } = countStatements(instance.db);
    const counts = await db.transaction(async (tx) => {
      await lockPlan(tx, id);
      forget();
      const cause = { finding: 'F-000000000000', message: 'All of it.' };
      const { stale } = await makeStale(tx, id, positionsOf(id, { partition: 'all' }), cause, true);
      const once = statements();
      const positions = steps.map((_, at) => at + 1);
      await rerunSteps(tx, id, positions, []);
      return { stale, once, twice: statements() };
    });
    expect(counts).toEqual({ stale: size, once: 1, twice: 2 });
    expect((await instance.service.getPlan(id)).counts).toMatchObject({ pending: size, stale: 0 });
  });
});
