// Planning sessions in Slack: gates and questions, with buttons bound to the shown turn and digest.
import { expect, test } from 'vitest';
import type { SlackMessage } from '../../fixtures/slack/types.ts';
import { stagedPlanner } from '../../fixtures/staged-planner.ts';
import { useDatabase } from '../../setup/database.ts';
import type { TestInstance } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { clearInbox, settled } from '../inbox/bench.ts';
import { type Desk, openWindow, seeCard, told, useDesk } from './desk.ts';

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

const actionsOf = ({ blocks }: SlackMessage) =>
  blocks.flatMap((block) =>
    block.type === 'actions' ? block.elements.map(({ action_id = '' }) => action_id) : [],
  );

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

test('an offer is answered by its button, once, and an old button answers nothing later', async () => {
  const desk = await useSession();
  const { slack, ana, instance } = desk;
  const { card } = await begin(desk, 'Ask me', 'countersign:session_answer');
  const [offer = ''] = actionsOf(card);
  const { delivery } = await slack.press(ana.id, card, offer);
  await waitFor('the answer to be taken', async () =>
    desk.asked.some(({ text }) => text === '1. The blue one'),
  );
  await clearInbox(instance);
  await slack.replay(delivery.signal, (payload) => {
    Object.assign(payload, { trigger_id: 'again.2' });
    const { actions } = payload as { actions: { action_ts: string }[] };
    for (const action of actions) action.action_ts = '1700000000.000001';
  });
  await settled(instance);
  expect((await told(desk, ana))[0]).toContain('already answered');
  expect(desk.asked.filter(({ text }) => text === '1. The blue one')).toHaveLength(1);
});
