// State of the inbox rail.
import type { ConversationPage } from '#domain/chat/conversation-list.ts';
import type { InboxGroup, InboxPage, InboxPlan } from '#domain/plan/inbox.ts';
import { sinceWhen } from './words.ts';

export type InboxState = {
  view: 'plans' | 'conversations';
  /** Null before the first load. */
  groups: InboxPage[] | null;
  conversations: ConversationPage | null;
  /** As typed, and as applied to the groups on screen. */
  search: string;
  searched: string;
  /** Plans that need the reader, regardless of the search; null if unknown. */
  needed: number | null;
  /** Why the lists are outdated. */
  problem: string | null;
  /** Selected by keyboard. */
  selected: string | null;
  folded: Partial<Record<InboxGroup, boolean>>;
  ticked: ReadonlyMap<string, InboxPlan>;
  /** By plan: since when it had been in the state that the reader saw. */
  seen: ReadonlyMap<string, string>;
  over: boolean;
  /** For screen readers. */
  announcement: string;
};

export function createInbox(): InboxState {
  return {
    view: 'plans',
    groups: null,
    conversations: null,
    search: '',
    searched: '',
    needed: null,
    problem: null,
    selected: null,
    folded: {},
    ticked: new Map(),
    seen: new Map(),
    over: false,
    announcement: '',
  };
}

export function mayTick({ waits, may_approve }: InboxPlan): boolean {
  return waits === 'approval' && may_approve;
}

/** Needs the reader or failed since they last opened it. */
export function isUnread(plan: InboxPlan, seen: InboxState['seen']): boolean {
  const matters = plan.waits !== null || plan.status === 'failed' || plan.status === 'stalled';
  return matters && (seen.get(plan.id) ?? '') < sinceWhen(plan);
}

/** Longer groups that are seldom needed begin closed. */
const long = 10;

/** @param searching opens groups with matches */
export function isFolded(
  { group, total }: InboxPage,
  folded: InboxState['folded'],
  searching: boolean,
) {
  if (searching) return false;
  return folded[group] ?? ((group === 'done' || group === 'others') && total > long);
}
