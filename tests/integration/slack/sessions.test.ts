// Planning sessions in Slack: gates and questions, with buttons bound to the shown turn and digest.
import { expect, test } from 'vitest';
import { stagedPlanner } from '../../fixtures/staged-planner.ts';
import { useDatabase } from '../../setup/database.ts';
import type { TestInstance } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { type Desk, openWindow, seeCard, useDesk } from './desk.ts';

const database = useDatabase();

let instance: TestInstance | null = null;
const planner = stagedPlanner(() => {
  if (instance === null) throw new Error('The instance is not open yet.');
  return instance.db.query;
});

async function useSession() {
  const desk = await useDesk(database, { planner });
  instance = desk.instance;
  planner.asked.length = 0;
  return { ...desk, asked: planner.asked };
}

async function begin(desk: Desk, text: string, part: string) {
  const { message } = await desk.slack.mention(desk.ana.id, desk.channel, text);
  return { root: message.ts, card: await seeCard(desk, message.ts, part) };
}

test('changes to a stage are typed into a form that wants words', async () => {
  const desk = await useSession();
  const { slack, ana } = desk;
  const { card } = await begin(desk, 'Plan the launch', 'countersign:session_changes');
  const view = await openWindow(desk, ana, card, 'countersign:session_changes');
  await slack.submit(ana.id, view, { value: ' ' });
  expect(view.errors).toEqual({ text: 'Say what should change.' });
  await slack.submit(ana.id, view, { value: 'Test before the launch' });
  await waitFor('the wish', async () =>
    desk.asked.some(
      ({ decision }) =>
        decision.kind === 'changes' && decision.feedback === 'Test before the launch',
    ),
  );
});
