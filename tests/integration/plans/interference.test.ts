// People interfere with running plans: they pause, resume, retry, cancel and change them, while two processes work. Whatever
// comes in between, the counters, the edges, the change stream and the audit tell the same story.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CountersignError } from '#contracts/errors.ts';
import type { PatchOperation } from '#contracts/patch.ts';
import type { Plan, PlanDraft } from '#contracts/plan.ts';
import { useDatabase } from '#tests/setup/database.ts';
import { ana, openTestHouse, runPlan, type TestHouse } from '#tests/setup/house.ts';
import { checkPlan } from '#tests/setup/invariants.ts';
import { waitFor } from '#tests/wait.ts';

const database = useDatabase();
let house: TestHouse;
let other: TestHouse;

beforeAll(async () => {
  const settings = {
    executor: {
      concurrency: 3,
      batch: 4,
      lease_seconds: 5,
      max_attempts: 2,
      backoff_seconds: 0.02,
    },
    resourcePools: { tools: 3 },
  };
  house = await openTestHouse(database.url, { settings });
  other = await openTestHouse(database.url, { settings, workspace: house.workspace });
});
afterAll(async () => {
  await other.close();
  await house.close();
});

const draft: fc.Arbitrary<PlanDraft['steps']> = fc
  .array(
    fc.record({
      kind: fc.constantFrom('noop', 'noop', 'noop', 'wait', 'fail'),
      partition: fc.constantFrom('a', 'b'),
      tools: fc.constantFrom(0, 0, 1, 2, 3),
      after: fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 2 }),
    }),
    { minLength: 4, maxLength: 20 },
  )
  .map((steps) =>
    steps.map(({ kind, partition, tools, after }, index) => ({
      id: `s${index + 1}`,
      description: 'A step',
      ...(kind === 'fail'
        ? { tool: 'workspace', operation: 'read', args: { path: 'missing.md' } }
        : kind === 'wait'
          ? { tool: 'control', operation: 'wait', args: { seconds: 0.05 } }
          : { tool: 'control', operation: 'noop' }),
      partition,
      tags: [`tag${index % 3}`],
      ...(tools === 0 ? {} : { resources: { tools } }),
      after: [
        ...new Set(after.filter((back) => back <= index).map((back) => `s${index + 1 - back}`)),
      ],
    })),
  );

const deeds = [
  'pause',
  'resume',
  'retry',
  'remove',
  'hurry',
  'add',
  'widen',
  'decide',
  'cancel',
] as const;
type Deed = (typeof deeds)[number];
const script = fc.array(
  fc.record({
    deed: fc.constantFrom(...deeds.filter((deed) => deed !== 'cancel'), 'cancel' as const),
    after: fc.integer({ min: 0, max: 40 }),
    step: fc.integer({ min: 1, max: 20 }),
    yes: fc.boolean(),
  }),
  { maxLength: 8 },
);

/** What may be answered to somebody who comes late, and nothing else. */
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
function operationsOf(deed: Deed, step: number): PatchOperation[] {
  const id = `s${step}`;
  switch (deed) {
    case 'remove':
      return [{ op: 'remove_steps', steps: { ids: [id] } }];
    case 'hurry':
      return [{ op: 'update_steps', steps: { partition: 'a' }, set: { priority: step } }];
    case 'add':
      return [
        {
          op: 'add_step',
          step: {
            id: `n${++added}`,
            description: 'More',
            tool: 'control',
            operation: 'noop',
            after: [id],
          },
        },
      ];
    default:
      return [
        {
          op: 'add_step',
          step: {
            id: `w${++added}`,
            description: 'Write',
            tool: 'workspace',
            operation: 'write',
            args: { path: `w${added}.md`, content: 'x' },
            after: [id],
          },
        },
      ];
  }
}

async function act(plan: Plan, deed: Deed, step: number, yes: boolean): Promise<void> {
  const { service } = house;
  const { id, version } = plan;
  switch (deed) {
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
        { base_revision: plan.revision, operations: operationsOf(deed, step) },
        ana,
      );
  }
}

/** @returns whether the deed was done; somebody who comes late is told so, and nothing has changed */
async function tryTo(id: string, deed: Deed, step: number, yes: boolean): Promise<boolean> {
  try {
    await act(await house.service.getPlan(id), deed, step, yes);
    return true;
  } catch (error) {
    if (error instanceof CountersignError && late.has(error.code)) return false;
    throw error;
  }
}

const over = ['completed', 'failed', 'cancelled'];

/** Takes away whatever keeps the plan from its end, until it is there. */
function bringToRest(id: string): Promise<Plan> {
  return waitFor(
    `${id} to be at rest`,
    async () => {
      const plan = await house.service.getPlan(id);
      if (plan.pending_patch !== null) await tryTo(id, 'decide', 0, true);
      else if (plan.paused) await tryTo(id, 'resume', 0, true);
      const { running } = plan.counts;
      return over.includes(plan.status) && running === 0 ? plan : null;
    },
    { timeoutMs: 25_000 },
  );
}

const actions: Partial<Record<Deed, string>> = {
  pause: 'pause',
  resume: 'resume',
  retry: 'retry',
  cancel: 'cancel',
};

test('whatever people do meanwhile, the books are right', { timeout: 240_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(draft, script, async (steps, deeds) => {
      const { id } = await runPlan(house, { title: 'Interference', steps });
      const done: Deed[] = [];
      for (const { deed, after, step, yes } of deeds) {
        await new Promise((resolve) => setTimeout(resolve, after));
        if (await tryTo(id, deed, step, yes)) done.push(deed);
      }
      const plan = await bringToRest(id);
      await checkPlan(house.db.query, id);
      const audit = await house.service.audit(id, { limit: 1000 });
      const byPeople = audit.filter(({ actor_kind }) => actor_kind === 'person');
      for (const [deed, action] of Object.entries(actions)) {
        const times = done.filter((one) => one === deed).length;
        const noted = byPeople.filter((entry) => entry.action === action).length;
        // Bringing it to rest may have resumed it.
        if (deed === 'resume') expect(noted).toBeGreaterThanOrEqual(times);
        else expect(noted, deed).toBe(times);
      }
      if (done.includes('cancel')) expect(plan.status).toBe('cancelled');
    }),
    { numRuns: 20, endOnFailure: true },
  );
});
