// Random decisions on running plans, lost leases and failing calls.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CountersignError } from '#domain/errors.ts';
import type { PatchOperation } from '#domain/plan/patch.ts';
import type { Plan, PlanDraft } from '#domain/plan/plan.ts';
import { recover } from '#executor/recover.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { expireLeases, makeExecutor } from '../../integration/plans/bench.ts';
import { useDatabase } from '../../setup/database.ts';
import { ana, openTestInstance, runPlan, type TestInstance } from '../../setup/instance.ts';
import { checkPlan } from '../../setup/invariants.ts';
import { waitFor } from '../../wait.ts';

const database = useDatabase();
let instance: TestInstance;
let other: TestInstance;
let executor: ReturnType<typeof makeExecutor>;
let port = 0;

const asked = new Set<string>();
const server = createServer((request, response) => {
  const path = request.url ?? '';
  response.statusCode = asked.has(path) ? 200 : 503;
  asked.add(path);
  response.end('here');
});

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A listening TCP socket has such an address.
  ({ port } = server.address() as AddressInfo);
  const settings = {
    http: { allowPrivate: ['127.0.0.1'] },
    executor: {
      concurrency: 3,
      batch: 4,
      lease_seconds: 5,
      max_attempts: 2,
      backoff_seconds: 0.02,
    },
    resourcePools: { tools: 3 },
  };
  instance = await openTestInstance(database.url, { settings });
  other = await openTestInstance(database.url, { settings, workspace: instance.workspace });
  executor = makeExecutor(instance);
});
afterAll(async () => {
  executor.leases.stop();
  server.closeAllConnections();
  server.close();
  await other.close();
  await instance.close();
});

let paths = 0;

function callOf(kind: string) {
  switch (kind) {
    case 'fail':
      return { tool: 'workspace', operation: 'read', args: { path: 'missing.md' } };
    case 'pass':
      return {
        tool: 'http',
        operation: 'get',
        args: { url: `http://127.0.0.1:${port}/${++paths}` },
      };
    case 'wait':
      return { tool: 'control', operation: 'wait', args: { seconds: 0.2 } };
    default:
      return { tool: 'control', operation: 'noop' };
  }
}

type Sketch = {
  kind: string;
  partition: string;
  tools: number;
  after: { back: number; lag_minutes: number }[];
};

const toSteps = (sketches: Sketch[]): PlanDraft['steps'] =>
  sketches.map(({ kind, partition, tools, after }, index) => ({
    id: `s${index + 1}`,
    description: 'A step',
    ...callOf(kind),
    partition,
    tags: [`tag${index % 3}`],
    ...(tools === 0 ? {} : { resources: { tools } }),
    after: after
      .filter(
        ({ back }, place, all) =>
          back <= index && all.findIndex((one) => one.back === back) === place,
      )
      .map(({ back, lag_minutes }) => ({
        id: `s${index + 1 - back}`,
        type: 'FS' as const,
        lag_minutes,
      })),
  }));

const draft: fc.Arbitrary<Sketch[]> = fc.array(
  fc.record({
    kind: fc.constantFrom('noop', 'noop', 'wait', 'wait', 'fail', 'pass'),
    partition: fc.constantFrom('a', 'b'),
    tools: fc.constantFrom(0, 0, 1, 2, 3),
    // A lead counts as no lag: the future can't be known.
    after: fc.array(
      fc.record({ back: fc.integer({ min: 1, max: 5 }), lag_minutes: fc.constantFrom(-1, 0) }),
      { maxLength: 2 },
    ),
  }),
  { minLength: 4, maxLength: 20 },
);

const interventions = [
  'pause',
  'resume',
  'retry',
  'remove',
  'hurry',
  'add',
  'widen',
  'decide',
  'lose',
  'cancel',
] as const;
type Intervention = (typeof interventions)[number];
const script = fc.array(
  fc.record({
    intervention: fc.constantFrom(...interventions, 'lose' as const, 'lose' as const),
    after: fc.integer({ min: 0, max: 40 }),
    step: fc.integer({ min: 1, max: 20 }),
    yes: fc.boolean(),
  }),
  { maxLength: 8 },
);

// Acceptable answers to a latecomer.
const late = new Set([
  'invalid_transition',
  'patch_conflict',
  'patch_pending',
  'stale_version',
  'already_decided',
  'invalid_request',
  'unknown_step',
  'steps_missing',
  'duplicate_step',
  'digest_mismatch',
]);

let added = 0;
function operationsOf(intervention: Intervention, step: number): PatchOperation[] {
  const id = `s${step}`;
  switch (intervention) {
    case 'remove':
      return [{ op: 'remove_steps', steps: { ids: [id] } }];
    case 'hurry':
      return [{ op: 'update_steps', steps: { partition: 'a' }, set: { priority: step } }];
    case 'add':
      return [
        {
          op: 'add_step',
          step: draftStep(`n${++added}`, 'More', 'control_noop', {}, id),
        },
      ];
    default:
      return [
        {
          op: 'add_step',
          step: draftStep(
            `w${++added}`,
            'Write',
            'workspace_write',
            { path: `w${added}.md`, content: 'x' },
            id,
          ),
        },
      ];
  }
}

async function act(
  plan: Plan,
  intervention: Intervention,
  step: number,
  yes: boolean,
): Promise<void> {
  const { service } = instance;
  const { id, version } = plan;
  switch (intervention) {
    case 'pause':
      await service.pause(id, { version }, ana);
      return;
    case 'resume':
      await service.resume(id, { version }, ana);
      return;
    case 'retry':
      await service.retry(id, { version }, ana);
      return;
    case 'cancel':
      await service.cancel(id, { version }, ana);
      return;
    case 'lose':
      await expireLeases(instance, id);
      await recover(executor);
      return;
    case 'decide': {
      const { pending_patch: patch } = plan;
      if (patch === null) return;
      if (yes) await service.approve(id, { version: patch.version, digest: patch.digest }, ana);
      else await service.reject(id, { version: patch.version }, ana);
      return;
    }
    default:
      await service.patch(
        id,
        { base_revision: plan.revision, operations: operationsOf(intervention, step) },
        ana,
      );
  }
}

/** @returns false if too late */
async function tryTo(
  id: string,
  intervention: Intervention,
  step: number,
  yes: boolean,
): Promise<boolean> {
  try {
    await act(await instance.service.getPlan(id), intervention, step, yes);
    return true;
  } catch (error) {
    if (error instanceof CountersignError && late.has(error.code)) return false;
    throw error;
  }
}

const over = ['completed', 'failed', 'cancelled'];

async function sayWhatBecame({ id, version }: Plan): Promise<void> {
  const { steps } = await instance.service.listSteps(id, { status: ['unknown'], limit: 1000 });
  const done = Object.fromEntries(steps.map((step) => [step.id, 'done' as const]));
  await instance.service.resume(id, { version, steps: done }, ana);
}

function bringToRest(id: string): Promise<Plan> {
  return waitFor(
    `${id} to be at rest`,
    async () => {
      const plan = await instance.service.getPlan(id);
      if (plan.pending_patch !== null) await tryTo(id, 'decide', 0, true);
      else if (plan.paused) await tryTo(id, 'resume', 0, true);
      const { running, unknown } = plan.counts;
      if (unknown > 0) await sayWhatBecame(plan);
      return over.includes(plan.status) && running === 0 ? plan : null;
    },
    { timeoutMs: 25_000 },
  );
}

const actions: Partial<Record<Intervention, string>> = {
  pause: 'pause',
  resume: 'resume',
  retry: 'retry',
  cancel: 'cancel',
};

// Lost leases, failures and passes in every draw.
const manyWaits: Sketch[] = [
  { kind: 'pass', partition: 'b', tools: 0, after: [] },
  ...Array.from({ length: 18 }, () => ({ kind: 'wait', partition: 'a', tools: 0, after: [] })),
];
const manyLosses = Array.from({ length: 4 }, () => ({
  intervention: 'lose' as const,
  after: 40,
  step: 1,
  yes: true,
}));

test('whatever people do meanwhile, the books are right', { timeout: 240_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(draft, script, async (sketches, interventions) => {
      const steps = toSteps(sketches);
      const { id } = await runPlan(instance, steps);
      const done: Intervention[] = [];
      for (const { intervention, after, step, yes } of interventions) {
        await new Promise((resolve) => setTimeout(resolve, after));
        if (await tryTo(id, intervention, step, yes)) done.push(intervention);
      }
      const plan = await bringToRest(id);
      await checkPlan(instance.db.query, id);
      const audit = await instance.service.audit(id, { limit: 1000 });
      const byPeople = audit.filter(({ actor_kind }) => actor_kind === 'person');
      for (const [intervention, action] of Object.entries(actions)) {
        const times = done.filter((one) => one === intervention).length;
        // Repeats by a person succeed, and are recorded once.
        const turns = done.filter((one) => one in actions);
        const first = turns.filter(
          (one, i) => one === intervention && turns[i - 1] !== intervention,
        ).length;
        const noted = byPeople.filter((entry) => entry.action === action).length;
        // `bringToRest` may have resumed it.
        if (intervention !== 'resume') expect(noted, intervention).toBeLessThanOrEqual(times);
        expect(noted, intervention).toBeGreaterThanOrEqual(first);
      }
      if (done.includes('cancel')) expect(plan.status).toBe('cancelled');
    }),
    { numRuns: 20, endOnFailure: true, examples: [[manyWaits, manyLosses]] },
  );
  const { rows } = await instance.db.query.execute<{ lost: number; passed: number }>(sql`
    select (select count(*)::int from countersign.step_attempts where status = 'lost') as lost,
      (select count(*)::int from countersign.step_attempts a join countersign.plan_steps s using (plan_id, position)
        where s.operation = 'get' and a.status = 'succeeded' and a.attempt > 1) as passed`);
  const [{ lost, passed } = { lost: 0, passed: 0 }] = rows;
  expect(lost, 'attempts whose lease was lost').toBeGreaterThan(0);
  expect(passed, 'calls that failed and passed').toBeGreaterThan(0);
});
