// One part's source changes in a running plan of 10,000 steps in 40 parts: exactly what depends on it becomes stale, the other parts
// finish meanwhile, and the plan corrects itself and completes.
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { listFindings } from '#db/plans/findings.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import type { Operation } from '#domain/tool.ts';
import { createGates } from '../../fixtures/gates.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { ana, noop, runPlan } from '../../setup/instance.ts';
import { checkPlan } from '../../setup/invariants.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

const parts = 40;
const stepsEach = 250;
const changed = 'p7';
const timeoutMs = 240_000;

const values = new Map<string, string>();
const reads = new Map<string, number>();
const source: Operation = {
  tool: 'source',
  operation: 'read',
  name: 'source_read',
  description: 'Reads a source.',
  input: {
    type: 'object',
    properties: { name: { type: 'string' } },
    required: ['name'],
    additionalProperties: false,
  },
  effect: 'read',
  destructive: false,
  source: 'builtin',
  async call({ name }) {
    const key = String(name);
    reads.set(key, (reads.get(key) ?? 0) + 1);
    return { summary: 'Read.', data: { value: values.get(key) ?? 'first' } };
  },
};
const logged: string[] = [];
const append: Operation = {
  ...source,
  tool: 'log',
  operation: 'append',
  name: 'log_append',
  description: 'Appends a line.',
  effect: 'write',
  async call({ name }) {
    logged.push(String(name));
    return { summary: 'Appended.', data: null };
  },
};
const gates = createGates();
const instance = useInstance({ extraOperations: [source, append, gates.operation] });

type Draft = Omit<StepDraft, 'after'> & { id: string; after?: string[] };

/** Each part: its source, and a tree of what is made of it. In the part that changes it is looked at again half way. */
function draftPart(part: string, run: string, writes: boolean): Draft[] {
  const name = (n: number) => `${part}-${n}`;
  const steps: Draft[] = [draftStep(name(0), 'Read it', 'source_read', { name: `${run} ${part}` })];
  const isChanged = part === changed;
  for (let n = 1; n < stepsEach; n++) {
    const after = [name(Math.floor((n - 1) / 3))];
    // The second half of the tree begins once the source has been looked at again.
    if (isChanged && n >= stepsEach / 2) after.push(`${run}-look`);
    if (isChanged && writes && n === 1)
      steps.push(draftStep(name(n), 'Note it', 'log_append', { name: run }, ...after));
    else steps.push({ ...noop(name(n)), after });
  }
  return steps.map((step) => ({ ...step, partition: part }));
}

function draftAll(run: string, writes: boolean): Draft[] {
  const all = Array.from({ length: parts }, (_, n) => draftPart(`p${n}`, run, writes)).flat();
  const gate: Draft = draftStep(`${run}-gate`, 'Wait', 'gate_read', { name: run });
  const look: Draft = draftStep(
    `${run}-look`,
    'Look again',
    'plan_recheck',
    { partition: changed },
    gate.id,
  );
  return [...all, gate, look];
}

/** Dependents of `root`, computed without the database. */
function dependentsOf(steps: Draft[], root: string): string[] {
  const reached = new Set([root]);
  for (let before = 0; before < reached.size; ) {
    before = reached.size;
    for (const { id, after = [] } of steps)
      if (after.some((one) => reached.has(one))) reached.add(id);
  }
  reached.delete(root);
  return [...reached].sort();
}

/** Every step that was stale at any time. */
async function readStale(planId: string): Promise<string[]> {
  const { rows } = await instance.db.query.execute<{ id: string }>(sql`
    select distinct unnest(step_ids) as id from countersign.plan_events
    where plan_id = ${planId} and kind = 'step_stale' order by 1`);
  return rows.map(({ id }) => id).sort();
}

async function start(run: string, writes: boolean) {
  const steps = draftAll(run, writes);
  const plan = await runPlan(instance, { title: run, steps });
  await waitFor(
    'all others to be done',
    async () => {
      const { counts } = await instance.service.getPlan(plan.id);
      return counts.running === 1 && counts.ready === 0;
    },
    { timeoutMs },
  );
  values.set(`${run} ${changed}`, 'second');
  gates.open(run);
  return { id: plan.id, steps };
}

async function complete(id: string) {
  return waitFor(
    `${id} to complete`,
    async () => {
      const plan = await instance.service.getPlan(id);
      return plan.status === 'completed' && plan;
    },
    { timeoutMs },
  );
}

test('exactly the dependents become stale, and are run again without a person', {
  timeout: 2 * timeoutMs,
}, async () => {
  const { id, steps } = await start('narrow', false);
  const done = await complete(id);
  expect(await readStale(id)).toEqual(dependentsOf(steps, `${changed}-0`));
  expect(done.counts.succeeded).toBe(parts * stepsEach + 4);
  // Read, looked at again, and read once more; the other sources once.
  expect(reads.get(`narrow ${changed}`)).toBe(3);
  expect(reads.get('narrow p3')).toBe(1);
  const { findings } = await listFindings(instance.db.query, id, { limit: 10 });
  expect(findings).toMatchObject([{ category: 'source_changed', status: 'resolved', replans: 1 }]);
  await checkPlan(instance.db.query, id);
});

test('where a change that was made would be made again it waits, says why, and completes once approved', {
  timeout: 2 * timeoutMs,
}, async () => {
  const { id, steps } = await start('wide', true);
  const waiting = await waitFor(
    'the change to wait',
    async () => {
      const plan = await instance.service.getPlan(id);
      return plan.pending_patch !== null && plan.counts.running === 0 && plan;
    },
    { timeoutMs },
  );
  expect(await readStale(id)).toEqual(dependentsOf(steps, `${changed}-0`));
  expect(waiting.pending_patch?.widening).toEqual([
    `Runs step ${changed}-1 again: log_append, which was already called.`,
  ]);
  expect(logged).toEqual(['wide']);
  const { version, digest } = waiting.pending_patch ?? { version: 0, digest: '' };
  await instance.service.approve(id, { version, digest }, ana);
  await complete(id);
  expect(logged).toEqual(['wide', 'wide']);
  await checkPlan(instance.db.query, id);
});
