// The plans that wait for a decision, newest first: as many as the reader has asked for, read again while they look.
import { describeError, get } from './api.ts';
import { findAdded, type Page, readPages } from './pending-pages.ts';
import { change, state } from './store.ts';
import { coalesce } from './throttle.ts';

const pageSize = 50;

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

/**
 * Reads as many as the list had, so that a refresh takes nothing from under the reader. However many events ask for it, one
 * reading is under way and one comes after it: none is older than what it takes the place of.
 */
export const loadPending = coalesce(async () => {
  if (!state.drawer) wanted = 0;
  const { plans, next_cursor } = await readPages(readPage, wanted);
  change((s) => {
    s.pending = plans;
    s.pendingNext = next_cursor;
    s.pendingProblem = null;
  });
});

/** One page more. @returns the first plan that was not there before; null: there is none, or it could not be read */
export async function loadOlderPending(): Promise<string | null> {
  const before = state.pending;
  wanted = before.length + 1;
  try {
    await loadPending();
    return findAdded(before, state.pending);
  } catch (error) {
    change((s) => {
      s.pendingProblem = describeError(error);
    });
    return null;
  }
}
