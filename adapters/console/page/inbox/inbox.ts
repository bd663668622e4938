// What the rail knows: plans in five groups, as far as they were read, and what the person has searched, folded and ticked.
import type { ConversationPage } from '#domain/chat/conversation-list.ts';
import type { InboxGroup, InboxPage, InboxPlan } from '#domain/plan/inbox.ts';

export type InboxState = {
  view: 'plans' | 'conversations';
  /** null: not read yet. */
  groups: InboxPage[] | null;
  conversations: ConversationPage | null;
  /** What stands in the search field, and what the groups on the screen were searched for. */
  search: string;
  searched: string;
  /** How many plans need the reader, regardless of the search; null: not known yet. */
  needed: number | null;
  /** Why the lists are not up to date; null: they are. */
  problem: string | null;
  /** The plan that the keyboard is at. */
  selected: string | null;
  /** Groups that the person has opened or closed. */
  folded: Partial<Record<InboxGroup, boolean>>;
  /** Plans to decide about together, as they were when ticked. */
  ticked: ReadonlyMap<string, InboxPlan>;
  /** The rail lies over the page, on screens that have no room beside it. */
  over: boolean;
  /** What just happened to the selection, for screen readers. */
  said: string;
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
    said: '',
  };
}

/** Whether a plan can be ticked, to be approved or rejected with others. */
export function mayTick({ waits, may_approve }: InboxPlan): boolean {
  return waits === 'approval' && may_approve;
}

/** Lists that are long and seldom needed begin closed. */
const long = 10;

/** @param searching groups with matches are open */
export function isFolded(
  { group, total }: InboxPage,
  folded: InboxState['folded'],
  searching: boolean,
) {
  if (searching) return false;
  return folded[group] ?? ((group === 'done' || group === 'others') && total > long);
}
