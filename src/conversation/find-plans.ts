// The `/plans` command's lists.
import type { PlanCardFacts } from '#domain/chat/card.ts';
import type { Actor } from '#domain/people/actor.ts';
import { type LinkOutcome, readLinkCommand } from '#domain/people/link.ts';
import type { InboxGroup, InboxPlan } from '#domain/plan/inbox.ts';
import type { PlanSummary } from '#domain/plan/plan.ts';
import type { Recurring } from '#domain/plan/recurring.ts';
import type { PlanReads, Service, Simulation } from '#domain/service.ts';
import type { PlanStats } from '#domain/stats.ts';
import { makeStorableText } from '#domain/text.ts';
import { countRest } from '#domain/words.ts';

export const maxListed = 20;

/** Before all readers see an unmet request, for privacy. */
const leastPeople = 2;

const maxPages = 99;
const maxMarked = 500;

/** Lines per group, `maxListed` together. */
const shares: Record<'inbox' | 'find', Partial<Record<InboxGroup, number>>> = {
  inbox: { needs_you: 9, running: 5, failed: 3, others: 3 },
  find: { needs_you: 5, running: 4, failed: 3, others: 4, done: 4 },
};

/** `more`: number not shown, by `countRest`. */
type Section = { group: InboxGroup | null; plans: InboxPlan[]; more: string };

export type FoundPlans =
  | {
      kind: 'list';
      which: 'find' | ListName;
      words: string;
      /** The command's argument. */
      query: string;
      sections: Section[];
      page: number;
      /** Argument for the next page. */
      next: string | null;
    }
  | { kind: 'stats'; stats: PlanStats }
  | { kind: 'plan'; facts: PlanCardFacts }
  | { kind: 'dry_run'; simulation: Simulation }
  /** Private: may hold a code. */
  | { kind: 'link'; outcome: LinkOutcome }
  | { kind: 'recurring'; entries: Recurring[] }
  | { kind: 'help' }
  | { kind: 'unknown'; word: string };

/** `id`: person; `account`: on the platform; `once`: event ID. */
type Reader = { id: string; timezone: string; account: Actor; once?: string };

type ListName = 'inbox' | InboxGroup | 'all' | 'mine';

const listNames: Record<string, ListName> = {
  '': 'inbox',
  inbox: 'inbox',
  waiting: 'needs_you',
  pending: 'needs_you',
  running: 'running',
  failed: 'failed',
  others: 'others',
  done: 'done',
  all: 'all',
  mine: 'mine',
};

async function listGroups(
  read: PlanReads,
  which: 'inbox' | 'find',
  words: string,
  user: string,
): Promise<FoundPlans> {
  const most = shares[which];
  const limit = Math.max(...Object.values(most));
  const { groups } = await read.inbox({ user, limit, ...(words === '' ? {} : { words }) });
  const sections = groups.flatMap((found) => {
    const shown = found.plans.slice(0, most[found.group] ?? 0);
    const more = countRest(found, shown.length);
    return shown.length === 0 ? [] : [{ group: found.group, plans: shown, more }];
  });
  const query = which === 'find' ? `find ${words}` : which;
  return { kind: 'list', which, words, query, sections, page: 1, next: null };
}

export async function markWaiting(
  read: Pick<PlanReads, 'inbox'>,
  user: string,
  plans: PlanSummary[],
): Promise<InboxPlan[]> {
  const { groups } = await read.inbox({ user, group: 'needs_you', limit: maxMarked });
  const marked = new Map(groups.flatMap((page) => page.plans.map((plan) => [plan.id, plan])));
  const unmarked = { waits: null, waits_since: null, waits_step: null, may_approve: false };
  return plans.map((plan) => marked.get(plan.id) ?? { ...plan, ...unmarked });
}

/** To the end of a page, and whether there are more. */
async function readUpTo(
  read: PlanReads,
  which: Exclude<ListName, 'inbox'>,
  limit: number,
  user: string,
): Promise<{ plans: InboxPlan[]; more: boolean }> {
  if (which !== 'all' && which !== 'mine') {
    const { groups } = await read.inbox({ user, group: which, limit });
    const [page] = groups;
    return page === undefined
      ? { plans: [], more: false }
      : { plans: page.plans, more: page.next_cursor !== null };
  }
  const found = await read.listPlans({ limit, ...(which === 'mine' ? { user } : {}) });
  return {
    plans: await markWaiting(read, user, found.plans),
    more: found.next_cursor !== null,
  };
}

async function listPage(
  read: PlanReads,
  which: Exclude<ListName, 'inbox'>,
  page: number,
  { id: user }: Reader,
  name: string,
): Promise<FoundPlans> {
  const to = page * maxListed;
  const found = await readUpTo(read, which, to, user);
  const plans = found.plans.slice(to - maxListed);
  return {
    kind: 'list',
    which,
    words: '',
    query: page === 1 ? name : `${name} ${page}`,
    sections: plans.length === 0 ? [] : [{ group: null, plans, more: '' }],
    page,
    next: found.more && page < maxPages ? `${name} ${page + 1}` : null,
  };
}

/** `running 2`. */
export function readList(text: string): { which: ListName; page: number; name: string } | null {
  const [, name = '', page = '1'] =
    /^(?:([a-z]+)(?:\s+([1-9]\d?))?)?$/.exec(text.trim().toLowerCase()) ?? [];
  if (text.trim() !== '' && name === '') return null;
  const which = Object.hasOwn(listNames, name) ? listNames[name] : undefined;
  return which === undefined ? null : { which, page: Number(page), name };
}

/** `find WORDS`. */
export function readSearch(text: string): string | null {
  const [, words] = /^find\s+(\S.*)$/is.exec(text.trim()) ?? [];
  return words === undefined ? null : makeStorableText(words.slice(0, 200));
}

/** @param read plans the reader may see @param text after the command @throws refusals of the service */
export async function findPlans(
  { read, service }: { read: PlanReads; service: Pick<Service, 'link'> },
  text: string,
  reader: Reader,
): Promise<FoundPlans> {
  const word = text.trim();
  if (/^plan-/i.test(word)) {
    const [, reference = '', dry] = /^plan-(\S+)(\s+dry[ -]run)?$/i.exec(word) ?? [];
    const id = `PLAN-${(reference || word.slice(5)).toLowerCase()}`;
    if (dry !== undefined)
      return { kind: 'dry_run', simulation: await read.simulate(id, {}, reader.account) };
    const viewer = { user: reader.id, timezone: reader.timezone };
    return { kind: 'plan', facts: await read.card(id, viewer) };
  }
  const [, code] = /^link(?:\s+(.*))?$/is.exec(word) ?? [];
  if (code !== undefined || /^link$/i.test(word)) {
    const outcome = await service.link(readLinkCommand(code ?? '', reader.once), reader.account);
    return { kind: 'link', outcome };
  }
  const words = readSearch(word);
  if (words !== null) return listGroups(read, 'find', words, reader.id);
  const list = readList(word);
  if (list?.which === 'inbox') return listGroups(read, 'inbox', '', reader.id);
  if (list !== null) return listPage(read, list.which, list.page, reader, list.name);
  switch (word.toLowerCase()) {
    case 'stats':
      return { kind: 'stats', stats: await read.stats(leastPeople) };
    case 'reminders':
      return { kind: 'recurring', entries: await read.listRecurring({ user: reader.id }) };
    case 'help':
      return { kind: 'help' };
    default:
      return { kind: 'unknown', word };
  }
}
