// Findings: what they make stale, what goes on beside it, and what becomes of it when they are settled.
import { describe, expect, test } from 'vitest';
import { lockPlan } from '#db/plans.ts';
import type { Severity } from '#domain/plan/finding.ts';
import type { Plan, PlanDraft } from '#domain/plan/plan.ts';
import { type RaisedFinding, raiseFindings } from '#plans/findings/raise.ts';
import { noop, runPlan } from '../../setup/instance.ts';
import { checkPlan } from '../../setup/invariants.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

const instance = useInstance();
const random = {
  hex: (bytes: number) =>
    Math.random()
      .toString(16)
      .slice(2)
      .padEnd(2 * bytes, '0')
      .slice(0, 2 * bytes),
};

const enqueue = async () => {};

/** A step that waits for ana. */
const hold = (id = 'hold', ...after: string[]) => ({
  id,
  description: 'Wait for ana',
  tool: 'human',
  operation: 'task',
  args: { question: 'Go on?', assignee: 'ana' },
  after,
});

async function held(steps: PlanDraft['steps'], waiting = 1): Promise<Plan> {
  const plan = await runPlan(instance, { title: 'Held', steps });
  return waitFor(`${plan.id} to wait`, async () => {
    const now = await instance.service.getPlan(plan.id);
    return now.counts.waiting === waiting && now.counts.running + now.counts.ready === 0
      ? now
      : null;
  });
}

const finding = (more: Partial<RaisedFinding>, severity: Severity = 'ERROR'): RaisedFinding => ({
  severity,
  category: 'source_changed',
  message: 'The source has changed.',
  evidence: [],
  key: 'k',
  raisedBy: 'test',
  ...more,
});

const raise = (id: string, ...findings: RaisedFinding[]) =>
  instance.db.transaction(async (tx) =>
    raiseFindings({ enqueue: enqueue, random }, tx, await lockPlan(tx, id), findings),
  );

async function statusesOf(id: string): Promise<Record<string, string>> {
  const { steps } = await instance.service.listSteps(id, { limit: 100 });
  return Object.fromEntries(steps.map((step) => [step.id, step.status]));
}

describe('a finding', () => {
  test('of severity ERROR makes stale what depends on its step, and nothing else', async () => {
    const plan = await held([
      noop('a'),
      noop('b', 'a'),
      hold('c', 'b'),
      noop('d', 'c'),
      noop('x'),
      noop('y', 'x'),
    ]);
    const { ids } = await raise(plan.id, finding({ step_id: 'a' }));
    expect(ids).toHaveLength(1);
    expect(await statusesOf(plan.id)).toEqual({
      a: 'succeeded',
      b: 'stale',
      c: 'stale',
      d: 'stale',
      x: 'succeeded',
      y: 'succeeded',
    });
    await checkPlan(instance.db.query, plan.id);
    const [b] = await instance.service.getSteps(plan.id, ['b']);
    expect(b?.error).toMatchObject({
      code: 'stale',
      message: 'The source has changed.',
      finding: ids[0],
      was: { status: 'succeeded' },
    });
    expect((await instance.service.getPlan(plan.id)).status).toBe('executing');
  });

  test('of severity WARN is only kept', async () => {
    const plan = await held([noop('a'), hold('b', 'a')]);
    await raise(plan.id, finding({ step_id: 'a' }, 'WARN'));
    expect(await statusesOf(plan.id)).toEqual({ a: 'succeeded', b: 'waiting' });
  });

  test('is raised once, however often it is said', async () => {
    const plan = await held([noop('a'), hold('b', 'a')]);
    await raise(plan.id, finding({ step_id: 'a' }));
    const { revision } = await instance.service.getPlan(plan.id);
    expect(await raise(plan.id, finding({ step_id: 'a' }))).toEqual({ ids: [], progress: null });
    expect((await instance.service.getPlan(plan.id)).revision).toBe(revision);
  });

  test('of a partition covers what depends on any of its steps', async () => {
    const plan = await held([
      { ...noop('a'), partition: 'eu' },
      { ...noop('b'), partition: 'us' },
      hold('c', 'b'),
      noop('sum', 'a', 'c'),
      noop('us', 'c'),
    ]);
    await raise(plan.id, finding({ partition: 'eu' }));
    expect(await statusesOf(plan.id)).toMatchObject({
      sum: 'stale',
      us: 'pending',
      a: 'succeeded',
    });
    await checkPlan(instance.db.query, plan.id);
  });
});
