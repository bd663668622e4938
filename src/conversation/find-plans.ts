// Lists of plans for the chat platforms' `/plans` command.
import type { PlanCardFacts } from '#domain/chat/card.ts';
import type { Actor } from '#domain/people/actor.ts';
import { type LinkOutcome, readLinkCommand } from '#domain/people/link.ts';
import type { InboxGroup, InboxPlan } from '#domain/plan/inbox.ts';
import type { PlanSummary } from '#domain/plan/plan.ts';
import type { PlanReads, Service } from '#domain/service.ts';
import type { PlanStats } from '#domain/stats.ts';
import { makeStorableText } from '#domain/text.ts';
import { countRest } from '#domain/words.ts';

/** Lines of one list. */
export const maxListed = 20;

/** How many people have to have had a wish that is told: one person's may be nobody else's to read, and a chat has many readers. */
const leastPeople = 2;

/** Pages that can be asked for: two digits of them. */
const maxPages = 99;
/** Plans of the reader that are marked in lists of other plans. */
const maxMarked = 500;

/** Lines of each group where several are shown, `maxListed` together. */
const shares: Record<'inbox' | 'find', Partial<Record<InboxGroup, number>>> = {
  inbox: { needs_you: 9, running: 5, failed: 3, others: 3 },
  find: { needs_you: 5, running: 4, failed: 3, others: 4, done: 4 },
};

/** Plans of one group, or of none; `more`: the number of plans that are not shown, as `countRest` words it. */
type Section = { group: InboxGroup | null; plans: InboxPlan[]; more: string };

export type FoundPlans =
  | {
      kind: 'list';
      which: 'find' | ListName;
      /** What a search was for. */
      words: string;
      /** What leads to this page again, after the command. */
      said: string;
      /** None of them empty. */
      sections: Section[];
      page: number;
      /** What asks for the next page, after the command; null: this is the last one. */
      next: string | null;
    }
  | { kind: 'stats'; stats: PlanStats }
  | { kind: 'plan'; facts: PlanCardFacts }
  /** For the one who asked alone: it may hold a code. */
  | { kind: 'link'; outcome: LinkOutcome }
  | { kind: 'help' }
  /** `word` is none of the subcommands. */
  | { kind: 'unknown'; word: string };

/** `id`: the person; `account`: what their platform knows them by; `once`: the event they asked by. */
type Reader = { id: string; timezone: string; account: Actor; once?: string };

type ListName = 'inbox' | InboxGroup | 'all' | 'mine';

/** What people say for each list. */
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

/** The first plans of several groups. */
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
  const said = which === 'find' ? `find ${words}` : which;
  return { kind: 'list', which, words, said, sections, page: 1, next: null };
}

/** The plans with what each needs from the reader, if anything. */
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

/** The plans of a list from its beginning to the end of a page, and whether there are more. */
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
    said: page === 1 ? name : `${name} ${page}`,
    sections: plans.length === 0 ? [] : [{ group: null, plans, more: '' }],
    page,
    next: found.more && page < maxPages ? `${name} ${page + 1}` : null,
  };
}

/** `running 2`: which list, and which page of it; null: something else. */
export function readList(said: string): { which: ListName; page: number; name: string } | null {
  const [, name = '', page = '1'] =
    /^(?:([a-z]+)(?:\s+([1-9]\d?))?)?$/.exec(said.trim().toLowerCase()) ?? [];
  if (said.trim() !== '' && name === '') return null;
  const which = Object.hasOwn(listNames, name) ? listNames[name] : undefined;
  return which === undefined ? null : { which, page: Number(page), name };
}

/** The words of `find WORDS`; null: it is something else. */
export function readSearch(said: string): string | null {
  const [, words] = /^find\s+(\S.*)$/is.exec(said.trim()) ?? [];
  return words === undefined ? null : makeStorableText(words.slice(0, 200));
}

/**
 * @param read the plans that the reader may see
 * @param said what stands after the command
 * @throws what the service refuses, such as `plan_not_found`
 */
export async function findPlans(
  { read, service }: { read: PlanReads; service: Pick<Service, 'link'> },
  said: string,
  reader: Reader,
): Promise<FoundPlans> {
  const word = said.trim();
  if (/^plan-/i.test(word)) {
    const id = `PLAN-${word.slice(5).toLowerCase()}`;
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
    case 'help':
      return { kind: 'help' };
    default:
      return { kind: 'unknown', word };
  }
}
