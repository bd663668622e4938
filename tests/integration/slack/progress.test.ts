// Progress in Slack: the plan block, or text where refused.
import { expect, test } from 'vitest';
import { person } from '#domain/people/actor.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import { reach, scriptedPlanner } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { approve, askFor, type Desk, lookAgain, openWindow, seeCard, useDesk } from './desk.ts';

const database = useDatabase();
const draft: PlanDraft = {
  title: 'Ask and go on',
  steps: [
    draftStep('ask', 'Ask ben', 'human_task', { question: 'Ready?', assignee: 'ben@example.com' }),
    draftStep(
      'write',
      'Write it down',
      'workspace_write',
      { path: 'ready.md', content: 'yes' },
      'ask',
    ),
  ],
};
const ana = person('ana@example.com', 'slack');
const planner = scriptedPlanner(() => ({ kind: 'proposal', draft }));

const typesOf = ({ blocks }: { blocks: { type: string }[] }) => blocks.map(({ type }) => type);
const refusedCalls = ({ slack }: Desk) =>
  slack.calls.filter(({ answer }) => JSON.stringify(answer ?? '').includes('invalid_blocks'));

async function run(desk: Desk) {
  const { plan, card: first, root } = await askFor(desk, 'ask and go on');
  await approve(desk, desk.ana, first);
  const card = await waitFor('the card that asks', async () => {
    const last = await seeCard(desk, root, 'countersign:human_done');
    return last.ts === first.ts ? null : last;
  });
  await waitFor(
    'the first card to be over',
    () => !typesOf(lookAgain(desk, first)).includes('actions'),
  );
  return { plan, card };
}

async function answer(desk: Desk, card: Awaited<ReturnType<typeof run>>['card']) {
  const view = await openWindow(desk, desk.ben, card, 'countersign:human_done:ask');
  await desk.slack.submit(desk.ben.id, view, {});
}

test('a plan that runs shows its steps as tasks of a plan block, and none once it is done', async () => {
  const desk = await useDesk(database, { planner });
  const { plan, card } = await run(desk);
  const block = card.blocks.find((one) => one.type === 'plan');
  expect(block).toMatchObject({
    title: '0 of 2 steps done',
    tasks: [{ status: 'in_progress' }, { status: 'pending' }],
  });
  await answer(desk, card);
  await reach(desk.instance, plan.id, 'completed');
  await waitFor('the outcome', () => !typesOf(lookAgain(desk, card)).includes('plan'));
  expect(JSON.stringify(lookAgain(desk, card).blocks)).not.toContain('countersign:human_done');
  expect(desk.lines.join('')).not.toContain('plan blocks');
});

test('a workspace that refuses the block is sent the card as text at once, and no block again', async () => {
  const desk = await useDesk(database, { planner, slack: { app: { planBlocks: false } } });
  const { plan, card } = await run(desk);
  expect(typesOf(card)).not.toContain('plan');
  expect(JSON.stringify(card.blocks)).toContain('countersign:human_done');
  await answer(desk, card);
  await reach(desk.instance, plan.id, 'completed');
  await waitFor('the outcome', () =>
    JSON.stringify(lookAgain(desk, card).blocks).includes('countersign:save_playbook'),
  );
  const sent = desk.slack.calls.filter(({ parameters }) =>
    JSON.stringify(parameters).includes('task_card'),
  );
  expect(sent).toHaveLength(1);
  expect(refusedCalls(desk).length).toBeLessThanOrEqual(1);
});

test('what a workspace refuses for another reason than the block is written in words', async () => {
  const desk = await useDesk(database, { planner });
  const { plan, card } = await run(desk);
  desk.slack.fail('chat.update', { error: 'invalid_blocks' }, 2);
  await desk.instance.service.pause(plan.id, { version: plan.version }, ana);
  await waitFor('words alone', () => lookAgain(desk, card).blocks.length === 0);
  await desk.instance.service.resume(plan.id, { version: plan.version }, ana);
  await waitFor('the card', () => typesOf(lookAgain(desk, card)).includes('plan'));
});
