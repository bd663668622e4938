// Presses on cards in Slack decide once, for permitted people.
import { expect, test } from 'vitest';
import type { Plan } from '#domain/plan/plan.ts';
import type { Signal } from '../../fixtures/slack/delivery.ts';
import type { SlackMessage, User } from '../../fixtures/slack/types.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop, reach, scriptedPlanner } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { clearInbox, settled } from '../inbox/bench.ts';
import { type SlackInstance, useSlackInstance } from './slack-instance.ts';

const database = useDatabase();
const planner = scriptedPlanner(({ revision }) => ({
  kind: 'proposal',
  draft: {
    title: revision === null ? 'Two of nothing <!channel>' : 'Revised',
    steps: [noop('a'), noop('b')],
  },
}));

type Desk = SlackInstance & {
  ana: User;
  ben: User;
  channel: string;
  root: string;
  card: SlackMessage;
};

async function useCard({ socket = false } = {}): Promise<Desk & { plan: Plan }> {
  const use = await useSlackInstance(database, { planner, socket });
  const { slack, instance } = use;
  await clearInbox(instance);
  const ana = slack.addUser({ name: 'ana' });
  const ben = slack.addUser({ name: 'ben' });
  const channel = slack.addChannel({ name: 'release', members: [ana.id, ben.id] }).id;
  const { message } = await slack.mention(ana.id, channel, 'do nothing, twice');
  const card = await waitFor('a card', async () => findCard(use, channel, message.ts));
  const plan = await instance.service.getPlan(planOf(card));
  return { ...use, ana, ben, channel, root: message.ts, card, plan };
}

function findCard({ slack }: SlackInstance, channel: string, root: string): SlackMessage | null {
  const cards = slack
    .replies(channel, root)
    .filter(({ blocks }) => JSON.stringify(blocks).includes('countersign:approve'));
  return cards.at(-1) ?? null;
}

function planOf(card: SlackMessage): string {
  const id = /PLAN-[0-9a-f]+/.exec(JSON.stringify(card.blocks))?.[0];
  if (id === undefined) throw new Error('The card names no plan.');
  return id;
}

async function openWindow({ slack }: Desk, user: User, card: SlackMessage, action: string) {
  await slack.press(user.id, card, action);
  return waitFor('a window that is filled', async () => {
    const view = slack.views(user.id).at(-1);
    return view !== undefined && view.callback_id !== '' && JSON.stringify(view).includes('Loading')
      ? null
      : (view ?? null);
  });
}

test('a guest is not the other person that a rule asks for, and a colleague is', async () => {
  const desk = await useCard();
  const { slack, ana, ben, instance, plan, card, channel, root } = desk;
  const { guardedApprovers } = instance.config.settings;
  guardedApprovers.control_noop = { kind: 'not_requester' };
  try {
    const gus = slack.addUser({ name: 'gus', restricted: true });
    await slack.join(gus.id, channel);
    await slack.press(ana.id, card, 'countersign:approve');
    await slack.say(gus.id, channel, 'approve', { thread_ts: root });
    await waitFor('an answer', async () =>
      slack.replies(channel, root).some(({ text }) => text?.includes('Guests')),
    );
    await settled(instance);
    const again = await waitFor('a card', async () => findCard(desk, channel, root));
    await slack.press(gus.id, again, 'countersign:approve');
    await waitFor('a whisper', async () => slack.ephemerals(gus.id).length > 0);
    expect(slack.ephemerals(gus.id)[0]?.text).toContain('Guests');
    expect((await instance.service.getPlan(plan.id)).status).toBe('proposed');
    await slack.press(ben.id, again, 'countersign:approve');
    await reach(instance, plan.id, 'completed');
  } finally {
    delete guardedApprovers.control_noop;
  }
});

test('a press replayed from another channel, user, workspace or plan decides nothing', async () => {
  const first = await useCard();
  const { slack, instance, ana, ben, card, plan } = first;
  const { delivery } = await slack.press(ben.id, card, 'countersign:approve');
  await settled(instance);
  const elsewhere = slack.addChannel({ name: 'other', members: [ana.id, ben.id] }).id;
  const other = await instance.service.propose(
    { title: 'Elsewhere', steps: [noop('a')] },
    { user: 'ana@example.com', conversation: 'conv-elsewhere' },
    { kind: 'person', id: 'ana@example.com', via: 'api' },
  );
  type Payload = Signal['payload'] & {
    user: { id: string };
    team: { id: string };
    trigger_id: string;
    container: { channel_id: string };
    actions: { value: string; action_ts: string }[];
  };
  let count = 0;
  const replay = (change: (payload: Payload) => void) =>
    slack.replay(delivery.signal, (raw) => {
      const payload = raw as Payload;
      const [action] = payload.actions;
      count += 1;
      payload.trigger_id = `replayed.${count}`;
      payload.user.id = ana.id;
      if (action !== undefined) action.action_ts = `1700000000.00000${count}`;
      change(payload);
    });
  await replay((payload) => {
    payload.container.channel_id = elsewhere;
  });
  await replay((payload) => {
    payload.team.id = 'T0ELSEWHERE';
  });
  await replay((payload) => {
    payload.user.id = ben.id;
  });
  await replay((payload) => {
    const [action] = payload.actions;
    if (action === undefined) return;
    const { version, digest } = other;
    action.value = JSON.stringify({ action: 'approve', plan_id: other.id, version, digest });
  });
  await settled(instance);
  expect(slack.ephemerals().map(({ user }) => user)).toEqual([ben.id, ben.id, ana.id]);
  expect((await instance.service.getPlan(plan.id)).status).toBe('proposed');
  expect((await instance.service.getPlan(other.id)).status).toBe('proposed');
  await replay(() => {});
  await reach(instance, plan.id, 'completed');
});

test('Details show the plan, and ticked steps alone are approved', async () => {
  const desk = await useCard();
  const { slack, ana, instance, plan, card } = desk;
  const view = await openWindow(desk, ana, card, 'countersign:details');
  await slack.submit(ana.id, view, { value: [] });
  expect(view.errors).toEqual({ 'part:0': 'Select at least one step.' });
  await slack.submit(ana.id, view, { value: ['0'] });
  const done = await reach(instance, plan.id, 'completed');
  expect(done.counts).toMatchObject({ succeeded: 1 });
});
