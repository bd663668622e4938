// The plans that wait for a decision, newest first: as many as the reader has asked for, read again while they look.
import type { PlanSummary } from '#contracts/service.ts';
import { describeError, get } from './api.ts';
import { change, state } from './store.ts';

const pageSize = 50;

type Page = { plans: PlanSummary[]; next_cursor: string | null };

function readPage(cursor: string | null): Promise<Page> {
  const query = new URLSearchParams({
    status: 'proposed,needs_review',
    limit: String(pageSize),
    ...(cursor === null ? {} : { cursor }),
  });
  return get<Page>(`/api/plans?${query}`);
}

/** How many the reader has asked for, while the list is open. */
let wanted = 0;
/** Readings one after the other, so that an older one never takes the place of a newer one. */
let last: Promise<void> = Promise.resolve();

/** As many as the list had, so that a refresh takes nothing from under the reader. */
async function read(): Promise<void> {
  if (!state.drawer) wanted = 0;
  let page = await readPage(null);
  const plans = page.plans;
  while (page.next_cursor !== null && plans.length < wanted) {
    page = await readPage(page.next_cursor);
    plans.push(...page.plans);
  }
  change((s) => {
    s.pending = plans;
    s.pendingNext = page.next_cursor;
    s.pendingProblem = null;
  });
}

export function loadPending(): Promise<void> {
  const reading = last.then(read);
  last = reading.catch(() => undefined);
  return reading;
}

/** One page more. @returns the first plan that was not there before; null: there is none, or it could not be read */
export async function loadOlderPending(): Promise<string | null> {
  const { length } = state.pending;
  wanted = length + 1;
  try {
    await loadPending();
    return state.pending[length]?.id ?? null;
  } catch (error) {
    change((s) => {
      s.pendingProblem = describeError(error);
    });
    return null;
  }
}
