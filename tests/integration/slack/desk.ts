// Shared by tests of cards in Slack: a channel with people.
import type { Plan } from '#domain/plan/plan.ts';
import type { SlackMessage, StoredView, User } from '../../fixtures/slack/types.ts';
import type { TestDatabase } from '../../setup/database.ts';
import { waitFor } from '../../wait.ts';
import { clearInbox } from '../inbox/bench.ts';
import {
  type SlackInstance,
  type SlackInstanceOptions,
  useSlackInstance,
} from './slack-instance.ts';

export type Desk = SlackInstance & { ana: User; ben: User; channel: string };

export async function useDesk(
  database: TestDatabase,
  options: SlackInstanceOptions = {},
): Promise<Desk> {
  const use = await useSlackInstance(database, options);
  await clearInbox(use.instance);
  const ana = use.slack.addUser({ name: 'ana' });
  const ben = use.slack.addUser({ name: 'ben' });
  const channel = use.slack.addChannel({ name: 'release', members: [ana.id, ben.id] }).id;
  return { ...use, ana, ben, channel };
}

const written = ({ blocks }: { blocks: unknown }) => JSON.stringify(blocks);

export function seeCard(
  { slack, channel }: Desk,
  root: string,
  part = 'countersign:approve',
): Promise<SlackMessage> {
  return waitFor(`a card with ${part}`, async () =>
    slack.replies(channel, root).findLast((message) => written(message).includes(part)),
  );
}

export type Asked = { root: string; card: SlackMessage; plan: Plan };

/** @param part text on its card */
export async function askFor(desk: Desk, text: string, part?: string): Promise<Asked> {
  const { message } = await desk.slack.mention(desk.ana.id, desk.channel, text);
  const card = await seeCard(desk, message.ts, part);
  const id = /PLAN-[0-9a-f]{8}/.exec(written(card))?.[0] ?? '';
  return { root: message.ts, card, plan: await desk.instance.service.getPlan(id) };
}

export function lookAgain({ slack, channel }: Desk, { ts }: SlackMessage): SlackMessage {
  const now = slack.messages(channel).find((message) => message.ts === ts);
  if (now === undefined) throw new Error('The card is gone.');
  return now;
}

/** Waits until the window is filled. */
export async function openWindow(
  { slack }: Desk,
  user: User,
  on: SlackMessage,
  action: string,
): Promise<StoredView> {
  await slack.press(user.id, on, action);
  return waitFor('a window that is filled', async () => {
    const view = slack.views(user.id).at(-1);
    return view === undefined || written(view).includes('Loading') ? null : view;
  });
}

/** Messages only `user` sees. */
export async function told({ slack }: Desk, user: User, count = 1): Promise<string[]> {
  await waitFor(`${user.name} to be told`, async () => slack.ephemerals(user.id).length >= count);
  return slack.ephemerals(user.id).map(({ text }) => text);
}

/** From its review if the card is incomplete. */
export async function approve(desk: Desk, user: User, card: SlackMessage): Promise<void> {
  if (written(card).includes('countersign:approve')) {
    await desk.slack.press(user.id, card, 'countersign:approve');
    return;
  }
  const view = await openWindow(desk, user, card, 'countersign:details');
  await desk.slack.submit(user.id, view, {});
}
