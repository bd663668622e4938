// Card and page queries on a half-done large plan.
import { drawHalf } from '../graphs.ts';
import { getJson } from '../http.ts';
import { quantile } from '../numbers.ts';
import { type BenchRow, makeRow } from '../row.ts';
import { asker, beginPlan } from '../run-plan.ts';
import { type Bench, until } from '../stage.ts';

const usualSteps = 100_000;
const requests = 300;
const warmUp = 30;
const pageSize = 100;

type View = {
  name: string;
  what: string;
  target: { reach: number; stretch: number };
  /** Each for another part; the cursor is for the next. */
  read(n: number, cursor: string | null): Promise<{ next_cursor?: string | null }>;
};

const forOverview = { reach: 10, stretch: 3 };
const forPages = { reach: 15, stretch: 5 };

async function measureView(view: View, signal: AbortSignal): Promise<BenchRow> {
  const times: number[] = [];
  let cursor: string | null = null;
  for (let n = -warmUp; n < requests; n++) {
    signal.throwIfAborted();
    const began = performance.now();
    const answer = await view.read(n + warmUp, cursor);
    if (n >= 0) times.push(performance.now() - began);
    cursor = answer.next_cursor ?? null;
  }
  return makeRow({
    name: `views/${view.name}`,
    what: `${view.what}, p99 of ${requests}`,
    unit: 'ms',
    value: quantile(times, 0.99),
    p50: quantile(times, 0.5),
    target: view.target,
  });
}

export const measureViews: Bench = async (stage) => {
  const steps = stage.steps ?? usualSteps;
  const { service } = await stage.openInstance({ work: false });
  const gateway = await stage.start('gateway');
  const worker = await stage.start('worker');
  stage.say(`half of ${steps} steps are run first`);
  const { id } = await beginPlan(service, drawHalf(steps));
  const { revision } = await until(stage.signal, async () => {
    const now = await service.overview(id);
    return now.counts.waiting === 1 && now.counts.ready + now.counts.running === 0 ? now : null;
  });
  await worker.stop();

  const api = `${gateway.url}/api/plans/${id}`;
  /** Changes with 100 after them. */
  const since = (n: number) =>
    Math.floor((Math.max(0, revision - pageSize) * n) / (requests + warmUp));
  const read = async (path: string) =>
    (await getJson(api + path)) as { next_cursor?: string | null };
  const overview = { what: `overview of ${steps} steps`, target: forOverview };
  const diff = { what: `diff of ${pageSize} changes`, target: forPages };
  const page = { what: `page of ${pageSize} steps`, target: forPages };
  const filtered = { what: `page of ${pageSize} steps that have not begun`, target: forPages };
  const views: View[] = [
    {
      ...overview,
      name: 'overview/service',
      read: async () => {
        await service.overview(id);
        return {};
      },
    },
    { ...overview, name: 'overview/http', read: () => read('/overview') },
    {
      ...diff,
      name: 'diff/service',
      read: async (n) => {
        await service.diff(id, since(n), pageSize);
        return {};
      },
    },
    {
      ...diff,
      name: 'diff/http',
      read: (n) => read(`/diff?since=${since(n)}&limit=${pageSize}`),
    },
    {
      ...page,
      name: 'page/service',
      read: (_, cursor) =>
        service.listSteps(id, { limit: pageSize, ...(cursor === null ? {} : { cursor }) }),
    },
    {
      ...page,
      name: 'page/http',
      read: (_, cursor) =>
        read(`/steps?limit=${pageSize}${cursor === null ? '' : `&cursor=${cursor}`}`),
    },
    {
      ...filtered,
      name: 'status/service',
      read: (_, cursor) =>
        service.listSteps(id, {
          limit: pageSize,
          status: ['pending'],
          ...(cursor === null ? {} : { cursor }),
        }),
    },
    {
      ...filtered,
      name: 'status/http',
      read: (_, cursor) =>
        read(
          `/steps?status=pending&limit=${pageSize}${cursor === null ? '' : `&cursor=${cursor}`}`,
        ),
    },
  ];
  const rows: BenchRow[] = [];
  for (const view of views) {
    stage.say(`${view.name}, ${requests} requests`);
    rows.push(await measureView(view, stage.signal));
  }
  await service.cancel(id, { version: 1 }, asker);
  return rows;
};
