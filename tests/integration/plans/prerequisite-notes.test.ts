// Notes that name prerequisites, from proposal to run.
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { PatchOperation } from '#domain/plan/patch.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import { expectSoundPlan } from '../../fixtures/sound-plan.ts';
import { ana, noop, reach, runPlan } from '../../setup/instance.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

const instance = useInstance();

const titled = (id: string, description: string, more: Partial<StepDraft> = {}): StepDraft => ({
  ...noop(id),
  description,
  ...more,
});

async function stepsOf(id: string) {
  const { steps } = await instance.service.listSteps(id, { limit: 100 });
  return Object.fromEntries(
    steps.map(({ id, after, notes }) => [id, { after: after.map((one) => one.id), notes }]),
  );
}

async function patch(id: string, operations: PatchOperation[]) {
  const { revision } = await instance.service.overview(id);
  return instance.service.patch(id, { base_revision: revision, operations }, ana);
}

test('what is stored, approved and run has dependencies in place of notes', async () => {
  const steps = [
    titled('report', 'Write the report', {
      notes: { prereq_titles: ['fetch the data'], prereq_tags: ['check'] },
    }),
    titled('fetch', 'Fetch the data'),
    titled('check', 'Check it', { tags: ['check'], notes: { prereq_step_ids: ['fetch'] } }),
  ];
  const plan = await runPlan(instance, { title: 'Notes', steps });
  const done = await reach(instance, plan.id, 'completed');
  expect(done.digest).toBe(plan.digest);
  expect(await stepsOf(plan.id)).toEqual({
    report: { after: ['fetch', 'check'], notes: null },
    fetch: { after: [], notes: null },
    check: { after: ['fetch'], notes: null },
  });
  const ended = await instance.service.getSteps(plan.id, ['fetch', 'check', 'report']);
  const times = new Map(
    ended.map(({ id, started_at, ended_at }) => [id, { started_at, ended_at }]),
  );
  expect(String(times.get('report')?.started_at) >= String(times.get('check')?.ended_at)).toBe(
    true,
  );
  await expectSoundPlan(instance, plan.id);
});

test('a change resolves its notes against the plan as it is, with what it adds itself', async () => {
  const { service } = instance;
  const plan = await service.propose(
    {
      title: 'Notes',
      steps: [
        titled('a', 'Fetch the data', { tags: ['raw'] }),
        titled('b', 'Clean'),
        titled('c', 'Send'),
      ],
    },
    { user: 'ana' },
    ana,
  );
  await patch(plan.id, [
    {
      op: 'add_step',
      step: {
        ...titled('d', 'Check'),
        id: 'd',
        notes: { prereq_titles: ['CLEAN'], prereq_tags: ['raw'] },
      },
    },
    {
      op: 'update_steps',
      steps: { ids: ['c'] },
      set: { notes: { prereq_titles: ['Check'], of: 'ana' } },
    },
  ]);
  expect(await stepsOf(plan.id)).toMatchObject({
    c: { after: ['d'], notes: { of: 'ana' } },
    d: { after: ['a', 'b'], notes: null },
  });
  await expectSoundPlan(instance, plan.id);
});

test('a plan whose notes cannot be resolved is stored; their steps are held, and everything else runs', async () => {
  const plan = await runPlan(instance, {
    title: 'Notes',
    steps: [
      titled('a', 'Write'),
      titled('b', 'Write'),
      titled('ambiguous', 'Send', { notes: { prereq_titles: ['write'] } }),
      titled('behind', 'Tell', { after: ['ambiguous'] }),
      titled('x', 'One', { notes: { prereq_titles: ['Two'] } }),
      titled('y', 'Two', { notes: { prereq_titles: ['One'] } }),
      titled('other', 'Look', { after: ['a'] }),
    ],
  });
  const now = await waitFor('the rest to be done', async () => {
    const one = await instance.service.getPlan(plan.id);
    return one.counts.succeeded === 3 ? one : null;
  });
  expect(now.counts).toMatchObject({ succeeded: 3, stale: 4, pending: 0, ready: 0 });
  expect(now.digest).toBe(plan.digest);
  const { steps } = await instance.service.listSteps(plan.id, { limit: 100 });
  const stale = steps.filter(({ status }) => status === 'stale');
  expect(stale.map(({ id }) => id)).toEqual(['ambiguous', 'behind', 'x', 'y']);
  const { rows } = await instance.db.query.execute<{ step_id: string; message: string }>(sql`
    select step_id, message from countersign.plan_findings
    where plan_id = ${plan.id} and category = 'prerequisite' and severity = 'ERROR' order by step_id`);
  expect(rows).toEqual([
    {
      step_id: 'ambiguous',
      message:
        'Step ambiguous (Send): its note names “write”, and 2 steps are called so (a and b).',
    },
    {
      step_id: 'x',
      message: 'Step x (One): its note closes a circle: x waits for y by its note, and y for x.',
    },
  ]);
  await expectSoundPlan(instance, plan.id);
});
