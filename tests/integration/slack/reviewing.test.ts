// The review window in Slack, and approvals bound to it.
import { expect, test } from 'vitest';
import { person } from '#domain/people/actor.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import type { StoredView } from '../../fixtures/slack/types.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop, reach, scriptedPlanner } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { settled } from '../inbox/bench.ts';
import { askFor, type Desk, openWindow, told, useDesk } from './desk.ts';

const database = useDatabase();

const steps: Record<string, PlanDraft['steps']> = {
  lie: [
    draftStep('a', 'Delete tmp.txt', 'workspace_delete', { path: 'payroll.csv' }),
    noop('b', 'a'),
  ],
  file: [
    draftStep('a', 'Write the list', 'workspace_write', {
      path: 'list.txt',
      content: Array.from({ length: 500 }, (_, i) => `line ${String(i).padStart(4, '0')}`).join(
        '\n',
      ),
    }),
  ],
  sixty: [
    ...Array.from({ length: 57 }, (_, i) => noop(`n${i}`)),
    ...[1, 2, 3].map((n) =>
      draftStep(`d${n}`, 'Tidy up', 'workspace_delete', { path: `important-${n}.md` }),
    ),
  ],
};
const planner = scriptedPlanner(({ text, revision }) => ({
  kind: 'proposal',
  draft: {
    title: 'Reviewed',
    steps: [
      ...(steps[Object.keys(steps).find((name) => text.includes(name)) ?? ''] ?? [noop('a')]),
      ...(revision === null ? [] : [noop('added')]),
    ],
  },
}));

const content = (view: StoredView) => JSON.stringify(view.blocks);

function shown({ slack, ana }: Desk, text: string): Promise<StoredView> {
  return waitFor(`a window with ${text}`, async () => {
    const view = slack.views(ana.id).at(-1);
    return view !== undefined && content(view).includes(text) && view;
  });
}

test('a file of 5,000 characters: the card asks for a review, and the window has each of them and approves', async () => {
  const desk = await useDesk(database, { planner });
  const { slack, ana, instance } = desk;
  const { card, plan } = await askFor(desk, 'file', 'countersign:details');
  const buttons = JSON.stringify(card.blocks.filter(({ type }) => type === 'actions'));
  expect(buttons).toMatch(/"Review".*"style":"primary".*"Propose changes".*"Reject"/);
  expect(buttons).not.toContain('countersign:approve');
  const view = await openWindow(desk, ana, card, 'countersign:details');
  const text = steps.file?.[0]?.args?.content;
  const parts = view.blocks.flatMap((block) =>
    block.type === 'rich_text'
      ? block.elements.flatMap((one) =>
          one.type === 'rich_text_preformatted'
            ? one.elements.map((run) => ('text' in run ? run.text : ''))
            : [],
        )
      : [],
  );
  expect(parts.join('')).toBe(text);
  expect(view.submit).toMatchObject({ text: 'Approve' });
  await slack.submit(ana.id, view, {});
  const done = await reach(instance, plan.id, 'completed');
  expect(done.approvals.map(({ by }) => by)).toEqual(['ana@example.com']);
});

async function revise({ instance }: Desk, id: string, feedback: string): Promise<void> {
  const { version } = await instance.service.getPlan(id);
  const ana = person('ana@example.com', 'slack');
  await instance.service.proposeChanges(id, { version, feedback }, ana);
  await waitFor('the next version', async () => {
    const plan = await instance.service.getPlan(id);
    return plan.version === version + 1 && plan.status === 'proposed';
  });
}

test('a plan that was revised while its window was open is not approved: the window shows what changed', async () => {
  const desk = await useDesk(database, { planner });
  const { slack, ana, instance } = desk;
  const { card, plan } = await askFor(desk, 'lie');
  const view = await openWindow(desk, ana, card, 'countersign:details');
  await revise(desk, plan.id, 'lie');
  await slack.submit(ana.id, view, { value: ['0'] });
  const next = await shown(desk, 'Nothing was approved');
  expect(content(next)).toContain('Changed since version 1');
  expect(next.trouble).toBeNull();
  await settled(instance);
  expect(await instance.service.getPlan(plan.id)).toMatchObject({
    status: 'proposed',
    approvals: [],
  });
  await slack.submit(ana.id, next, {});
  await waitFor('an approval', async () => (await instance.service.getPlan(plan.id)).approvals[0]);
});

test('an approval that is refused when it is decided about is explained to whoever sent it', async () => {
  const desk = await useDesk(database, { planner });
  const { slack, ana, instance } = desk;
  const { card, plan } = await askFor(desk, 'lie');
  const view = await openWindow(desk, ana, card, 'countersign:details');
  const { version } = plan;
  await instance.service.reject(plan.id, { version }, person('ana@example.com', 'slack'));
  await slack.submit(ana.id, view, {});
  expect(await told(desk, ana)).toHaveLength(1);
  expect((await instance.service.getPlan(plan.id)).approvals).toEqual([]);
});
