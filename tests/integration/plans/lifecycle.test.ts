// A plan's life through the service: proposed, countersigned, run, ended; and everything that is refused on the way.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { labelSteps } from '#domain/plan/step-numbers.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import {
  ana,
  noop,
  openTestInstance,
  reach,
  runPlan,
  type TestInstance,
} from '../../setup/instance.ts';
import { checkPlan } from '../../setup/invariants.ts';

const database = useDatabase();
let instance: TestInstance;

beforeAll(async () => {
  instance = await openTestInstance(database.url);
});
afterAll(() => instance.close());

const write = (id: string, path: string, content: string, ...after: string[]) =>
  draftStep(id, `Write ${path}`, 'workspace_write', { path, content }, ...after);

describe('an approved plan', () => {
  test('runs its steps in order and tells what came of it', async () => {
    const plan = await runPlan(instance, {
      title: 'Two notes',
      steps: [
        write('a', 'notes/a.md', 'first'),
        draftStep(
          'm',
          'Move it',
          'workspace_move',
          { from: 'notes/a.md', to: 'archive/a.md' },
          'a',
        ),
      ],
    });
    const done = await reach(instance, plan.id, 'completed', 'failed');
    expect(done).toMatchObject({
      status: 'completed',
      result_summary: '2 steps done.',
      decided_by: 'ana',
    });
    expect(await readFile(join(instance.workspace, 'archive/a.md'), 'utf8')).toBe('first');
    await checkPlan(instance.db.query, done.id);
  });

  test('stops the dependents of a failed step and nothing else', async () => {
    const plan = await runPlan(instance, {
      title: 'One fails',
      steps: [
        draftStep('gone', 'Delete what is not there', 'workspace_delete', { path: 'none.md' }),
        { ...noop('behind', 'gone') },
        write('free', 'free.md', 'still written'),
      ],
    });
    const failed = await reach(instance, plan.id, 'failed');
    const { steps } = await instance.service.listSteps(plan.id, { limit: 10 });
    expect(steps.map(({ id, status }) => [id, status])).toEqual([
      ['gone', 'failed'],
      ['behind', 'skipped'],
      ['free', 'succeeded'],
    ]);
    expect(failed.result_summary).toMatch(
      /^Step 1a failed: .*none\.md.* 1 step done, 1 step not started\.$/,
    );
    await checkPlan(instance.db.query, failed.id);
  });

  test.each([
    [24, '1b'],
    [25, '3'],
  ])('of %i steps says that %s failed, as its card calls it', async (count, label) => {
    const others = Array.from({ length: count - 3 }, (_, i) => noop(`s${i}`, 'first'));
    const gone = draftStep('gone', 'Delete what is not there', 'workspace_delete', {
      path: 'none.md',
    });
    const steps = [noop('first'), noop('second', 'first'), gone, ...others];
    const { id } = await runPlan(instance, { title: 'One fails', steps });
    const failed = await reach(instance, id, 'failed');
    expect(failed.result_summary).toMatch(new RegExp(`^Step ${label} failed: .*none\\.md`));
    const card = await instance.service.card(id, { user: 'ana', timezone: 'UTC' });
    expect(labelSteps(card.steps, card.plan.total_steps).get('gone')).toBe(label);
  });

  test('runs a failed step again when asked to, and then what waited for it', async () => {
    const plan = await runPlan(instance, {
      title: 'Late file',
      steps: [
        draftStep('r', 'Read a file that comes late', 'workspace_read', { path: 'late.md' }),
        noop('after', 'r'),
      ],
    });
    await reach(instance, plan.id, 'failed');
    await writeFile(join(instance.workspace, 'late.md'), 'here');
    await instance.service.retry(plan.id, { version: 1 }, ana);
    const done = await reach(instance, plan.id, 'completed');
    expect(done.counts.succeeded).toBe(2);
    const [step] = await instance.service.getSteps(plan.id, ['r']);
    expect(step?.attempt).toBe(2);
  });

  test('leaves out what was not approved', async () => {
    const plan = await instance.service.propose(
      { title: 'In part', steps: [noop('1'), noop('2', '1'), noop('3', '2'), noop('4')] },
      {},
      ana,
    );
    const approval = { version: 1, digest: plan.digest };
    await expect(
      instance.service.approve(plan.id, { ...approval, steps: ['3'] }, ana),
    ).rejects.toMatchObject({ code: 'steps_missing', details: { missing: ['1', '2'] } });
    await instance.service.approve(plan.id, { ...approval, steps: ['1', '2'] }, ana);
    const done = await reach(instance, plan.id, 'completed');
    expect(done.counts).toMatchObject({ succeeded: 2, cancelled: 2 });
  });
});

describe('a decision', () => {
  test('on an outdated digest or version changes nothing and says what is current', async () => {
    const plan = await instance.service.propose({ title: 'Digest', steps: [noop('1')] }, {}, ana);
    await expect(
      instance.service.approve(plan.id, { version: 1, digest: '0'.repeat(64) }, ana),
    ).rejects.toMatchObject({
      code: 'digest_mismatch',
      details: { current: { version: 1, digest: plan.digest } },
    });
    await expect(
      instance.service.approve(plan.id, { version: 2, digest: plan.digest }, ana),
    ).rejects.toMatchObject({ code: 'stale_version' });
    expect((await instance.service.getPlan(plan.id)).status).toBe('proposed');
  });

  test('about a plan that is over names its status', async () => {
    const plan = await runPlan(instance, { title: 'Over', steps: [noop('1')] });
    await reach(instance, plan.id, 'completed');
    await expect(instance.service.cancel(plan.id, { version: 1 }, ana)).rejects.toThrow(
      "This plan is completed (completed), so it can't be cancelled.",
    );
  });
});
