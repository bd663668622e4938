// Searches the plan's steps: first matches, then counts.
import type { StepMatches, StepPage } from '#domain/plan/views.ts';
import { describeError, request } from './api.ts';
import { loadPreviews, showStepsWith } from './plans.ts';
import type { PlanView } from './state.ts';
import { change, state } from './store.ts';

const pageSize = 50;
/** After the last key. */
const restMs = 200;

let asking = new AbortController();
let waiting: ReturnType<typeof setTimeout> | undefined;

function assign(id: string, part: Partial<PlanView>): void {
  change((s) => {
    if (s.plan?.id === id) s.plan = { ...s.plan, ...part };
  });
}

export function typeWords(words: string): void {
  clearTimeout(waiting);
  asking.abort();
  const view = state.plan;
  if (view === null) return;
  // Kept now, so that a redraw keeps typed text.
  assign(view.id, { search: { words, found: null } });
  waiting = setTimeout(() => void searchSteps(words), restMs);
}

/** Empty lists all. */
export async function searchSteps(words: string, partition: string | null = null): Promise<void> {
  clearTimeout(waiting);
  asking.abort();
  const view = state.plan;
  if (view?.list == null) return;
  const wanted = words.trim();
  if (wanted === '') {
    assign(view.id, { search: null });
    return showStepsWith({ partition });
  }
  const mine = new AbortController();
  asking = mine;
  const before = view.search?.words.trim() === wanted ? view.search.found : null;
  assign(view.id, { search: { words, found: before } });
  try {
    const read = async <T>(path: string) =>
      (await request('GET', path, { signal: mine.signal })).json() as Promise<T>;
    const plan = `/api/plans/${encodeURIComponent(view.id)}`;
    const query = new URLSearchParams({ words: wanted });
    const counted =
      before === null ? read<StepMatches>(`${plan}/matches?${query}`) : Promise.resolve(before);
    // Reported below unless superseded.
    counted.catch(() => undefined);
    query.set('limit', String(pageSize));
    if (partition !== null) query.set('partition', partition);
    const page = await read<StepPage>(`${plan}/steps?${query}`);
    if (mine !== asking || state.plan?.id !== view.id || state.plan.list === null) return;
    const { reviewed } = state.plan.list;
    const previews = await loadPreviews(view.id, reviewed, page.steps);
    if (mine !== asking || state.plan?.id !== view.id) return;
    const list = {
      status: null,
      partition,
      words: wanted,
      reviewed,
      ...page,
      previews,
      open: new Set<string>(),
    };
    assign(view.id, { list });
    const found = await counted;
    if (mine === asking) assign(view.id, { search: { words, found } });
  } catch (error) {
    if (mine !== asking || mine.signal.aborted) return;
    assign(view.id, { search: null, problem: describeError(error) });
  }
}
