// An executor moved by the tests, on a database that fails on request.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect } from 'vitest';
import { storeBackend } from '#db/backends.ts';
import type { Database } from '#db/database.ts';
import { storeArtifacts } from '#db/planning/artifacts.ts';
import type { Outcome } from '#db/sql/settle.ts';
import { systemClock, systemRandom } from '#domain/clock.ts';
import { toDependency } from '#domain/plan/dependency.ts';
import type { Plan, StepStatus } from '#domain/plan/plan.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import { OutlineNode } from '#domain/planning/outline.ts';
import { StrategyProfile } from '#domain/planning/schedule.ts';
import type { ReadBusy } from '#domain/planning/shift.ts';
import { createTurnGate } from '#executor/crew.ts';
import type { ExecutorContext, Mark } from '#executor/executor-context.ts';
import { keepLeases } from '#executor/leases.ts';
import { runStep } from '#executor/run-step.ts';
import { createSlots, type Slots } from '#executor/slots.ts';
import { startPlan, takeTurn } from '#executor/turn.ts';
import { createBudget } from '#planner/budget/budget.ts';
import { ana, type DraftOrSteps, runPlan, type TestInstance } from '../../setup/instance.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { type Edge, makeRoadmap } from '../../unit/planner/schedule/bench.ts';

let workers = 0;

export const usualCaps = { softPerTurn: 0.3, perSession: 2, perDay: 5 };

/** Its jobs are discarded. Callers stop its leases. */
export function makeExecutor(
  instance: TestInstance,
  overrides: Partial<ExecutorContext> = {},
): ExecutorContext & { warnings: string[] } {
  const db = overrides.db ?? instance.db;
  const worker = `bench:${++workers}`;
  const { settings } = instance.config;
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  return {
    db,
    enqueue: async () => {},
    registry: instance.registry,
    catalogue: instance.catalogue,
    clock: systemClock,
    random: systemRandom,
    settings: settings.executor,
    guardedTools: settings.guardedTools,
    operations: settings.operations,
    guardMode: settings.guardMode,
    shared: settings,
    decide: null,
    publicUrl: null,
    budget: createBudget({ db, clock: systemClock, caps: usualCaps }),
    worker,
    backend: {
      name: 'bench',
      capabilities: [],
      concurrency: settings.executor.concurrency,
      mostConcurrency: settings.executor.concurrency,
      operations: () => instance.registry.list().map(({ name }) => name),
      manifest: () => instance.registry.list(),
    },
    timezone: 'UTC',
    leases: keepLeases({ db, clock: systemClock, settings: settings.executor, warn }, worker),
    slots: createSlots(settings.executor.concurrency),
    inTurn: createTurnGate(db),
    warn,
    warnings,
    ...overrides,
  };
}

export function useExecutor(options: Parameters<typeof useInstance>[0] = {}) {
  const instance = useInstance({ work: false, ...options });
  const executor = {} as ReturnType<typeof makeExecutor>; // Filled before the first test.
  beforeAll(() => {
    Object.assign(executor, makeExecutor(instance));
  });
  afterAll(() => executor.leases.stop());
  return { instance, executor };
}

/** Registers a past back end, without which nothing stalls. */
export async function haveWorkedFor(instance: TestInstance, days: number): Promise<void> {
  const manifest = instance.registry.list();
  const operations = manifest.map(({ name }) => name);
  const row = { id: 'idle/main', name: 'main', capabilities: [], concurrency: 1 };
  await storeBackend(instance.db.query, { ...row, operations, manifest });
  await instance.db.query.execute(
    sql`update countersign.backends set since_at = clock_timestamp() - make_interval(days => ${days})`,
  );
}

/** Everything is claimed at once and waits for a slot. */
export const crowdedSlots = (limit: number): Slots => ({
  ...createSlots(limit),
  admit: (_claimant, wanted) => wanted,
});

/** Allows every call. */
export const mayCall: Mark = async () => ({ isFresh: () => true });

export async function startBy(
  executor: ExecutorContext,
  instance: TestInstance,
  draft: DraftOrSteps,
): Promise<Plan> {
  const plan = await runPlan(instance, draft, ana);
  await startPlan(executor, plan.id, { approvers: [], guardedApprovers: {} });
  return plan;
}

type Part = {
  step: StepDraft;
  /** Epoch milliseconds. */
  from: number;
  minutes: number;
  deadline?: number | null;
  person?: string | null;
};

const everyHour = { days: ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'], from: '00:00', to: '24:00' };
const printTime = (at: number): string => new Date(at).toISOString();

/** Parts are named by their step in capitals. */
export async function storeSchedule(instance: TestInstance, plan: Plan, parts: Part[]) {
  const name = (id = '') => id.toUpperCase();
  const node = (id: string, rest: Partial<OutlineNode>) =>
    OutlineNode.parse({ ...{ id, title: `Part ${id}`, level: 2, parent: 'goal' }, ...rest });
  const roadmap = makeRoadmap(
    parts.flatMap(({ step }) =>
      (step.after ?? []).map((edge) => {
        const { id, type, lag_minutes } = toDependency(edge);
        return [name(id), name(step.id), type, lag_minutes] satisfies Edge;
      }),
    ),
  );
  const { pattern } = roadmap;
  const ends = parts.map(({ from, minutes }) => from + minutes * 60_000);
  const blocks = parts.map(({ step, from, person = null }, at) => ({
    ...{ node: name(step.id), starts_at: printTime(from), ends_at: printTime(ends[at] ?? from) },
    ...{ fixed: false, person, holds: false },
  }));
  await instance.db.transaction((tx) =>
    storeArtifacts(tx, plan.id, plan.version, {
      outline: {
        ...{ title: plan.title, summary: '', pattern, risks: [], assumptions: [] },
        nodes: [
          node('goal', { structure: 'goal', level: 1, parent: null }),
          ...parts.map(({ step, minutes, deadline = null }) =>
            node(name(step.id), {
              structure: 'task',
              steps: [step],
              duration_minutes: minutes,
              deadline: deadline === null ? null : printTime(deadline),
            }),
          ),
        ],
      },
      roadmap,
      schedule: {
        ...{
          timezone: 'UTC',
          profile: StrategyProfile.parse({ working_hours: [everyHour] }),
          blocks,
        },
        starts_at: printTime(Math.min(...parts.map(({ from }) => from))),
        ends_at: printTime(Math.max(...ends)),
      },
      notes: [],
    }),
  );
}

/** @param ahead milliseconds */
export const watchContext = (instance: TestInstance, readBusy: ReadBusy, ahead = () => 0) => ({
  ...{ db: instance.db, catalogue: instance.catalogue, random: systemRandom, readBusy },
  ...{ clock: { now: () => new Date(Date.now() + ahead()) }, enqueue: async () => {} },
  profile: instance.config.settings.schedule,
  resourcePools: instance.config.settings.resourcePools,
  warn: (message: string) => expect.fail(message),
});

export function outcomeOf(
  step: { position: number; attempt: number },
  status: Outcome['status'],
  rest: Partial<Outcome> = {},
): Outcome {
  return {
    position: step.position,
    attempt: step.attempt,
    status,
    summary: null,
    output: null,
    error: status === 'failed' ? { code: 'tool_failed', message: 'it broke' } : null,
    question: status === 'unknown' ? 'What became of it?' : null,
    final_args: null,
    retry_in_ms: null,
    ...rest,
  };
}

export function claimReady(executor: ExecutorContext, planId: string, limit: number) {
  return takeTurn(executor, planId, [], limit, null);
}

/** Claims nothing. @returns whether there may be something to claim */
export async function settleOutcomes(
  executor: ExecutorContext,
  planId: string,
  outcomes: Outcome[],
): Promise<boolean> {
  return (await takeTurn(executor, planId, outcomes, 0, null)).more;
}

export async function expireLeases(instance: TestInstance, planId: string): Promise<void> {
  await instance.db.query.execute(sql`
    update countersign.step_states set lease_until = clock_timestamp() - interval '1 second'
    where plan_id = ${planId} and status = 'running'`);
}

export async function statusesOf(
  instance: TestInstance,
  planId: string,
): Promise<Record<string, StepStatus>> {
  const { steps } = await instance.service.listSteps(planId, { limit: 1000 });
  return Object.fromEntries(steps.map(({ id, status }) => [id, status]));
}

/** Fails `before` the next statements run, or `after`, when only the result is lost. */
export function flaky(
  db: Database,
): Database & { fail(when: 'before' | 'after', times?: number): void } {
  let left = 0;
  let mode: 'before' | 'after' = 'before';
  const lost = () =>
    Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' });
  const unreliable =
    <A extends unknown[], T>(work: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      const failing = left > 0;
      if (failing) left--;
      if (failing && mode === 'before') throw lost();
      const result = await work(...args);
      if (failing) throw lost();
      return result;
    };
  const execute = unreliable(async (statement: Parameters<Database['query']['execute']>[0]) =>
    db.query.execute(statement),
  );
  const query = new Proxy(db.query, {
    get: (target, key) => (key === 'execute' ? execute : Reflect.get(target, key, target)),
  });
  return {
    ...db,
    query,
    transaction: (work) => unreliable(() => db.transaction(work))(),
    fail(when, times = 1) {
      mode = when;
      left = times;
    },
  };
}

export async function runClaimed(
  context: ExecutorContext,
  planId: string,
): Promise<{ ids: string[]; outcomes: Outcome[] }> {
  const { plan, steps } = await claimReady(context, planId, 100);
  const { signal } = new AbortController();
  const outcomes = await Promise.all(
    steps.map((step) => {
      const lease = { plan_id: planId, position: step.position, attempt: step.attempt };
      const run = { context, plan, step, lease, signal, mark: mayCall };
      return runStep({ ...run, cutOff: () => {}, mayBegin: () => true });
    }),
  );
  if (outcomes.length > 0) await settleOutcomes(context, planId, outcomes);
  return { ids: steps.map(({ step_id }) => step_id), outcomes };
}

/** @returns the IDs of steps that ran */
export const runReady = async (context: ExecutorContext, planId: string): Promise<string[]> =>
  (await runClaimed(context, planId)).ids;

/** Makes steps claimable; their planned time is unchanged. */
export async function ripen(instance: TestInstance, planId: string): Promise<void> {
  await instance.db.query.execute(
    sql`update countersign.step_states set available_at = clock_timestamp()
      where plan_id = ${planId} and status = 'ready'`,
  );
}
