// Only approved work runs, for random changes and decisions.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { listFindings } from '#db/plans/findings.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import type { FindingAction } from '#domain/plan/finding.ts';
import type { PatchOperation } from '#domain/plan/patch.ts';
import type { Plan } from '#domain/plan/plan.ts';
import type { StepSelector } from '#domain/plan/step-selector.ts';
import type { Effect, Operation } from '#domain/tool.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { rounds } from '../../rounds.ts';
import { checkCalls, checkChain, type MadeCall } from '../../setup/approved-chain.ts';
import { ana, runPlan } from '../../setup/instance.ts';
import { checkPlan } from '../../setup/invariants.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

const planner: Actor = { kind: 'model', id: 'planner', via: 'system' };
const effects = ['read', 'idempotent', 'write'] as const satisfies Effect[];

const say = (effect: Effect): Operation => ({
  tool: 'say',
  operation: effect,
  name: `say_${effect}`,
  description: 'Says a word.',
  input: {
    type: 'object',
    properties: { word: { type: 'string' } },
    required: ['word'],
    additionalProperties: false,
  },
  effect,
  destructive: false,
  source: 'builtin',
  call: async (args) => ({ summary: 'Said.', data: args }),
});

const instance = useInstance({ extraOperations: effects.map(say) });
const made = new Map<string, MadeCall[]>();

beforeAll(() => {
  const tools = instance.registry.of(null);
  const get = tools.get.bind(tools);
  vi.spyOn(tools, 'get').mockImplementation((operation) => {
    const found = get(operation);
    if (found === undefined) return undefined;
    const call: typeof found.call = (args, context) => {
      const { planId, stepId } = context;
      // Replanning steps receive outputs.
      if (planId !== null && stepId !== null && !stepId.includes('#'))
        made.set(planId, [...(made.get(planId) ?? []), { step: stepId, operation, args }]);
      return found.call(args, context);
    };
    return { ...found, call };
  });
});
afterAll(() => {
  vi.restoreAllMocks();
});

const index = fc.nat({ max: 14 });
const word = fc.constantFrom('one', 'two', 'three', 'four');
const stepParts = fc.record({
  effect: fc.constantFrom(...effects),
  word,
  partition: fc.nat({ max: 3 }),
  tag: fc.constantFrom('odd', 'even'),
  back: fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 2 }),
  held: fc.boolean(),
});
type StepParts = typeof stepParts extends fc.Arbitrary<infer T> ? T : never;
const plans = fc.record({
  partitions: fc.integer({ min: 1, max: 4 }),
  steps: fc.array(stepParts, { minLength: 3, maxLength: 15 }),
});
type Parts = typeof plans extends fc.Arbitrary<infer T> ? T : never;

const hold = draftStep('hold', 'Wait for ana', 'human_task', {
  question: 'Go on?',
  assignee: 'ana',
});

const stepOf = (id: string, { effect, word: said, tag }: StepParts, after: string[]) => ({
  id,
  description: `Say a word (${id})`,
  tool: 'say',
  operation: effect,
  args: { word: said },
  tags: [tag],
  after: [...new Set(after)],
});

const draftOf = ({ partitions, steps }: Parts) => ({
  title: 'Any changes',
  steps: [
    hold,
    ...steps.map((parts, at) => ({
      ...stepOf(`s${at}`, parts, [
        ...(parts.held ? ['hold'] : []),
        ...parts.back.filter((back) => back <= at).map((back) => `s${at - back}`),
      ]),
      partition: `p${parts.partition % partitions}`,
    })),
  ],
});

const selector: fc.Arbitrary<StepSelector> = fc.oneof(
  fc.uniqueArray(index, { minLength: 1, maxLength: 3 }).map((many) => ({
    ids: many.map((at) => `s${at}`),
  })),
  fc.nat({ max: 3 }).map((at) => ({ partition: `p${at}` })),
  fc.constantFrom('odd', 'even').map((tag) => ({ tag })),
);
// Makes added steps' names unique.
const change: fc.Arbitrary<(n: number) => PatchOperation> = fc.oneof(
  fc.tuple(stepParts, index).map(([parts, at]) => (n: number) => ({
    op: 'add_step' as const,
    step: stepOf(`new${n}`, parts, [`s${at}`]),
  })),
  fc.tuple(selector, word).map(([steps, said]) => () => ({
    op: 'update_steps' as const,
    steps,
    set: { args: { word: said } },
  })),
  fc.tuple(selector, fc.integer({ min: -2, max: 2 })).map(([steps, priority]) => () => ({
    op: 'update_steps' as const,
    steps,
    set: { priority },
  })),
  fc.tuple(index, stepParts).map(([at, parts]) => (n: number) => {
    const { after: _, ...by } = stepOf(`by${n}`, parts, []);
    return { op: 'replace_step' as const, step: `s${at}`, by };
  }),
  fc.tuple(selector, fc.boolean()).map(([steps, release]) => () => ({
    op: 'remove_steps' as const,
    steps,
    release,
  })),
  selector.map((steps) => () => ({ op: 'rerun_steps' as const, steps })),
  selector.map((steps) => () => ({ op: 'invalidate_steps' as const, steps })),
);

type Intervention = (id: string, n: number) => Promise<unknown>;

async function decide(id: string, approves: boolean): Promise<void> {
  const { pending_patch: patch } = await instance.service.getPlan(id);
  if (patch === null) return;
  const { version, digest } = patch;
  if (approves) await instance.service.approve(id, { version, digest }, ana);
  else await instance.service.reject(id, { version }, ana);
}

async function settle(id: string, ...actions: FindingAction[]) {
  const { findings } = await listFindings(instance.db.query, id, { status: ['open'], limit: 20 });
  for (const finding of findings) {
    const action = actions.find((one) => finding.actions.includes(one));
    if (action !== undefined) await instance.service.settleFinding(id, finding.id, action, ana);
  }
}

async function passHold(id: string): Promise<void> {
  const [step] = await instance.service.getSteps(id, ['hold']);
  if (step?.status !== 'waiting') return;
  const { version } = await instance.service.getPlan(id);
  await instance.service.resume(id, { version, steps: { hold: 'done' } }, ana);
}

const intervention: fc.Arbitrary<Intervention> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(change, fc.constantFrom(ana, planner)).map(
      ([make, actor]): Intervention =>
        async (id, n) => {
          const { revision } = await instance.service.overview(id);
          const patch = { base_revision: revision, operations: [make(n)] };
          await instance.service.patch(id, patch, actor);
        },
    ),
  },
  {
    weight: 3,
    arbitrary: fc.boolean().map(
      (yes): Intervention =>
        (id) =>
          decide(id, yes),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(index, fc.constantFrom('source_changed', 'reported')).map(
      ([at, category]): Intervention =>
        (id) =>
          instance.service.raiseFinding(
            id,
            { severity: 'ERROR', category, message: 'Changed.', evidence: [], step_id: `s${at}` },
            ana,
          ),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('proceed' as const, 'leave_out' as const, 'replan' as const).map(
      (action): Intervention =>
        (id) =>
          settle(id, action),
    ),
  },
  { weight: 1, arbitrary: fc.constant<Intervention>(passHold) },
);

/** @returns false if refused */
async function attempt(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (error instanceof CountersignError && error.code !== 'internal') return false;
    throw error;
  }
}

const finish = (id: string): Promise<Plan> =>
  waitFor(
    `${id} to end`,
    async () => {
      await attempt(decide(id, true));
      await attempt(settle(id, 'proceed', 'dismiss', 'leave_out'));
      await attempt(passHold(id));
      const plan = await instance.service.getPlan(id);
      const { running, ready, pending } = plan.counts;
      return plan.status === 'completed' && running + ready + pending === 0 ? plan : null;
    },
    { timeoutMs: 20_000 },
  );

test('every call says what its step said in a version that was approved, or that only narrowed one', async () => {
  let done = 0;
  await fc.assert(
    fc.asyncProperty(
      plans,
      fc.array(fc.array(intervention, { minLength: 1, maxLength: 2 }), {
        minLength: 3,
        maxLength: 10,
      }),
      async (parts, groups) => {
        const { id } = await runPlan(instance, draftOf(parts));
        for (const [n, group] of groups.entries()) {
          const ends = await Promise.all(group.map((one, at) => attempt(one(id, 2 * n + at))));
          done += ends.filter(Boolean).length;
        }
        await finish(id);
        await checkPlan(instance.db.query, id);
        await checkChain(instance.db.query, id);
        await checkCalls(instance.db.query, id, made.get(id) ?? []);
      },
    ),
    // Shrinking would take too long.
    { numRuns: rounds(40), endOnFailure: true },
  );
  expect(done).toBeGreaterThan(0);
});
