// The same decision from the same person a second time: its first answer was lost, or they pressed twice. It is answered as
// done and changes nothing; from somebody else, or about something else, it is refused as before.
import { expect, test } from 'vitest';
import type { Plan } from '#domain/plan/plan.ts';
import { ana, ben, noop, scriptedPlanner } from '../../setup/instance.ts';
import { useInstance } from '../../setup/use-instance.ts';

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

async function countDeeds({ id }: Plan, action: string): Promise<number> {
  const audit = await instance.service.audit(id, { limit: 100 });
  return audit.filter((entry) => entry.action === action).length;
}

test('an approval', async () => {
  const plan = await propose();
  const approval = { version: 1, digest: plan.digest };
  const first = await instance.service.approve(plan.id, approval, ana);
  expect(await instance.service.approve(plan.id, approval, ana)).toEqual(first);
  expect(await countDeeds(plan, 'approve')).toBe(1);
  await expect(instance.service.approve(plan.id, approval, ben)).rejects.toMatchObject({
    code: 'already_decided',
  });
  await instance.service.cancel(plan.id, { version: 1 }, ana);
  // It does not hold any more.
  await expect(instance.service.approve(plan.id, approval, ana)).rejects.toMatchObject({
    code: 'already_decided',
  });
});

test('an approval of a part is not one of the whole', async () => {
  const plan = await propose();
  const approval = { version: 1, digest: plan.digest };
  await instance.service.approve(plan.id, { ...approval, except: ['b'] }, ana);
  await expect(instance.service.approve(plan.id, approval, ana)).rejects.toMatchObject({
    code: 'already_decided',
  });
});

test('an approval of a part, whatever the order in which it is named', async () => {
  const plan = await propose();
  const approval = { version: 1, digest: plan.digest };
  const part = { ...approval, steps: ['a', 'b'] };
  const first = await instance.service.approve(plan.id, part, ana);
  const again = { ...approval, steps: ['b', 'a'] };
  expect(await instance.service.approve(plan.id, again, ana)).toEqual(first);
  expect(await countDeeds(plan, 'approve')).toBe(1);
  for (const other of [approval, { ...approval, steps: ['a'] }, { ...approval, except: ['b'] }])
    await expect(instance.service.approve(plan.id, other, ana)).rejects.toMatchObject({
      code: 'already_decided',
    });
});

test('a refusal', async () => {
  const plan = await propose();
  const first = await instance.service.reject(plan.id, { version: 1 }, ana);
  expect(await instance.service.reject(plan.id, { version: 1 }, ana)).toEqual(first);
  expect(await countDeeds(plan, 'reject')).toBe(1);
  await expect(
    instance.service.reject(plan.id, { version: 1, feedback: 'no' }, ana),
  ).rejects.toMatchObject({ code: 'invalid_transition' });
  await expect(instance.service.reject(plan.id, { version: 1 }, ben)).rejects.toMatchObject({
    code: 'invalid_transition',
  });
});

test('feedback, which asks the planner once', async () => {
  const plan = await propose();
  const decision = { version: 1, feedback: 'only a' };
  const first = await instance.service.proposeChanges(plan.id, decision, ana);
  expect(await instance.service.proposeChanges(plan.id, decision, ana)).toEqual(first);
  expect(await countDeeds(plan, 'request_changes')).toBe(1);
  expect(first.rejection_history).toHaveLength(1);
});

test('a cancellation', async () => {
  const plan = await propose();
  const first = await instance.service.cancel(plan.id, { version: 1 }, ana);
  expect(await instance.service.cancel(plan.id, { version: 1 }, ana)).toEqual(first);
  await expect(instance.service.cancel(plan.id, { version: 1 }, ben)).rejects.toMatchObject({
    code: 'invalid_transition',
  });
});
