// State of the inbox rail: plans in five groups as far as loaded, and the person's search, folded groups and ticks.
import type { ConversationPage } from '#domain/chat/conversation-list.ts';
import type { InboxGroup, InboxPage, InboxPlan } from '#domain/plan/inbox.ts';

export type InboxState = {
  view: 'plans' | 'conversations';
  /** Null before the first load. */
  groups: InboxPage[] | null;
  conversations: ConversationPage | null;
  /** The search field's text, and the query of the groups on the screen. */
  search: string;
  searched: string;
  /** Number of plans that need the reader regardless of the search, or null if unknown. */
  needed: number | null;
  /** Why the lists are outdated, or null if they aren't. */
  problem: string | null;
  /** The plan selected by keyboard. */
  selected: string | null;
  /** Groups that the person opened or closed. */
  folded: Partial<Record<InboxGroup, boolean>>;
  /** Plans to decide on together, as they were when ticked. */
  ticked: ReadonlyMap<string, InboxPlan>;
  /** The rail covers the page, on narrow screens. */
  over: boolean;
  /** The last change of the selection, for screen readers. */
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
    over: false,
    announcement: '',
  };
}

/** Whether a plan can be ticked, for approval or rejection with others. */
export function mayTick({ waits, may_approve }: InboxPlan): boolean {
  return waits === 'approval' && may_approve;
}

/** Long lists that are seldom needed begin closed. */
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
