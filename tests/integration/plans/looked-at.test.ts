// A decision on a step concerns the attempt that was seen: two people's presses on a card count once, and an old card settles
// nothing later.
import { expect, test } from 'vitest';
import { viewPlan } from '#cards/view-model.ts';
import { carryOutPress } from '#conversation/press.ts';
import type { CardPress } from '#domain/chat/card.ts';
import { bare } from '#domain/chat/press.ts';
import type { Actor } from '#domain/people/actor.ts';
import type { PlanDraft, Step } from '#domain/plan/plan.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { ana, reach, runPlan, scriptedPlanner } from '../../setup/instance.ts';
import { checkPlan } from '../../setup/invariants.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

const instance = useInstance({
  planner: scriptedPlanner(() => ({ kind: 'answer', text: 'no' })),
  settings: { executor: { lease_seconds: 2, max_attempts: 1 } },
});

/** Asks before it runs, and fails when it does. */
const failing: PlanDraft = {
  title: 'Read what is not there',
  step_approval: 'each',
  steps: [draftStep('a', 'Read gone.md', 'workspace_read', { path: 'gone.md' })],
};

const task: PlanDraft = {
  title: 'Ask somebody',
  steps: [
    draftStep('a', 'Ask Ana', 'human_task', { question: 'Which room?' }),
    draftStep('b', 'Ask her as well', 'human_task', { question: 'When?' }),
  ],
};

function becomes(planId: string, status: Step['status'], attempt: number): Promise<Step> {
  return waitFor(`attempt ${attempt} to be ${status}`, async () => {
    const [step] = await instance.service.getSteps(planId, ['a']);
    return step?.status === status && step.attempt === attempt ? step : null;
  });
}

/** A button of the plan's card as it is drawn now. */
async function findPress(planId: string, action: CardPress['action']): Promise<CardPress> {
  const view = viewPlan(await instance.service.card(planId, { user: ana.id, timezone: 'UTC' }));
  const buttons = [...view.asks.flatMap((ask) => ask.buttons), ...view.buttons];
  const found = buttons.find(({ press }) => press.action === action);
  if (found === undefined) throw new Error(`There is no ${action} on the card.`);
  return found.press;
}

const press = (one: CardPress, text = '', actor: Actor = ana) =>
  carryOutPress(instance.service, { ...bare(one), text }, actor);

test('a second “Yes” on the same card does not make the call again when the first one failed', async () => {
  const { id } = await runPlan(instance, failing);
  await becomes(id, 'waiting', 1);
  const run = await findPress(id, 'settle_retry');
  await press(run);
  await becomes(id, 'failed', 2);
  await reach(instance, id, 'failed');
  await expect(press(run)).rejects.toMatchObject({
    code: 'already_decided',
    message: 'Step 1 is being retried, as ana already asked. Your answer was not stored.',
  });
  expect((await instance.service.getPlan(id)).status).toBe('failed');
  await checkPlan(instance.db.query, id);
});

test('“Done” on a card of an earlier question does not answer the one that is asked now', async () => {
  const { id } = await runPlan(instance, task);
  await becomes(id, 'waiting', 1);
  const done = await findPress(id, 'human_done');
  await press(await findPress(id, 'human_blocked'), 'The door is locked');
  await becomes(id, 'failed', 1);
  const again = await findPress(id, 'settle_retry');
  await expect(press(done, 'Blue')).rejects.toMatchObject({ code: 'already_decided' });
  await press(again);
  await becomes(id, 'waiting', 2);
  await expect(press(done, 'Blue')).rejects.toMatchObject({ code: 'already_decided' });
  await expect(press(again)).rejects.toMatchObject({ code: 'already_decided' });
  await becomes(id, 'waiting', 2);
  await press(await findPress(id, 'human_done'), 'Blue');
  expect((await becomes(id, 'succeeded', 2)).result_summary).toBe('Blue');
});

test('“Retry” of a plan counts once for each of its ends', async () => {
  const { id } = await runPlan(instance, failing);
  await becomes(id, 'waiting', 1);
  await press(await findPress(id, 'settle_retry'));
  await reach(instance, id, 'failed');
  const retry = await findPress(id, 'retry');
  await press(retry);
  // While it runs again the same press is answered as done, and runs nothing more.
  await press(retry);
  const late = expect.objectContaining({ code: 'already_decided' });
  await becomes(id, 'waiting', 3);
  await press(await findPress(id, 'settle_retry'));
  await becomes(id, 'failed', 4);
  await reach(instance, id, 'failed');
  await expect(press(retry)).rejects.toEqual(late);
  expect((await findPress(id, 'retry')).ended_at).not.toBe(retry.ended_at);
});

test('whoever does not say what they looked at means the step as it stands', async () => {
  const { id, version } = await runPlan(instance, task);
  await becomes(id, 'waiting', 1);
  const say = (attempt: number) =>
    instance.service.resume(
      id,
      { version, steps: { a: 'done' }, answer: 'x', about: { a: { attempt, status: 'waiting' } } },
      ana,
    );
  await expect(say(0)).rejects.toMatchObject({
    code: 'already_decided',
    message: 'Step 1a has changed since you looked: it is now waiting. Your answer was not stored.',
  });
  await expect(say(2)).rejects.toMatchObject({ code: 'already_decided' });
  await instance.service.resume(id, { version, steps: { a: 'done' }, answer: 'x' }, ana);
  await becomes(id, 'succeeded', 1);
});
