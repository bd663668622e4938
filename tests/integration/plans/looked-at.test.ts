// A decision on a step applies to the attempt shown.
import { expect, test } from 'vitest';
import { viewPlan } from '#cards/view-model.ts';
import { carryOutPress } from '#conversation/press.ts';
import type { CardPress } from '#domain/chat/card.ts';
import { bare } from '#domain/chat/press.ts';
import type { Actor } from '#domain/people/actor.ts';
import type { PlanDraft, Step } from '#domain/plan/plan.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { ana, runPlan, scriptedPlanner } from '../../setup/instance.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

const instance = useInstance({
  planner: scriptedPlanner(() => ({ kind: 'answer', text: 'no' })),
  settings: { executor: { lease_seconds: 2, max_attempts: 1 } },
});

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

async function findPress(planId: string, action: CardPress['action']): Promise<CardPress> {
  const view = viewPlan(await instance.service.card(planId, { user: ana.id, timezone: 'UTC' }));
  const buttons = [...view.asks.flatMap((ask) => ask.buttons), ...view.buttons];
  const found = buttons.find(({ press }) => press.action === action);
  if (found === undefined) throw new Error(`There is no ${action} on the card.`);
  return found.press;
}

const press = (one: CardPress, text = '', actor: Actor = ana) =>
  carryOutPress(instance.service, { ...bare(one), text }, actor);

test('“Done” on a card of an earlier question does not answer the one that is asked now', async () => {
  const { id } = await runPlan(instance, task);
  await becomes(id, 'waiting', 1);
  const done = await findPress(id, 'human_done');
  await press(await findPress(id, 'human_blocked'), 'The door is locked');
  await becomes(id, 'failed', 1);
  const again = await findPress(id, 'settle_retry');
  const edit = press({ ...again, action: 'retry_edited' }, 'Where no form is shown');
  await expect(edit).rejects.toMatchObject({ code: 'invalid_request' });
  await expect(press(done, 'Blue')).rejects.toMatchObject({ code: 'already_decided' });
  await press(again);
  await becomes(id, 'waiting', 2);
  await expect(press(done, 'Blue')).rejects.toMatchObject({ code: 'already_decided' });
  await expect(press(again)).rejects.toMatchObject({ code: 'already_decided' });
  await becomes(id, 'waiting', 2);
  await press(await findPress(id, 'human_done'), 'Blue');
  expect((await becomes(id, 'succeeded', 2)).result_summary).toBe('Blue');
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
