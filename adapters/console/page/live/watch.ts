// Keeps the page fresh: events only trigger reloads.
import type { EventSourceMessage } from 'eventsource-parser';
import type { InboxChange } from '#domain/plan/inbox.ts';
import type { Plan } from '#domain/plan/plan.ts';
import { get, getInBackground } from './api.ts';
import { listShown, refreshInbox, restoreInbox } from './inbox.ts';
import { listMoving } from './moving.ts';
import { loadCard, refreshPlan } from './plans.ts';
import { state } from './store.ts';
import { follow, type StreamState } from './stream.ts';
import { createThrottle } from './throttle.ts';

const redrawInterval = 1000;
/** Interval for progress alone. */
const progressInterval = 5000;
/** Catches changes without an event. */
const lookInterval = 60_000;
/** Conversations change without a plan. */
const conversationsInterval = 5000;

let ending = new AbortController();

const refresh = createThrottle(() => refreshPlan(getInBackground), redrawInterval);

export function watchPlan(id: string | null): void {
  ending.abort();
  ending = new AbortController();
  if (id === null) return;
  void followPlan(id, ending.signal);
}

/** Starts at the current state; history comes with the plan. */
async function followPlan(id: string, signal: AbortSignal): Promise<void> {
  const path = `/api/plans/${encodeURIComponent(id)}`;
  const { revision } = await get<Plan>(path).catch(() => ({ revision: 0 }));
  const handlers = {
    onEvent: () => refresh.request(),
    onState: (connection: StreamState) => {
      if (connection === 'live') refresh.request();
    },
  };
  if (!signal.aborted) await follow(`${path}/events`, String(revision), handlers, signal);
}

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
function refreshPlans({ plans }: InboxChange): void {
  if (plans === null) {
    catchUp();
    return;
  }
  const moved = new Set(plans.flatMap(({ id, moved }) => (moved ? [id] : [])));
  if (moved.size > 0) {
    refreshInbox();
    refreshOtherCards((id) => moved.has(id));
  }
  const shown = new Set([...listMoving(state), ...listShown(state.inbox).map(({ id }) => id)]);
  for (const { id } of plans) if (!moved.has(id) && shown.has(id)) movedOn.add(id);
  if (movedOn.size > 0) followProgress.request();
}

function followInbox(): void {
  const handlers = {
    onEvent: ({ event, data }: EventSourceMessage) => {
      if (event === 'plans') refreshPlans(JSON.parse(data));
    },
    onState: (connection: StreamState) => {
      if (connection === 'live') refreshInbox();
    },
  };
  const forever = new AbortController().signal;
  // Ends when refused, until the token is entered.
  void follow('/api/inbox/events', null, handlers, forever).then(() =>
    setTimeout(followInbox, progressInterval),
  );
}

/** After the page was hidden or the server away. */
export function catchUp(): void {
  refresh.request();
  refreshInbox();
  refreshOtherCards();
}

export function startWatching(): void {
  followInbox();
  setInterval(catchUp, lookInterval);
  setInterval(() => {
    if (state.inbox.view === 'conversations') refreshInbox();
  }, conversationsInterval);
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) catchUp();
  });
  restoreInbox();
  refreshInbox();
}
