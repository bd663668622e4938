// What the command for lists of plans asks for and what there is to show, on every chat platform.
import type { Actor } from '#contracts/actor.ts';
import type { PlanCardFacts } from '#contracts/card.ts';
import { type LinkOutcome, readLinkCommand } from '#contracts/link.ts';
import type { PlanStatus } from '#contracts/plan.ts';
import type { PlanReads } from '#contracts/plan-scope.ts';
import type { PlanListFilter, PlanSummary, Service } from '#contracts/service.ts';

/** Lines of one list. */
export const listedAtMost = 20;

const pending: PlanStatus[] = ['proposed', 'needs_review'];
const running: PlanStatus[] = ['approved', 'executing', 'stalled'];
/** Plans that are counted, in pages. */
const counted = { pages: 20, page: 100 };

export type FoundPlans =
  | {
      kind: 'list';
      which: 'pending' | 'all' | 'mine' | 'running';
      plans: PlanSummary[];
      /** There are more than these. */
      more: boolean;
    }
  | { kind: 'counts'; counts: Map<PlanStatus, number>; more: boolean }
  | { kind: 'plan'; facts: PlanCardFacts }
  /** For the one who asked alone: it may hold a code. */
  | { kind: 'link'; outcome: LinkOutcome }
  | { kind: 'help' }
  /** `word` is none of the subcommands. */
  | { kind: 'unknown'; word: string };

/** `id`: the person; `account`: what their platform knows them by; `once`: the event they asked by. */
type Reader = { id: string; timezone: string; account: Actor; once?: string };

async function count(plans: PlanReads): Promise<FoundPlans> {
  const counts = new Map<PlanStatus, number>();
  let cursor: string | null = null;
  for (let page = 0; page < counted.pages; page++) {
    const { plans: some, next_cursor } = await plans.listPlans({
      limit: counted.page,
      ...(cursor === null ? {} : { cursor }),
    });
    for (const { status } of some) counts.set(status, (counts.get(status) ?? 0) + 1);
    cursor = next_cursor;
    if (cursor === null) break;
  }
  return { kind: 'counts', counts, more: cursor !== null };
}

/**
 * @param read the plans that the reader may see
 * @param said what stands after the command
 * @throws what the service refuses, such as `plan_not_found`
 */
export async function findPlans(
  { read, link }: { read: PlanReads; link: Service['link'] },
  said: string,
  reader: Reader,
): Promise<FoundPlans> {
  const word = said.trim();
  const list = async (
    which: Extract<FoundPlans, { kind: 'list' }>['which'],
    filter: Partial<PlanListFilter>,
  ): Promise<FoundPlans> => {
    const { plans, next_cursor } = await read.listPlans({ limit: listedAtMost, ...filter });
    return { kind: 'list', which, plans, more: next_cursor !== null };
  };
  if (/^plan-/i.test(word)) {
    const id = `PLAN-${word.slice(5).toLowerCase()}`;
    const viewer = { user: reader.id, timezone: reader.timezone };
    return { kind: 'plan', facts: await read.card(id, viewer) };
  }
  const [, code] = /^link(?:\s+(.*))?$/is.exec(word) ?? [];
  if (code !== undefined || /^link$/i.test(word)) {
    const outcome = await link(readLinkCommand(code ?? '', reader.once), reader.account);
    return { kind: 'link', outcome };
  }
  switch (word.toLowerCase()) {
    case '':
    case 'pending':
      return list('pending', { status: [...pending, ...running] });
    case 'all':
      return list('all', {});
    case 'mine':
      return list('mine', { user: reader.id });
    case 'running':
      return list('running', { status: running });
    case 'stats':
      return count(read);
    case 'help':
      return { kind: 'help' };
    default:
      return { kind: 'unknown', word };
  }
}
