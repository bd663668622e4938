// Keeps the page fresh: events only trigger reloads.
import type { InboxChange } from '#domain/plan/inbox.ts';
import { getInBackground } from './api.ts';
import { listShown, refreshInbox, restoreInbox } from './inbox.ts';
import { listMoving } from './moving.ts';
import { loadCard, refreshPlan } from './plans.ts';
import { state } from './store.ts';
import { createThrottle } from './throttle.ts';

const redrawInterval = 1000;
/** Interval for progress alone. */
const progressInterval = 5000;
/** Catches changes without an event. */
const lookInterval = 60_000;
/** Conversations change without a plan. */
const conversationsInterval = 5000;

const refresh = createThrottle(() => refreshPlan(getInBackground), redrawInterval);

function refreshOtherCards(among: (id: string) => boolean = () => true): void {
  if (document.hidden) return;
  for (const id of listMoving(state).filter(among))
    void loadCard(id, getInBackground).catch(() => undefined);
}

/** Shown plans that moved since the last load. */
const movedOn = new Set<string>();

const followProgress = createThrottle(async () => {
  const moved = new Set(movedOn);
  movedOn.clear();
  refreshOtherCards((id) => moved.has(id));
  if (listShown(state.inbox).some(({ id }) => moved.has(id))) refreshInbox();
}, progressInterval);

/** At once if a plan moved, later if only steps did, and never if off screen. */
export function refreshPlans({ plans }: InboxChange): void {
  if (plans === null) {
    catchUp();
    return;
  }
  if (plans.some(({ id }) => id === state.plan?.id)) refresh.request();
  const moved = new Set(plans.flatMap(({ id, moved }) => (moved ? [id] : [])));
  if (moved.size > 0) {
    refreshInbox();
    refreshOtherCards((id) => moved.has(id));
  }
  const shown = new Set([...listMoving(state), ...listShown(state.inbox).map(({ id }) => id)]);
  for (const { id } of plans) if (!moved.has(id) && shown.has(id)) movedOn.add(id);
  if (movedOn.size > 0) followProgress.request();
}

/** Once the stream is open: at first, and after the page was hidden or the server away. */
export function catchUp(): void {
  refresh.request();
  refreshInbox();
  refreshOtherCards();
}

export function startWatching(): void {
  setInterval(catchUp, lookInterval);
  setInterval(() => {
    if (state.inbox.view === 'conversations') refreshInbox();
  }, conversationsInterval);
  restoreInbox();
  refreshInbox();
}
