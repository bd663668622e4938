// Moves between conversations: a new one, the one of a listed plan, the one that the address names.
import type { Plan, PlanSummary } from '#domain/plan/plan.ts';
import { writeAddress } from './address.ts';
import { get } from './api.ts';
import { createConversationId, openConversation } from './conversation.ts';
import { openPlan, showPane } from './focus.ts';
import { followSettings } from './settings.ts';
import { tabs } from './state.ts';
import { change, state } from './store.ts';
import { watchPlan } from './watch.ts';

/** Opens a plan from the list, with the conversation it belongs to. */
export async function openListed(plan: PlanSummary): Promise<void> {
  change((s) => {
    s.drawer = false;
  });
  if (plan.conversation !== null && plan.conversation !== state.conversation) {
    watchPlan(null);
    await openConversation(plan.conversation);
  }
  openPlan(plan.id);
  showPane('plan');
  writeAddress(true);
}

export async function startConversation(): Promise<void> {
  watchPlan(null);
  await openConversation(createConversationId());
  writeAddress(true);
}

/** Links to a plan name no conversation; the plan knows it. */
async function findConversation(plan: string): Promise<string | null> {
  const path = `/api/plans/${encodeURIComponent(plan)}`;
  // An unknown plan is told in its own column.
  return get<Plan>(path).then(
    ({ conversation }) => conversation,
    () => null,
  );
}

/** Shows what the address names; a page without a conversation gets a new one. */
export async function followAddress(): Promise<void> {
  const query = new URLSearchParams(location.search);
  const plan = query.get('plan');
  const tab = tabs.find((name) => name === query.get('tab')) ?? 'overview';
  const conversation = query.get('c') ?? (plan === null ? null : await findConversation(plan));
  watchPlan(null);
  const opening = openConversation(conversation ?? createConversationId());
  if (plan !== null) openPlan(plan, tab);
  writeAddress(false);
  followSettings(query);
  await opening;
}
