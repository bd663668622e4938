// Registers back ends, and wakes plans that lose their last one.
import { isDeepStrictEqual } from 'node:util';
import {
  type NewBackend,
  type Offer,
  readBackends,
  readShared,
  removeBackends,
  renewBackend,
  renewEverySeconds,
  storeBackend,
  sweepBackends,
} from '#db/backends.ts';
import { lockPlan } from '#db/plans/plans.ts';
import { findDeserted } from '#db/sql/lanes.ts';
import { touchPlan } from '#db/steps/events.ts';
import { readLabels } from '#db/steps/pages.ts';
import { describeBlockage } from '#domain/plan/blockage.ts';
import type { Settings } from '#domain/settings.ts';
import type { OperationSpec, ToolRegistry } from '#domain/tool.ts';
import { wakeWatchersLater } from '#plans/lifecycle/lifecycle.ts';
import { findBlocked } from '#plans/views/blocked.ts';
import type { Backend, SharedContext } from './executor-context.ts';
import { findDifferences } from './shared-settings.ts';

const lookEveryMs = 1000;
/** Others are reported on their cards. */
const maxNotifiedPlans = 200;

export type Registration = {
  quietMs(): number;
  withdraw(): Promise<void>;
};

async function tellDeserted(context: SharedContext, gone: Offer[]): Promise<void> {
  if (gone.length === 0) return;
  const { db, enqueue } = context;
  const left = await readBackends(db.query);
  for (const planId of await findDeserted(db.query, gone, left, maxNotifiedPlans)) {
    await db.transaction(async (tx) => {
      const plan = await lockPlan(tx, planId);
      const [first] = await findBlocked(tx, { ...plan, paused: plan.paused_at !== null });
      if (first === undefined) return;
      await touchPlan(
        tx,
        planId,
        'blocked',
        describeBlockage(first, await readLabels(tx, planId, first.step_ids)),
      );
      await wakeWatchersLater(tx, enqueue, planId);
    });
  }
}

/** Safe to run concurrently. */
export async function missDeadBackends(context: SharedContext): Promise<void> {
  const dead = await sweepBackends(context.db.query);
  for (const { id } of dead) context.warn(`The back end ${id} stopped responding.`);
  await tellDeserted(context, dead);
}

/** @param program null for a short-lived process, not compared with others @param onMore a new operation is offered */
export async function registerBackends(
  context: SharedContext,
  members: { id: string; backend: Backend }[],
  program: { version: string; workspace: string | null },
  onMore: () => Promise<void>,
): Promise<Registration> {
  const { db, warn } = context;
  const written = new Map<string, NewBackend>();
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> = Promise.resolve();
  let stopped = false;
  let renewed = performance.now();
  let reportedAt = performance.now();

  function describe({ id, backend }: (typeof members)[number]): NewBackend {
    const { name, capabilities, concurrency } = backend;
    const manifest = backend.manifest();
    const operations = manifest.map((operation) => operation.name);
    const { shared } = context;
    return { id, name, capabilities, operations, concurrency, manifest, shared, ...program };
  }

  async function store(row: NewBackend): Promise<void> {
    await storeBackend(db.query, row);
    written.set(row.id, row);
  }

  async function update(row: NewBackend): Promise<boolean> {
    const before = written.get(row.id);
    if (before === undefined) {
      await store(row);
      return true;
    }
    if (isDeepStrictEqual(before, row)) return false;
    await store(row);
    const lost = before.operations.filter((name) => !row.operations.includes(name));
    await tellDeserted(context, [{ ...before, operations: lost }]);
    return row.operations.some((name) => !before.operations.includes(name));
  }

  async function look(): Promise<void> {
    let more = false;
    for (const member of members) more = (await update(describe(member))) || more;
    if (performance.now() - renewed >= renewEverySeconds * 1000) {
      renewed = performance.now();
      for (const [id, row] of written) if (!(await renewBackend(db.query, id))) await store(row);
      reportedAt = performance.now();
    }
    if (more) await onMore();
  }

  function next(): void {
    timer = setTimeout(() => {
      round = look()
        .catch((error: unknown) =>
          warn("Could not register this worker's operations; retrying.", error),
        )
        .then(() => {
          if (!stopped) next();
        });
    }, lookEveryMs);
  }

  for (const difference of findDifferences(context.shared, await readShared(db.query)))
    warn(`${difference} This worker started last, so its own hold now.`);
  for (const member of members) await store(describe(member));
  next();
  return {
    quietMs: () => performance.now() - reportedAt,
    async withdraw() {
      stopped = true;
      clearTimeout(timer);
      await round;
      await removeBackends(db.query, [...written.keys()]);
      await tellDeserted(context, [...written.values()]);
    },
  };
}

/** Operations of tools that answer: those of a server that is down are only listed. */
function runnable(registry: Pick<ToolRegistry, 'list' | 'status'>): OperationSpec[] {
  const down = new Set(
    registry
      .status()
      .filter(({ ok }) => !ok)
      .map(({ tool }) => tool),
  );
  return registry.list().filter(({ tool }) => !down.has(tool));
}

/** The configured ones, otherwise one that runs everything. */
export function backendsOf(
  { backends, executor }: Pick<Settings, 'backends' | 'executor'>,
  registry: Pick<ToolRegistry, 'list' | 'status'>,
): Backend[] {
  const named = Object.entries(backends);
  const wanted: typeof named = named.length > 0 ? named : [['default', { capabilities: [] }]];
  return wanted.map(([name, { capabilities, concurrency, operations }]) => {
    const manifest = () =>
      runnable(registry).filter((operation) => operations?.includes(operation.name) ?? true);
    return {
      name,
      capabilities,
      concurrency: concurrency ?? executor.concurrency,
      mostConcurrency: concurrency ?? 2 * executor.concurrency,
      operations: () => manifest().map((operation) => operation.name),
      manifest,
    };
  });
}

export function offersOf({ operations }: Pick<Backend, 'operations'>): string {
  return operations().join(' ');
}
