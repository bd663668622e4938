// Reads plans for conversation cards and the right-hand column.
import type { ArtifactPage } from '#domain/plan/artifact.ts';
import type { ShownStep } from '#domain/plan/call.ts';
import type { ReportTrace } from '#domain/plan/draftbook.ts';
import type { Finding } from '#domain/plan/finding.ts';
import type { StepPreview } from '#domain/plan/preview.ts';
import type {
  AuditEntry,
  Overview,
  PartitionPage,
  StepPage,
  VersionDiff,
} from '#domain/plan/views.ts';
import type { DataRequest } from '#domain/planning/data-request.ts';
import type { Simulation, StepFilter } from '#domain/service.ts';
import { zone } from '../plan/format.ts';
import { describeError, get, post } from './api.ts';
import { loadDrawing } from './drawings.ts';
import { reviewedDigest } from './part.ts';
import type { Card, PlanView, StepList } from './state.ts';
import { change, state } from './store.ts';

const pageSize = 50;

const path = (id: string, rest = '') => `/api/plans/${encodeURIComponent(id)}${rest}`;

/** Concurrent calls: the latest revision wins. */
export async function loadCard(id: string, read: typeof get = get): Promise<void> {
  const card = await read<Card>(path(id, `/card?timezone=${encodeURIComponent(zone())}`));
  const known = state.cards.get(id);
  if (known !== undefined && known.facts.plan.revision > card.facts.plan.revision) return;
  change((s) => s.cards.set(id, card));
}

function stepsPath(id: string, filter: Partial<StepFilter>): string {
  const query = new URLSearchParams({ limit: String(filter.limit ?? pageSize) });
  if (filter.order !== undefined) query.set('order', filter.order);
  if (filter.status !== undefined) query.set('status', filter.status.join(','));
  if (filter.partition !== undefined) query.set('partition', filter.partition);
  if (filter.words !== undefined) query.set('words', filter.words);
  if (filter.cursor !== undefined) query.set('cursor', filter.cursor);
  return path(id, `/steps?${query}`);
}

type Filtered = Pick<StepList, 'status' | 'partition' | 'words'>;

const unfiltered: Filtered = { status: null, partition: null, words: '' };

function filterOf({ status, partition, words, reviewed }: Filtered & Pick<StepList, 'reviewed'>) {
  if (partition !== null || words !== '')
    return {
      ...(partition === null ? {} : { partition }),
      ...(words === '' ? {} : { words }),
    };
  if (reviewed !== null) return { order: 'review' as const };
  return status === null ? {} : { status: [status] };
}

/** Reloads at its length. The digest is read before the steps, so later steps are never approved as these. */
async function reloadList({ id, list }: PlanView, read: typeof get): Promise<StepList> {
  const { steps = [], open = new Set<string>() } = list ?? {};
  const { status, partition, words } = list ?? unfiltered;
  const reviewed = reviewedDigest(state.cards.get(id));
  const limit = Math.min(500, Math.max(pageSize, steps.length));
  const page = await read<StepPage>(
    stepsPath(id, { limit, ...filterOf({ status, partition, words, reviewed }) }),
  );
  const [details, previews] = await Promise.all([
    open.size === 0 ? [] : loadDetails(id, [...open]),
    loadPreviews(id, reviewed, page.steps),
  ]);
  return {
    status,
    partition,
    words,
    reviewed,
    ...page,
    steps: mergeDetails(page.steps, details),
    previews,
    open,
  };
}

const none: ReadonlyMap<string, StepPreview> = new Map();
const maxPreviews = 100;

/** Files of reviewed steps now; unreadable ones are left out. */
export async function loadPreviews(
  id: string,
  reviewed: string | null,
  steps: ShownStep[],
): Promise<ReadonlyMap<string, StepPreview>> {
  if (reviewed === null) return none;
  const known = new Map<string, StepPreview>();
  const wanted = steps
    .filter(({ seen, tool }) => seen !== null && tool === 'workspace')
    .map((step) => encodeURIComponent(step.id));
  for (let from = 0; from < wanted.length; from += maxPreviews) {
    const ids = wanted.slice(from, from + maxPreviews).join(',');
    const { previews } = await get<{ previews: StepPreview[] }>(
      path(id, `/previews?ids=${ids}`),
    ).catch(() => ({ previews: [] }));
    for (const one of previews) known.set(one.step_id, one);
  }
  return known;
}

function mergeDetails(steps: ShownStep[], details: ShownStep[]): ShownStep[] {
  const byId = new Map(details.map((step) => [step.id, step]));
  return steps.map((step) => byId.get(step.id) ?? step);
}

async function loadDetails(id: string, steps: string[]): Promise<ShownStep[]> {
  const ids = steps.map(encodeURIComponent).join(',');
  return (await get<{ steps: ShownStep[] }>(path(id, `/steps?ids=${ids}`))).steps;
}

/** Reuses those of the same version. */
async function firstPartitions({ id, partitions }: PlanView): Promise<PlanView['partitions']> {
  const plan = state.cards.get(id)?.facts.plan;
  if (plan === undefined || plan.total_steps <= pageSize) return null;
  if (partitions?.digest === plan.digest) return partitions;
  return { ...(await loadPartitions(id)), digest: plan.digest };
}

function loadPartitions(id: string, cursor?: string): Promise<PartitionPage> {
  const query = new URLSearchParams({
    limit: String(pageSize),
    ...(cursor === undefined ? {} : { cursor }),
  });
  return get<PartitionPage>(path(id, `/partitions?${query}`));
}

async function loadVersions(view: PlanView, version: number): Promise<PlanView['versions']> {
  if (version < 2) return null;
  const b = view.versions?.b ?? version;
  const a = view.versions?.a ?? b - 1;
  const diff = await get<VersionDiff>(path(view.id, `/versions/${a}..${b}`));
  return { a, b, diff };
}

async function loadFound(id: string, read: typeof get): Promise<Partial<PlanView>> {
  const [{ findings }, artifacts, { requests }] = await Promise.all([
    read<{ findings: Finding[] }>(path(id, '/findings?limit=50')),
    read<ArtifactPage>(path(id, '/artifacts?limit=50')),
    read<{ requests: DataRequest[] }>(path(id, '/requests')),
  ]);
  return { findings, artifacts, requests };
}

async function loadTab(view: PlanView, read: typeof get): Promise<Partial<PlanView>> {
  switch (view.tab) {
    case 'overview':
      return loadFound(view.id, read);
    case 'graph':
    case 'timeline':
      return loadDrawing(view, state.cards.get(view.id)?.facts.plan.total_steps ?? 0);
    case 'steps':
      return {
        list: await reloadList(view, read),
        partitions: await firstPartitions(view),
      };
    case 'changes':
      return {
        versions: await loadVersions(view, state.cards.get(view.id)?.facts.plan.version ?? 1),
      };
    case 'trace':
      return { trace: await read(path(view.id, '/trace')) };
    case 'audit':
      return {
        audit: (await read<{ entries: AuditEntry[] }>(path(view.id, '/audit?limit=200'))).entries,
      };
    default:
      return view.tab satisfies never;
  }
}

function assignView(id: string, part: Partial<PlanView>): void {
  change((s) => {
    if (s.plan?.id === id) s.plan = { ...s.plan, ...part };
  });
}

export async function refreshPlan(read: typeof get = get): Promise<void> {
  const view = state.plan;
  if (view === null) return;
  try {
    const overview = read<Overview>(path(view.id, '/overview'));
    await Promise.all([loadCard(view.id, read), overview]);
    assignView(view.id, { overview: await overview, problem: null });
    const part = await loadTab(view, read);
    if (state.plan?.tab === view.tab && !listMoved(view)) assignView(view.id, part);
  } catch (error) {
    assignView(view.id, { problem: describeError(error) });
  }
}

/** Moved by the reader; an older answer is dropped unless their version is gone. */
function listMoved(view: PlanView): boolean {
  const list = state.plan?.list;
  if (view.tab !== 'steps' || list === view.list) return false;
  return list == null || list.reviewed === reviewedDigest(state.cards.get(view.id));
}

export async function showStepsWith(filter: Partial<Filtered>): Promise<void> {
  const view = state.plan;
  if (view === null) return;
  // Reviews stay bound to their digest.
  const reviewed = view.list?.reviewed ?? null;
  const wanted = { ...unfiltered, ...filter };
  assignView(view.id, {
    list: { ...wanted, reviewed, steps: [], previews: none, next_cursor: null, open: new Set() },
  });
  await refreshPlan();
}

export async function loadMorePartitions(): Promise<void> {
  const view = state.plan;
  const cursor = view?.partitions?.next_cursor;
  if (view == null || cursor == null) return;
  const page = await loadPartitions(view.id, cursor);
  const known = state.plan?.id === view.id ? state.plan.partitions : null;
  if (known?.next_cursor !== cursor) return;
  const partitions = [...known.partitions, ...page.partitions];
  assignView(view.id, { partitions: { ...known, ...page, partitions } });
}

export async function loadMoreSteps(): Promise<void> {
  const view = state.plan;
  if (view?.list?.next_cursor == null) return;
  const { next_cursor: cursor, reviewed } = view.list;
  const page = await get<StepPage>(stepsPath(view.id, { cursor, ...filterOf(view.list) }));
  const added = await loadPreviews(view.id, reviewed, page.steps);
  const list = state.plan?.id === view.id ? state.plan.list : null;
  // Reloaded meanwhile.
  if (list?.next_cursor !== cursor || list.reviewed !== reviewed) return;
  const steps = [...list.steps, ...page.steps];
  const previews = new Map([...list.previews, ...added]);
  assignView(view.id, { list: { ...list, next_cursor: page.next_cursor, steps, previews } });
}

export async function toggleStep(stepId: string): Promise<void> {
  const view = state.plan;
  if (view?.list == null) return;
  const open = new Set(view.list.open);
  if (!open.delete(stepId)) open.add(stepId);
  assignView(view.id, { list: { ...view.list, open } });
  if (!open.has(stepId)) return;
  const details = await loadDetails(view.id, [stepId]);
  const list = state.plan?.list;
  if (list != null)
    assignView(view.id, { list: { ...list, steps: mergeDetails(list.steps, details) } });
}

export async function compareVersions(a: number, b: number): Promise<void> {
  const view = state.plan;
  if (view === null) return;
  const diff = await get<VersionDiff>(path(view.id, `/versions/${a}..${b}`));
  assignView(view.id, { versions: { a, b, diff } });
}

export function showSideBySide(side: boolean): void {
  if (state.plan !== null) assignView(state.plan.id, { side });
}

export async function loadMoreArtifacts(): Promise<void> {
  const view = state.plan;
  if (view?.artifacts.next_cursor == null) return;
  const cursor = encodeURIComponent(view.artifacts.next_cursor);
  const page = await get<ArtifactPage>(path(view.id, `/artifacts?limit=50&cursor=${cursor}`));
  const artifacts = [...view.artifacts.artifacts, ...page.artifacts];
  assignView(view.id, { artifacts: { ...page, artifacts } });
}

export async function runDry(id: string): Promise<void> {
  try {
    const simulation = await post<Simulation>(path(id, '/simulate'), {});
    assignView(id, { dryRun: { at: new Date().toISOString(), simulation } });
  } catch (error) {
    assignView(id, { problem: describeError(error) });
  }
}

export async function toggleReport(artifact: string): Promise<void> {
  const view = state.plan;
  if (view === null) return;
  if (view.report?.artifact === artifact) return assignView(view.id, { report: null });
  try {
    const trace = await get<ReportTrace>(
      path(view.id, `/artifacts/${encodeURIComponent(artifact)}`),
    );
    assignView(view.id, { report: { artifact, trace } });
  } catch (error) {
    assignView(view.id, { problem: describeError(error) });
  }
}
