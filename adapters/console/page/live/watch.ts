// Keeps what is on the screen fresh: the shown plan by its event stream, other unfinished cards by asking now and
// then. Events only say that something changed; what is shown is always read again from the server.
import type { Plan } from '#domain/plan/plan.ts';
import { get } from './api.ts';
import { refreshInbox, restoreInbox } from './inbox.ts';
import { listMoving } from './moving.ts';
import { loadCard, refreshPlan } from './plans.ts';
import { state } from './store.ts';
import { follow, type StreamState } from './stream.ts';
import { createThrottle } from './throttle.ts';

const redrawInterval = 1000;
const otherCardsInterval = 4000;
const inboxInterval = 5000;

let ending = new AbortController();

const refresh = createThrottle(async () => {
  refreshInbox();
  await refreshPlan();
}, redrawInterval);

/** Follows plan `id`, or nothing. */
export function watchPlan(id: string | null): void {
  ending.abort();
  ending = new AbortController();
  if (id === null) return;
  void followPlan(id, ending.signal);
}

/** The stream begins where the plan stands now: its past is read with the plan itself. */
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

function refreshOtherCards(): void {
  if (document.hidden) return;
  for (const id of listMoving(state)) void loadCard(id).catch(() => undefined);
}

/** Reads again what may have changed while nothing was heard: the page was hidden, or the server was away. */
export function catchUp(): void {
  refresh.request();
  refreshInbox();
  refreshOtherCards();
}

/** Starts the timers of the page. A hidden page asks nothing; it catches up when it is seen again. */
export function startWatching(): void {
  setInterval(refreshOtherCards, otherCardsInterval);
  setInterval(refreshInbox, inboxInterval);
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) catchUp();
  });
  restoreInbox();
  refreshInbox();
}
