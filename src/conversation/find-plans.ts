// Lists of plans for the chat platforms' `/plans` command.
import type { PlanCardFacts } from '#domain/chat/card.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import { type LinkOutcome, readLinkCommand } from '#domain/people/link.ts';
import type { PlanStatus, PlanSummary } from '#domain/plan/plan.ts';
import type { PlanReads } from '#domain/plan/scope.ts';
import type { PlanListFilter, Service } from '#domain/service.ts';
import type { PlanStats } from '#domain/stats.ts';
import { nameRequesters } from '#people/people-named.ts';

/** Lines of one list. */
export const listedAtMost = 20;

/** How many people have to have had a wish that is told: one person's may be nobody else's to read, and a chat has many readers. */
const leastPeople = 2;

const pending: PlanStatus[] = ['proposed', 'needs_review'];
const running: PlanStatus[] = ['approved', 'executing', 'stalled'];
/** Pages that can be asked for: two digits of them. */
const pagesAtMost = 99;
/** Plans that are read at a time. */
const readAtOnce = 100;

type PlanListName = 'pending' | 'all' | 'mine' | 'running';

export type FoundPlans =
  | {
      kind: 'list';
      which: PlanListName;
      plans: PlanSummary[];
      /** Ids of the plans in which something waits for the reader, in that order. */
      waiting: ReadonlySet<string>;
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

const lists: Record<PlanListName, (reader: Reader) => Partial<PlanListFilter>[]> = {
  pending: () => [{ status: pending }, { status: running }],
  all: () => [{}],
  mine: ({ id }) => [{ user: id }],
  running: () => [{ status: running }],
};

/** Lists one after the other, each newest first, without those that were shown before them. */
async function* iteratePlans(
  read: PlanReads,
  filters: Partial<PlanListFilter>[],
  without: ReadonlySet<string>,
): AsyncGenerator<PlanSummary> {
  // Between two lists a plan may come to be in the other one.
  const shown = new Set(without);
  for (const filter of filters) {
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<PlanReads['listPlans']>> = await read.listPlans({
        limit: readAtOnce,
        ...filter,
        ...(cursor === null ? {} : { cursor }),
      });
      const fresh = page.plans.filter(({ id }) => !shown.has(id));
      for (const { id } of fresh) shown.add(id);
      yield* fresh;
      cursor = page.next_cursor;
    } while (cursor !== null);
  }
}

/** What somebody else decided a moment ago may be nothing that the reader sees any more. */
function leaveOutMissing(error: unknown): null {
  if (error instanceof CountersignError && error.code === 'plan_not_found') return null;
  throw error;
}

/** A page of a list; that of what is pending begins with what waits for the reader, whatever came after it. */
async function listPage(
  { read, service }: { read: PlanReads; service: Pick<Service, 'shownNames'> },
  which: PlanListName,
  page: number,
  reader: Reader,
): Promise<FoundPlans> {
  const waiting = await read.waitingFor(reader.id);
  const first = which === 'pending' ? waiting : [];
  const from = (page - 1) * listedAtMost;
  const own = await Promise.all(
    first.slice(from, from + listedAtMost).map((id) => read.getPlan(id).catch(leaveOutMissing)),
  );
  const plans: PlanSummary[] = own.filter((plan) => plan !== null);
  // One more, to know whether there is another page.
  let passed = Math.max(0, from - first.length);
  let more = first.length > from + listedAtMost;
  for await (const plan of iteratePlans(read, lists[which](reader), new Set(first))) {
    if (more) break;
    if (passed > 0) passed--;
    else if (plans.length < listedAtMost) plans.push(plan);
    else more = true;
  }
  const next = more && page < pagesAtMost ? `${which} ${page + 1}` : null;
  const named = await nameRequesters(service, plans);
  return { kind: 'list', which, plans: named, waiting: new Set(waiting), page, next };
}

/** `running 2`: which list, and which page of it; null: something else. */
export function readList(said: string): { which: PlanListName; page: number } | null {
  const [, name = '', page = '1'] =
    /^(?:(pending|all|mine|running)(?:\s+([1-9]\d?))?)?$/.exec(said.trim().toLowerCase()) ?? [];
  if (said.trim() !== '' && name === '') return null;
  return { which: name === '' ? 'pending' : (name as PlanListName), page: Number(page) };
}

/**
 * @param read the plans that the reader may see
 * @param said what stands after the command
 * @throws what the service refuses, such as `plan_not_found`
 */
export async function findPlans(
  { read, service }: { read: PlanReads; service: Pick<Service, 'link' | 'shownNames'> },
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
  const list = readList(word);
  if (list !== null) return listPage({ read, service }, list.which, list.page, reader);
  switch (word.toLowerCase()) {
    case 'stats':
      return { kind: 'stats', stats: await read.stats(leastPeople) };
    case 'help':
      return { kind: 'help' };
    default:
      return { kind: 'unknown', word };
  }
}
