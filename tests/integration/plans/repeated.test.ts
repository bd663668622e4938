// Repeated decisions succeed for the same person without a change.
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { Actor } from '#domain/people/actor.ts';
import type { Plan } from '#domain/plan/plan.ts';
import { settled } from '../../fixtures/model-instance.ts';
import { stagedPlanner } from '../../fixtures/staged-planner.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { ana, ben, noop, scriptedPlanner, type TestInstance } from '../../setup/instance.ts';
import { useInstance } from '../../setup/use-instance.ts';

const alreadyDecided = { code: 'already_decided' };

const instance = useInstance({
  work: false,
  planner: scriptedPlanner(() => ({ kind: 'answer', text: 'no' })),
});

const propose = () =>
  instance.service.propose(
    {
      title: 'Twice',
      steps: [noop('a'), noop('b')],
      approvers: { kind: 'named', people: ['ana', 'ben'] },
    },
    {},
    ana,
  );

async function countAuditEntries({ id }: Plan, action: string): Promise<number> {
  const audit = await instance.service.audit(id, { limit: 100 });
  return audit.filter((entry) => entry.action === action).length;
}

test('an approval', async () => {
  const plan = await propose();
  const approval = { version: 1, digest: plan.digest };
  const first = await instance.service.approve(plan.id, approval, ana);
  expect(await instance.service.approve(plan.id, approval, ana)).toEqual(first);
  expect(await countAuditEntries(plan, 'approve')).toBe(1);
  await expect(instance.service.approve(plan.id, approval, ben)).rejects.toMatchObject(
    alreadyDecided,
  );
  await instance.service.cancel(plan.id, { version: 1 }, ana);
  await expect(instance.service.approve(plan.id, approval, ana)).rejects.toMatchObject(
    alreadyDecided,
  );
});

test('an approval of a part, whatever the order in which it is named', async () => {
  const plan = await propose();
  const approval = { version: 1, digest: plan.digest };
  const part = { ...approval, steps: ['a', 'b'] };
  const first = await instance.service.approve(plan.id, part, ana);
  const again = { ...approval, steps: ['b', 'a'] };
  expect(await instance.service.approve(plan.id, again, ana)).toEqual(first);
  expect(await countAuditEntries(plan, 'approve')).toBe(1);
  for (const other of [approval, { ...approval, steps: ['a'] }, { ...approval, except: ['b'] }])
    await expect(instance.service.approve(plan.id, other, ana)).rejects.toMatchObject(
      alreadyDecided,
    );
});

const planned: TestInstance = useInstance({ planner: stagedPlanner(() => planned.db.query) });

async function withoutJobs(
  { query }: TestInstance['db'],
  act: () => Promise<unknown>,
): Promise<void> {
  await query.execute(sql`create function public.refuse_job() returns trigger language plpgsql as
    $$ begin raise exception 'no jobs today'; end $$`);
  await query.execute(sql`create trigger refuse_job before insert on pgboss.job for each row
    execute function public.refuse_job()`);
  try {
    await act();
  } finally {
    await query.execute(sql`drop function public.refuse_job() cascade`);
  }
}

const countSaid = async ({ db }: TestInstance) =>
  (await db.query.execute(sql`select count(*)::int as n from countersign.messages`)).rows;

type Decide = (plan: Plan, actor: Actor) => Promise<Plan>;
const about = (version: number) => ({ version });
const started: [string, Decide][] = [
  ['pause', ({ id, version }, actor) => instance.service.pause(id, about(version), actor)],
  ['cancellation', ({ id, version }, actor) => instance.service.cancel(id, about(version), actor)],
  [
    'approval of a change',
    ({ id, pending_patch }, actor) => {
      if (pending_patch === null) throw new Error('no change waits');
      const { version, digest } = pending_patch;
      return instance.service.approve(id, { version, digest }, actor);
    },
  ],
];
const proposed: [string, Decide][] = [
  [
    'approval',
    ({ id, version, digest }, actor) => instance.service.approve(id, { version, digest }, actor),
  ],
  ['refusal', ({ id, version }, actor) => instance.service.reject(id, about(version), actor)],
  [
    'request for changes',
    ({ id, version }, actor) =>
      instance.service.proposeChanges(id, { version, feedback: 'only a' }, actor),
  ],
];

test.each([
  ...proposed.map((one) => [...one, 'proposed'] as const),
  ...started.map((one) => [...one, 'executing'] as const),
])(
  'of a %s nothing is left where its job cannot be stored, and it can be made again',
  async (decision, decide, status) => {
    const { id } = await propose();
    await instance.db.query.execute(
      sql`update countersign.plans set status = ${status} where id = ${id}`,
    );
    if (decision === 'approval of a change') {
      const { revision } = await instance.service.getPlan(id);
      const step = draftStep('w', 'Write it', 'workspace_write', { path: 'w.md', content: 'w' });
      const operations = [{ op: 'add_step' as const, step }];
      await instance.service.patch(id, { base_revision: revision, operations }, ana);
    }
    const read = async () => ({
      plan: await instance.service.getPlan(id),
      audit: await instance.service.audit(id, { limit: 100 }),
      said: await countSaid(instance),
    });
    const before = await read();
    await withoutJobs(instance.db, () => expect(decide(before.plan, ana)).rejects.toThrow());
    expect(await read()).toEqual(before);
    const after = await decide(before.plan, ana);
    expect(after.revision).toBeGreaterThan(before.plan.revision);
  },
);

test('of an approval of a planning gate nothing is left where its job cannot be stored', async () => {
  const { service, db } = planned;
  const { run_id } = await service.startRun({ text: 'Plan it', conversation: 'gate' }, ana);
  await settled(planned, run_id);
  const { digest, turn } = await service.runCard(run_id, { user: 'ana', timezone: 'UTC' });
  const approve = () => service.decideRun(run_id, { kind: 'approve', digest, turn }, ana);
  const read = async () => ({ run: await service.getRun(run_id), said: await countSaid(planned) });
  const before = await read();
  await withoutJobs(db, () => expect(approve()).rejects.toThrow());
  expect(await read()).toEqual(before);
  expect((await approve()).turn).toBe(turn + 1);
});

test('an approval is not repeated once a person has marked the plan failed; a failed run does not matter', async () => {
  const fails: [(id: string) => Promise<unknown>, object | null][] = [
    [(id) => instance.service.markFailed(id, { version: 1 }, ben), { code: 'already_decided' }],
    [
      (id) =>
        instance.db.query.execute(sql`
          insert into countersign.audit (plan_id, actor, actor_kind, via, action, version)
          values (${id}, 'system', 'system', 'system', 'fail', 1)`),
      null,
    ],
  ];
  for (const [fail, refusal] of fails) {
    const { id, digest } = await propose();
    const approval = { version: 1, digest };
    await instance.service.approve(id, approval, ana);
    await instance.db.query.execute(
      sql`update countersign.plans set status = 'stalled' where id = ${id}`,
    );
    await fail(id);
    const again = instance.service.approve(id, approval, ana);
    if (refusal === null) expect(await again).toMatchObject({ id });
    else await expect(again).rejects.toMatchObject(refusal);
  }
});

test('a stalled plan is marked failed once, by who may, and then retried', async () => {
  const { id } = await propose();
  await instance.db.query.execute(sql`
    update countersign.plans set status = 'executing', execution_started_at = now() where id = ${id}`);
  const markFailed = (version: number, actor: Actor) =>
    instance.service.markFailed(id, { version }, actor);
  await expect(markFailed(1, ana)).rejects.toMatchObject({ code: 'invalid_transition' });
  await instance.db.query.execute(sql`
    update countersign.step_states set status = 'ready' where plan_id = ${id} and step_id = 'a'`);
  await instance.db.query.execute(sql`
    update countersign.plans set status = 'stalled', pending = pending - 1, ready = ready + 1 where id = ${id}`);
  const stranger: Actor = { ...ana, id: 'eve' };
  await expect(markFailed(1, stranger)).rejects.toMatchObject({ code: 'not_allowed' });
  await expect(markFailed(2, ana)).rejects.toMatchObject({ code: 'stale_version' });
  const first = await markFailed(1, ana);
  expect(first).toMatchObject({ status: 'failed', counts: { failed: 1, skipped: 1 } });
  expect(await markFailed(1, ana)).toEqual(first);
  await expect(markFailed(1, ben)).rejects.toMatchObject({ code: 'invalid_transition' });
  const again = await instance.service.retry(id, { version: 1 }, ana);
  expect(again).toMatchObject({ status: 'executing', counts: { failed: 0, skipped: 0, ready: 2 } });
});
