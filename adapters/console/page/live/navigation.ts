// Moves between conversations.
import type { InboxPlan } from '#domain/plan/inbox.ts';
import type { Plan } from '#domain/plan/plan.ts';
import { leaveHere, writeAddress } from './address.ts';
import { get } from './api.ts';
import { createConversationId, openConversation } from './conversation.ts';
import { openPlan, showPane } from './focus.ts';
import { layRail, noteSeen, searchInbox, select } from './inbox.ts';
import { followSettings } from './settings.ts';
import { type Pane, tabs } from './state.ts';
import { state } from './store.ts';

const panes: Pane[] = ['inbox', 'conversation', 'plan'];

export async function comeBack({ state: left }: PopStateEvent): Promise<void> {
  const pane = panes.find((name) => name === left?.pane);
  if (pane !== undefined) showPane(pane);
  await followAddress();
}

export async function openListed({ id, conversation }: InboxPlan): Promise<void> {
  select(id);
  if (state.plan?.id !== id || state.pane === 'inbox') leaveHere('plan');
  // Without a conversation of its own, messages here would be about this plan.
  const here = conversation === null && state.messages.length === 0;
  const target = here ? state.conversation : (conversation ?? createConversationId());
  const other = target !== state.conversation;
  const opening = other ? openConversation(target) : null;
  openPlan(id);
  noteSeen();
  showPane('plan');
  layRail(false);
  writeAddress();
  await opening;
}

export async function reopenConversation(id: string): Promise<void> {
  if (id !== state.conversation || state.pane === 'inbox') leaveHere('conversation');
  showPane('conversation');
  layRail(false);
  if (id === state.conversation) return;
  const opening = openConversation(id);
  writeAddress();
  await opening;
}

export async function startConversation(): Promise<void> {
  // An earlier search must not hide a new plan.
  searchInbox('');
  await reopenConversation(createConversationId());
}

/** Links to a plan name no conversation. */
async function findConversation(plan: string): Promise<string | null> {
  const path = `/api/plans/${encodeURIComponent(plan)}`;
  // Its column reports an unknown plan.
  return get<Plan>(path).then(
    ({ conversation }) => conversation,
    () => null,
  );
}

/** Without a conversation, begins one. */
export async function followAddress(): Promise<void> {
  const query = new URLSearchParams(location.search);
  const plan = query.get('plan');
  const tab = tabs.find((name) => name === query.get('tab')) ?? 'overview';
  const conversation = query.get('c') ?? (plan === null ? null : await findConversation(plan));
  const opening = openConversation(conversation ?? createConversationId());
  if (plan !== null) openPlan(plan, tab);
  if (plan !== null && query.get('c') === null) showPane('plan');
  writeAddress();
  followSettings(query);
  await opening;
}
