// A failed change returns the waiting plan, which needs new approval.
import { expect, test } from 'vitest';
import { person } from '#domain/people/actor.ts';
import type { ApproverPolicy } from '#domain/plan/plan.ts';
import { noop, scriptedPlanner } from '../../setup/instance.ts';
import { readsOf } from '../../setup/reads.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

const ana = person('ana', 'slack');
const ben = person('ben', 'slack');
const late = { begun: Promise.withResolvers<void>(), answer: Promise.withResolvers<void>() };

const script = scriptedPlanner(({ text }) => {
  if (text === 'Ask')
    return { kind: 'question', text: 'How?', questions: [{ id: 'how', text: 'How?' }] };
  if (text === 'Fail') return { kind: 'aborted', text: 'The model is gone.', reason: 'model_gone' };
  return { kind: 'proposal', draft: { title: text, steps: [noop('1'), noop('2')] } };
});
const planner = {
  ...script,
  plan: async (...asked: Parameters<typeof script.plan>) => {
    if (asked[0].text === 'Late') {
      late.begun.resolve();
      await late.answer.promise;
    }
    return script.plan(...asked);
  },
};

const instance = useInstance({ planner });
const { resume } = readsOf(() => instance);

const two: ApproverPolicy = { kind: 'n_of', n: 2, people: ['ana', 'ben'] };

function propose(conversation: string, approvers: ApproverPolicy = { kind: 'requester' }) {
  const draft = { title: conversation, steps: [noop('1')], approvers };
  return instance.service.propose(draft, { conversation }, ana);
}

const change = (id: string, feedback: string, version = 1) =>
  instance.service.proposeChanges(id, { version, feedback }, ana);

const waits = (id: string) =>
  waitFor('the plan to wait again', async () => {
    const plan = await instance.service.getPlan(id);
    return plan.status === 'proposed' && plan;
  });

const asks = (id: string) =>
  waitFor('the question', async () => (await groupOf(id)) === 'needs_you');

async function groupOf(id: string) {
  const { groups } = await instance.service.inbox({ user: 'ana', limit: 50 });
  return groups.find(({ plans }) => plans.some((plan) => plan.id === id))?.group;
}

const kept = async (id: string) =>
  (await instance.service.audit(id, { limit: 50 })).filter(({ action }) => action === 'keep');

const givenBack = async (conversation: string) =>
  (await instance.service.messages(conversation, { limit: 50 })).filter(({ text }) =>
    text.includes('still waiting for approval'),
  );

test('a planner that fails gives the version back, once, audited, and with approvals forgotten', async () => {
  const { id, digest } = await propose('fails', two);
  await instance.service.approve(id, { version: 1, digest }, ben);
  expect((await instance.service.getPlan(id)).approvals).toHaveLength(1);
  await change(id, 'Fail');
  const plan = await waits(id);
  expect(plan).toMatchObject({ version: 1, digest, revising: false, decided_by: null });
  expect(plan.approvals).toEqual([]);
  expect(plan.rejection_history).toMatchObject([{ version: 1, feedback: 'Fail' }]);
  expect(await kept(id)).toMatchObject([{ actor_kind: 'model', reason: 'The model is gone.' }]);
  expect((await givenBack('fails')).map(({ text }) => text)).toEqual([
    expect.stringContaining("I couldn't make those changes. Version 1 is still waiting"),
  ]);
  await instance.service.approve(id, { version: 1, digest }, ana);
  expect((await instance.service.getPlan(id)).status).toBe('proposed');
  await instance.service.approve(id, { version: 1, digest }, ben);
  expect((await instance.service.getPlan(id)).decided_by).toBe('ben');
});

test('a plan that was given back can be changed after all', async () => {
  const { id } = await propose('again');
  await change(id, 'Fail');
  await waits(id);
  expect(await groupOf(id)).toBe('needs_you');
  await change(id, 'Two steps');
  expect(await waits(id)).toMatchObject({ version: 2, total_steps: 2 });
});

test('while its planner asks, the plan needs the reader, who can keep the version', async () => {
  const { id } = await propose('asks');
  await change(id, 'Ask');
  await asks(id);
  await resume(id, {});
  await resume(id, {});
  expect(await waits(id)).toMatchObject({ version: 1, revising: false });
  expect(await kept(id)).toMatchObject([{ actor: 'ana', actor_kind: 'person' }]);
  expect(await givenBack('asks')).toHaveLength(1);
});

test('a new version that comes after the version was kept counts no more', async () => {
  const { id, digest } = await propose('late');
  await change(id, 'Late');
  await late.begun.promise;
  const { recent_events } = await instance.service.overview(id);
  expect(recent_events.map(({ kind }) => kind)).toEqual(['changes_requested', 'proposed']);
  const early = instance.service.approve(id, { version: 1, digest }, ana);
  await expect(early).rejects.toMatchObject({
    code: 'already_decided',
    message: expect.not.stringContaining('rejected'),
  });
  await resume(id, {});
  late.answer.resolve();
  await change(id, 'Fail');
  expect(await waits(id)).toMatchObject({ version: 1, total_steps: 1 });
  expect(await kept(id)).toHaveLength(2);
});

test('keeping and approving at one moment leaves one consistent plan', async () => {
  const { id, digest } = await propose('race', two);
  await change(id, 'Ask');
  await asks(id);
  await Promise.allSettled([
    resume(id, {}),
    instance.service.approve(id, { version: 1, digest }, ben),
    resume(id, {}),
  ]);
  const plan = await waits(id);
  expect(plan.approvals.length).toBeLessThan(2);
  expect(await kept(id)).toHaveLength(1);
});

test('a version that was rejected with a reason stays rejected', async () => {
  const { id } = await propose('rejected');
  await instance.service.reject(id, { version: 1, feedback: 'Fail' }, ana);
  const plan = await waitFor('the end of planning', async () => {
    const now = await instance.service.getPlan(id);
    return !now.revising && now;
  });
  expect(plan.status).toBe('rejected');
  await expect(resume(id, {})).rejects.toThrow('rejected');
});
