// Loads the inbox and handles search, folding, paging and ticks.
import { titleListed } from '#cards/times.ts';
import type { ConversationPage } from '#domain/chat/conversation-list.ts';
import { coalesce } from '#domain/coalesce.ts';
import type { InboxGroup, InboxPage, InboxPlan } from '#domain/plan/inbox.ts';
import { type InboxState, isFolded, isUnread, mayTick } from '../inbox/inbox.ts';
import { appendPage, keepTicks, mergeGroups } from '../inbox/pages.ts';
import { toQuery } from '../inbox/search.ts';
import { sinceWhen } from '../inbox/words.ts';
import { describeError, get, getInBackground } from './api.ts';
import { recall, remember } from './remembered.ts';
import { change, state } from './store.ts';
import { createThrottle } from './throttle.ts';

const pageSize = 25;
/** Plans of a paged group that are reloaded. */
const maxHead = 100;
const typingPause = 200;
const refreshInterval = 1000;
const retryAfter = 5000;

const maxSeen = 1000;

type Answer = { groups: InboxPage[] };

function assign(part: Partial<InboxState>): void {
  change((s) => Object.assign(s.inbox, part));
}

async function readGroups(
  search: string,
  more: Record<string, string>,
  read: typeof get = get,
): Promise<InboxPage[]> {
  const query = new URLSearchParams({ ...toQuery(search), limit: String(pageSize), ...more });
  const { groups } = await read<Answer>(`/api/inbox?${query}`);
  return groups;
}

/** As long as the reader paged, up to the limit. */
async function readHead(first: InboxPage, known: InboxPage[], search: string, read: typeof get) {
  const shown = known.find(({ group }) => group === first.group)?.plans.length ?? 0;
  if (first.next_cursor === null || shown <= pageSize) return first;
  const pages = Math.ceil(shown / pageSize);
  const limit = String(Math.min(maxHead, pages * pageSize));
  const [head = first] = await readGroups(search, { group: first.group, limit }, read);
  return head;
}

async function readPlans(): Promise<void> {
  const { search, searched, groups } = state.inbox;
  const isRefresh = search === searched && groups !== null;
  const known = isRefresh ? groups : [];
  const read = isRefresh ? getInBackground : get;
  const first = await readGroups(search, {}, read);
  const heads = await Promise.all(first.map((group) => readHead(group, known, search, read)));
  if (state.inbox.search !== search) return;
  const shown = state.inbox.searched === search ? (state.inbox.groups ?? []) : [];
  const merged = mergeGroups(heads, shown);
  const ticked = keepTicks(state.inbox.ticked, merged, mayTick);
  assign({ groups: merged, searched: search, ticked });
}

async function countNeeded(): Promise<void> {
  const { groups, searched } = state.inbox;
  const pages =
    searched === ''
      ? groups
      : await readGroups('', { group: 'needs_you', limit: '1' }, getInBackground);
  assign({ needed: pages?.find(({ group }) => group === 'needs_you')?.total ?? 0 });
}

function readConversations(cursor: string | null, limit = pageSize): Promise<ConversationPage> {
  const query = new URLSearchParams({
    mine: 'true',
    limit: String(limit),
    ...(cursor === null ? {} : { cursor }),
  });
  return get<ConversationPage>(`/api/conversations?${query}`);
}

async function readFirstConversations(): Promise<void> {
  const shown = state.inbox.conversations?.conversations.length ?? 0;
  const limit = Math.min(maxHead, Math.max(pageSize, shown));
  const read = await readConversations(null, limit);
  const ids = new Set(read.conversations.map(({ id }) => id));
  const { conversations: known, next_cursor } = state.inbox.conversations ?? read;
  const tail = known.slice(limit).filter(({ id }) => !ids.has(id));
  assign({
    conversations:
      tail.length === 0 ? read : { conversations: [...read.conversations, ...tail], next_cursor },
  });
}

/** The open plan's state counts as read. */
export function noteSeen(): void {
  const { seen } = state.inbox;
  const plan = state.plan === null ? undefined : findListed(state.plan.id);
  if (plan === undefined || !isUnread(plan, seen)) return;
  const others = [...seen].filter(([id]) => id !== plan.id).slice(1 - maxSeen);
  const kept = [...others, [plan.id, sinceWhen(plan)] as const];
  remember('inbox.seen', kept);
  assign({ seen: new Map(kept) });
}

/** One load runs and one may queue, so results are never older than the request. */
const load = coalesce(async () => {
  try {
    await readPlans();
    noteSeen();
    await countNeeded();
    if (state.inbox.view === 'conversations') await readFirstConversations();
    if (state.inbox.problem !== null) assign({ problem: null });
  } catch (error) {
    assign({ problem: describeError(error) });
    setTimeout(refreshInbox, retryAfter);
  }
});

const refresh = createThrottle(load, refreshInterval);

/** Debounced; nothing while hidden or without a token. */
export function refreshInbox(): void {
  if (!document.hidden && !state.tokenWanted) refresh.request();
}

export function listShown({ groups, folded, searched }: InboxState): InboxPlan[] {
  return (groups ?? []).flatMap((group) =>
    isFolded(group, folded, searched !== '') ? [] : group.plans,
  );
}

export function findListed(id: string): InboxPlan | undefined {
  const groups = state.inbox.groups ?? [];
  return groups.flatMap(({ plans }) => plans).find((plan) => plan.id === id);
}

/** @returns the first new plan, or null */
export async function loadMore(name: InboxGroup): Promise<string | null> {
  const { search, groups } = state.inbox;
  const before = groups?.find(({ group }) => group === name);
  if (before?.next_cursor == null) return null;
  try {
    const [page] = await readGroups(search, { group: name, cursor: before.next_cursor });
    const now = state.inbox.groups?.find(({ group }) => group === name);
    if (page === undefined || now?.next_cursor !== before.next_cursor) return null;
    if (state.inbox.search !== search) return null;
    const grown = appendPage(now, page);
    assign({
      groups: (state.inbox.groups ?? []).map((group) => (group === now ? grown : group)),
      problem: null,
    });
    return grown.plans[now.plans.length]?.id ?? null;
  } catch (error) {
    assign({ problem: describeError(error) });
    return null;
  }
}

/** @returns the first new one */
export async function loadOlderConversations(): Promise<string | null> {
  const before = state.inbox.conversations;
  if (before?.next_cursor == null) return null;
  try {
    const page = await readConversations(before.next_cursor);
    const now = state.inbox.conversations;
    if (now?.next_cursor !== before.next_cursor) return null;
    const known = new Set(now.conversations.map(({ id }) => id));
    const added = page.conversations.filter(({ id }) => !known.has(id));
    assign({
      conversations: { ...page, conversations: [...now.conversations, ...added] },
      problem: null,
    });
    return added[0]?.id ?? null;
  } catch (error) {
    assign({ problem: describeError(error) });
    return null;
  }
}

let typing: ReturnType<typeof setTimeout> | undefined;

/** After a pause; at once if emptied. */
export function searchInbox(text: string): void {
  assign({ search: text });
  clearTimeout(typing);
  typing = setTimeout(() => void load(), text === '' ? 0 : typingPause);
}

export function toggleGroup(group: InboxPage): void {
  const now = isFolded(group, state.inbox.folded, state.inbox.searched !== '');
  const folded = { ...state.inbox.folded, [group.group]: !now };
  remember('inbox.folded', folded);
  assign({ folded });
}

export function showView(view: InboxState['view']): void {
  assign({ view });
  refreshInbox();
}

export function select(id: string): void {
  if (state.inbox.selected !== id) assign({ selected: id });
}

export function toggleTick(id: string): void {
  const plan = state.inbox.ticked.get(id) ?? findListed(id);
  if (plan === undefined) return;
  if (!mayTick(plan)) {
    assign({ announcement: 'Only plans that wait for your approval can be selected.' });
    return;
  }
  const ticked = new Map(state.inbox.ticked);
  const on = !ticked.delete(id);
  if (on) ticked.set(id, plan);
  assign({
    ticked,
    announcement: `${titleListed(plan)} ${on ? 'selected' : 'not selected any more'}`,
  });
}

export function tickAll(): void {
  const all = listShown(state.inbox).filter(mayTick);
  assign({
    ticked: new Map([...state.inbox.ticked, ...all.map((plan) => [plan.id, plan] as const)]),
  });
}

export function clearTicks(): void {
  assign({ ticked: new Map() });
}

export function layRail(over: boolean): void {
  if (state.inbox.over !== over) assign({ over });
}

export function restoreInbox(): void {
  const seen = recall('inbox.seen');
  const isPair = (one: unknown): one is [string, string] =>
    Array.isArray(one) && one.length === 2 && one.every((text) => typeof text === 'string');
  if (Array.isArray(seen)) assign({ seen: new Map(seen.filter(isPair)) });
  const kept = recall('inbox.folded');
  if (typeof kept !== 'object' || kept === null) return;
  const folded = Object.entries(kept).filter(([, value]) => typeof value === 'boolean');
  assign({ folded: Object.fromEntries(folded) });
}
