// Loads graph and timeline data: steps, or groups if many.
import type { GroupBy, PlanGroups } from '#domain/plan/groups.ts';
import type { StepPage } from '#domain/plan/views.ts';
import type { Forecast } from '#domain/planning/forecast.ts';
import type { OpenedGroup } from '../plan/rows.ts';
import { get } from './api.ts';
import type { PlanView } from './state.ts';
import { change, state } from './store.ts';

/** Larger plans are drawn in groups. */
export const maxDrawn = 30;
const pageSize = 50;

const path = (id: string, rest: string) => `/api/plans/${encodeURIComponent(id)}/${rest}`;

function readForecast(id: string, steps: { id: string }[]): Promise<Forecast> {
  const ids = steps.map((step) => encodeURIComponent(step.id)).join(',');
  return get<Forecast>(path(id, `forecast${ids === '' ? '' : `?ids=${ids}`}`));
}

/** Selects a group's steps on the server. */
function filterOf({ by, key }: Pick<OpenedGroup, 'by' | 'key'>): Record<string, string> {
  if (by === 'partition') return key === '' ? { unpartitioned: 'true' } : { partition: key };
  return by === 'operation' ? { operation: key } : { stage: key };
}

function readSteps(
  id: string,
  group: Pick<OpenedGroup, 'by' | 'key'>,
  limit: number,
  cursor?: string,
): Promise<StepPage> {
  const query = new URLSearchParams({ ...filterOf(group), limit: String(limit) });
  if (cursor !== undefined) query.set('cursor', cursor);
  return get<StepPage>(path(id, `steps?${query}`));
}

async function readTimes(view: PlanView, steps: { id: string }[]): Promise<Forecast['steps']> {
  if (view.tab !== 'timeline' || steps.length === 0) return [];
  return (await readForecast(view.id, steps)).steps;
}

async function reloadOpened(view: PlanView): Promise<OpenedGroup | null> {
  const { opened } = view;
  if (opened === null) return null;
  const limit = Math.min(500, Math.max(pageSize, opened.steps.length));
  const page = await readSteps(view.id, opened, limit);
  return { ...opened, ...page, times: await readTimes(view, page.steps) };
}

export async function loadDrawing(view: PlanView, total: number): Promise<Partial<PlanView>> {
  if (total <= maxDrawn) {
    const drawn = await get<StepPage>(path(view.id, `steps?limit=${maxDrawn}`));
    return { drawn, forecast: await readForecast(view.id, drawn.steps) };
  }
  const by = view.groupBy === null ? '' : `&by=${view.groupBy}`;
  const [groups, forecast, opened] = await Promise.all([
    get<PlanGroups>(path(view.id, `groups?times=${view.tab === 'timeline'}${by}`)),
    readForecast(view.id, []),
    reloadOpened(view),
  ]);
  const isSame = isShown(view.id, opened);
  return { groups, forecast, ...(isSame ? { opened } : {}) };
}

/** Still open and not paged on. */
function isShown(id: string, opened: OpenedGroup | null): boolean {
  const now = state.plan?.id === id ? state.plan.opened : null;
  if (now === null || opened === null) return now === opened;
  return now.key === opened.key && now.by === opened.by && now.steps.length <= opened.steps.length;
}

function assign(id: string, part: Partial<PlanView>): void {
  change((s) => {
    if (s.plan?.id === id) s.plan = { ...s.plan, ...part };
  });
}

export async function toggleGroup(key: string): Promise<void> {
  const view = state.plan;
  if (view?.groups == null) return;
  const { by } = view.groups;
  if (view.opened?.key === key && view.opened.by === by) {
    return assign(view.id, { opened: null, selected: null });
  }
  const empty: OpenedGroup = { by, key, steps: [], next_cursor: null, times: [] };
  assign(view.id, { opened: empty, selected: null });
  const page = await readSteps(view.id, empty, pageSize);
  const times = await readTimes(view, page.steps);
  if (isShown(view.id, empty)) assign(view.id, { opened: { ...empty, ...page, times } });
}

export async function loadMoreOfGroup(): Promise<void> {
  const view = state.plan;
  const opened = view?.opened;
  if (view == null || opened?.next_cursor == null) return;
  const page = await readSteps(view.id, opened, pageSize, opened.next_cursor);
  const times = await readTimes(view, page.steps);
  const now = state.plan?.id === view.id ? state.plan.opened : null;
  // Reloaded meanwhile: the page may not follow.
  if (now?.next_cursor !== opened.next_cursor || now.key !== opened.key) return;
  assign(view.id, {
    opened: {
      ...now,
      next_cursor: page.next_cursor,
      steps: [...now.steps, ...page.steps],
      times: [...now.times, ...times],
    },
  });
}

export async function groupBy(by: GroupBy): Promise<void> {
  const view = state.plan;
  if (view === null) return;
  assign(view.id, { groupBy: by, opened: null, selected: null });
  const times = view.tab === 'timeline';
  const groups = await get<PlanGroups>(path(view.id, `groups?times=${times}&by=${by}`));
  if (state.plan?.groupBy === by) assign(view.id, { groups });
}
