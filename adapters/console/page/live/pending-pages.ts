// The list of what waits, page by page: how much of it is read, and what was added. Pure, so that it is tested without a browser.
import type { PlanSummary } from '#domain/plan/plan.ts';

export type Page = { plans: PlanSummary[]; next_cursor: string | null };

/** Whole pages, from the newest on, until they hold `wanted` plans or there are no more. */
export async function readPages(
  readPage: (cursor: string | null) => Promise<Page>,
  wanted: number,
): Promise<Page> {
  let { plans, next_cursor } = await readPage(null);
  while (next_cursor !== null && plans.length < wanted) {
    const page = await readPage(next_cursor);
    plans = [...plans, ...page.plans];
    next_cursor = page.next_cursor;
  }
  return { plans, next_cursor };
}

/** The first plan below all that stood in the list before: newer ones have come above them meanwhile. null: there is none. */
export function findAdded(before: PlanSummary[], now: PlanSummary[]): string | null {
  const known = new Set(before.map(({ id }) => id));
  const lowest = now.findLastIndex(({ id }) => known.has(id));
  return now[lowest + 1]?.id ?? null;
}
