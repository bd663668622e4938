// Keeps what is on the screen fresh: the shown plan by its event stream, lists and other cards by the stream of what changes.
// Events only say that something changed; what is shown is always read again from the server.
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
/** How soon lists follow what only moves on. */
const progressInterval = 5000;
/** For changes without an event. */
const lookInterval = 60_000;
/** Earlier conversations change without a plan. */
const conversationsInterval = 5000;

let ending = new AbortController();

const refresh = createThrottle(() => refreshPlan(getInBackground), redrawInterval);

/** Follows plan `id`, or nothing. */
export function watchPlan(id: string | null): void {
  ending.abort();
  ending = new AbortController();
  if (id === null) return;
  void followPlan(id, ending.signal);
}

/** The stream starts at the plan's current state; its history is read with the plan. */
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

/** Plans on the screen that moved on since lists were last read. */
const movedOn = new Set<string>();

const followProgress = createThrottle(async () => {
  const moved = new Set(movedOn);
  movedOn.clear();
  refreshOtherCards((id) => moved.has(id));
  if (listShown(state.inbox).some(({ id }) => moved.has(id))) refreshInbox();
}, progressInterval);

/** Lists are read at once where a plan moved, in a while where only its steps did, and not where it is not on the screen. */
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

/** Follows what changes among all plans, for as long as the page is open. */
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
  // It ends where the page is refused: until it has its token.
  void follow('/api/inbox/events', null, handlers, forever).then(() =>
    setTimeout(followInbox, progressInterval),
  );
}

/** Reads again what may have changed while nothing was heard: the page was hidden, or the server was away. */
export function catchUp(): void {
  refresh.request();
  refreshInbox();
  refreshOtherCards();
}

/** Starts the timers of the page. A hidden page asks nothing; it catches up when it is seen again. */
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
