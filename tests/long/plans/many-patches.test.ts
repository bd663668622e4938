// Two hundred changes of one running plan at once, while it also corrects itself: each is applied whole or is a conflict, and every call
// that was made stands in a version that people approved or that only narrowed one.
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { listFindings } from '#db/plans/findings.ts';
import { lockPlan } from '#db/plans/plans.ts';
import { isTransient } from '#db/transient.ts';
import { CountersignError } from '#domain/errors.ts';
import type { PatchOutcome } from '#domain/plan/patch-outcome.ts';
import { raiseFindings } from '#plans/findings/raise.ts';
import { createGates } from '../../fixtures/gates.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { checkChain } from '../../setup/approved-chain.ts';
import { ana, noop, reach, runPlan } from '../../setup/instance.ts';
import { checkPlan } from '../../setup/invariants.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

const gates = createGates();
const instance = useInstance({ extraOperations: [gates.operation] });

const patches = 200;
const free = 300;
const dependent = 20;

/** The steps that a change is about: three of many, so that some changes meet. */
const chosenBy = (patch: number): string[] => [
  ...new Set([7, 11, 13].map((factor) => `s${(patch * factor + factor) % free}`)),
  ...(patch % 10 === 0 ? [`d${patch % dependent}`] : []),
];

type End = { patch: number; outcome: PatchOutcome | null };

async function send(planId: string, base: number, patch: number): Promise<End> {
  try {
    const outcome = await instance.service.patch(
      planId,
      {
        base_revision: base,
        operations: [
          { op: 'update_steps', steps: { ids: chosenBy(patch) }, set: { priority: patch + 1 } },
        ],
      },
      ana,
    );
    return { patch, outcome };
  } catch (error) {
    // Two hundred wait for few connections: one that waited too long has done nothing, and is sent again.
    if (isTransient(error)) return send(planId, base, patch);
    expect(error).toBeInstanceOf(CountersignError);
    expect(error).toMatchObject({ code: 'patch_conflict' });
    return { patch, outcome: null };
  }
}

const raise = (planId: string) =>
  instance.db.transaction(async (tx) =>
    raiseFindings(
      { enqueue: async () => {}, random: { hex: (n) => 'a'.repeat(2 * n) } },
      tx,
      await lockPlan(tx, planId),
      [
        {
          key: 'changed',
          severity: 'ERROR',
          category: 'source_changed',
          message: 'It has changed.',
          step_id: 'source',
          evidence: [],
          raisedBy: 'test',
        },
      ],
    ),
  );

test('each is applied whole or is a conflict, and the plan completes', {
  timeout: 240_000,
}, async () => {
  const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
  const gate = draftStep('gate', 'Wait', 'gate_read', { name: 'go' });
  const plan = await runPlan(instance, {
    title: 'Many changes',
    steps: [
      gate,
      noop('source'),
      ...numbers(free).map((n) => noop(`s${n}`, 'gate')),
      ...numbers(dependent).map((n) => noop(`d${n}`, 'source', 'gate')),
    ],
  });
  const { revision } = await waitFor('the source to be read', async () => {
    const now = await instance.service.getPlan(plan.id);
    return now.counts.succeeded === 1 && now.counts.running === 1 && now;
  });
  const sent = numbers(patches).map((patch) => send(plan.id, revision, patch));
  await raise(plan.id);
  const ends = await Promise.all(sent);
  const applied = ends.filter(({ outcome }) => outcome !== null);
  expect(applied.length).toBeGreaterThan(20);
  expect(applied.length).toBeLessThan(patches);
  expect(new Set(applied.map(({ outcome }) => outcome?.status))).toEqual(new Set(['applied']));
  // All of a change or nothing of it: of two that meet, one was a conflict.
  const wanted = new Map(
    applied.flatMap(({ patch }) => chosenBy(patch).map((id): [string, number] => [id, patch + 1])),
  );
  expect(wanted.size).toBe(applied.flatMap(({ patch }) => chosenBy(patch)).length);
  const { rows } = await instance.db.query.execute<{ id: string; priority: number }>(sql`
    select step_id as id, priority from countersign.plan_steps
    where plan_id = ${plan.id} and step_id ~ '^[sd][0-9]+$'`);
  for (const { id, priority } of rows) expect([id, priority]).toEqual([id, wanted.get(id) ?? 0]);
  gates.open('go');
  const done = await waitFor(
    'the finding to be settled',
    async () => {
      const { findings } = await listFindings(instance.db.query, plan.id, { limit: 10 });
      return findings.find(
        ({ category, status }) => category === 'source_changed' && status === 'resolved',
      );
    },
    { timeoutMs: 60_000 },
  );
  expect(done.replans).toBeLessThanOrEqual(3);
  await reach(instance, plan.id, 'completed');
  await checkPlan(instance.db.query, plan.id);
  await checkChain(instance.db.query, plan.id);
});
