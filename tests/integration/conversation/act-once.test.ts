// A press in a chat decides once, despite crashes and retries.
import { expect, test } from 'vitest';
import { presses } from '#db/schema.ts';
import type { Pressed } from '#domain/chat/card.ts';
import type { Plan } from '#domain/plan/plan.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { ana, runPlan, scriptedPlanner } from '../../setup/instance.ts';
import { runRound } from '../../setup/retention.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

const instance = useInstance({
  planner: scriptedPlanner(() => ({ kind: 'answer', text: 'no' })),
});

const draft = {
  title: 'Ask somebody',
  steps: [draftStep('a', 'Ask', 'human_task', { question: 'When?' })],
};

let count = 0;
const pressNow = (msAgo = 0): Pressed => {
  count += 1;
  return { once: `test:press:${count}`, at: new Date(Date.now() - msAgo) };
};

async function runTask(): Promise<Plan> {
  const plan = await runPlan(instance, draft);
  return waitFor('the plan to run', async () => {
    const now = await instance.service.getPlan(plan.id);
    return now.status === 'executing' ? now : null;
  });
}

const isPaused = async (id: string) => (await instance.service.getPlan(id)).paused;

test('a press that is tried again after it was carried out changes nothing, whatever was decided since', async () => {
  const { id, version } = await runTask();
  const pressed = pressNow();
  const tries = [1, 2, 3].map(() => instance.service.pause(id, { version, pressed }, ana));
  expect((await Promise.all(tries)).map(({ paused }) => paused)).toEqual([true, true, true]);
  await instance.service.resume(id, { version }, ana);
  await instance.service.pause(id, { version, pressed }, ana);
  expect(await isPaused(id)).toBe(false);
  const auditEntries = await instance.service.audit(id, { limit: 100 });
  expect(auditEntries.filter(({ action }) => action === 'pause')).toHaveLength(1);
});

test('a press that was refused is refused again in the same words, although it could be carried out by then', async () => {
  const { id, version, digest } = await instance.service.propose(draft, {}, ana);
  const pressed = pressNow();
  const first = await instance.service.pause(id, { version, pressed }, ana).catch((error) => error);
  expect(first).toMatchObject({ code: 'invalid_transition' });
  await instance.service.approve(id, { version, digest }, ana);
  await waitFor('the plan to run', async () => {
    return (await instance.service.getPlan(id)).status === 'executing';
  });
  const again = instance.service.pause(id, { version, pressed }, ana);
  await expect(again).rejects.toMatchObject({ code: first.code, message: first.message });
  expect(await isPaused(id)).toBe(false);
});

test('a press older than half an hour is told to its presser instead of carried out', async () => {
  const { id, version } = await runTask();
  const old = instance.service.pause(id, { version, pressed: pressNow(31 * 60_000) }, ana);
  await expect(old).rejects.toMatchObject({ code: 'stale_version' });
  expect(await isPaused(id)).toBe(false);
  await instance.service.pause(id, { version, pressed: pressNow(25 * 60_000) }, ana);
  expect(await isPaused(id)).toBe(true);
});

test('presses are forgotten once nobody tries them any more', async () => {
  const count = async () => (await instance.db.query.select().from(presses)).length;
  const kept = await count();
  expect(kept).toBeGreaterThan(0);
  await runRound(instance.db, { now: new Date(Date.now() + 6 * 86_400_000) });
  expect(await count()).toBe(kept);
  await runRound(instance.db, { now: new Date(Date.now() + 8 * 86_400_000) });
  expect(await count()).toBe(0);
});
