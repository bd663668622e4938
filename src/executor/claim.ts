// Claims ready steps in a turn's transaction, and marks calls in batches.
import type { Transaction } from '#db/database.ts';
import type { PlanRow } from '#db/plans/plans.ts';
import {
  type ClaimedStep,
  type ClaimTerms,
  claimBestSteps,
  claimStepsAt,
  readCandidates,
  readNextAvailable,
} from '#db/sql/claim.ts';
import { hasOthersReady } from '#db/sql/lanes.ts';
import { type Lease, markCalling } from '#db/sql/leases.ts';
import { lockPools, readWaits, reserve, storeWaits } from '#db/sql/resources.ts';
import { freeByStart, type Outcome, type StartTerms } from '#db/sql/settle.ts';
import { type Lane, readLanes } from '#db/steps/steps.ts';
import { retryUntilDatabaseAnswers } from '#db/transient.ts';
import { system } from '#domain/people/actor.ts';
import { operationName } from '#domain/tool.ts';
import { skipMissed } from '#plans/change/skip-missed.ts';
import { serves } from '#plans/content/serve-lanes.ts';
import { finishIfDone } from '#plans/lifecycle/ended-steps.ts';
import { transition, wakeWatchers } from '#plans/lifecycle/lifecycle.ts';
import { decideCall } from '#tools/guard.ts';
import { offersOf } from './backends.ts';
import { chooseSteps } from './choose-steps.ts';
import type { ExecutorContext, Mark, Permit } from './executor-context.ts';
import { keyOfLease, startStopwatch } from './leases.ts';

/** Per lane: others may fit behind one that waits for a pool. */
const candidateLimit = 64;
/** Smaller steps may overtake one that doesn't fit for this long. */
const maxWaitMs = 1000;

export type LaneCache = {
  version: number;
  /** As offered when the lanes were read. */
  offers: string;
  lanes: Map<number, Lane>;
  terms: ClaimTerms;
};

export type Claim = {
  steps: ClaimedStep[];
  more: boolean;
  /** Some claimable steps can't run on this back end. */
  others: boolean;
  nextInMs: number | null;
};

export const nothingClaimed: Claim = { steps: [], more: false, others: false, nextInMs: null };

export async function openLaneCache(
  context: ExecutorContext,
  tx: Transaction,
  plan: PlanRow,
): Promise<LaneCache> {
  const { backend, worker, settings, guardedTools, guardMode } = context;
  const offer = { operations: backend.operations(), capabilities: backend.capabilities };
  const served = (await readLanes(tx, plan.id)).filter((lane) => serves(offer, lane));
  const calls: ClaimTerms['calls'] = {};
  for (const { lane, tool, operation } of served) {
    const name = operationName(tool, operation);
    const decision = decideCall({
      operation: name,
      scope: plan.tools_required,
      guarded: guardedTools,
      approvedBy: plan.decided_by,
      mode: guardMode,
    });
    // Refused lanes are claimed individually, and each call is refused by name.
    if (decision.kind === 'allow') {
      calls[lane] = { operation: name, reason: decision.reason };
    }
  }
  return {
    version: plan.version,
    offers: offersOf(backend),
    lanes: new Map(served.map((lane) => [lane.lane, lane])),
    terms: { worker, leaseSeconds: settings.lease_seconds, version: plan.version, calls },
  };
}

async function claimWithin(
  tx: Transaction,
  plan: PlanRow,
  { lanes, terms }: LaneCache,
  limit: number,
): Promise<ClaimedStep[]> {
  const keys = [...lanes.keys()];
  const ready = await readCandidates(
    tx,
    plan.id,
    keys,
    plan.pools,
    Math.max(limit, candidateLimit),
  );
  if (ready.length === 0) return [];
  const pools = await lockPools(tx, plan.pools);
  const candidates = ready.map(({ position, resources }) => ({
    position,
    // Pools not configured at proposal don't limit it.
    needs: Object.fromEntries(
      Object.entries(resources).filter(([name]) => plan.pools.includes(name)),
    ),
  }));
  const waits = await readWaits(tx, plan.pools);
  const { chosen, blocked } = chooseSteps(candidates, pools, waits, plan.id, limit, maxWaitMs);
  const own = new Set(
    waits.filter(({ plan_id }) => plan_id === plan.id).map(({ position }) => position),
  );
  const waited = chosen.map(({ position }) => position).filter((position) => own.has(position));
  await storeWaits(tx, plan.id, blocked, waited);
  if (chosen.length === 0) return [];
  await reserve(
    tx,
    plan.id,
    chosen.flatMap(({ position, needs }) =>
      Object.entries(needs).map(([pool, amount]) => ({ position, pool, amount })),
    ),
  );
  const positions = chosen.map(({ position }) => position);
  return claimStepsAt(tx, plan.id, positions, terms);
}

async function bookNext(
  context: ExecutorContext,
  tx: Transaction,
  planId: string,
): Promise<number | null> {
  const next = await readNextAvailable(tx, planId);
  if (next === null) return null;
  // For the truncated fraction, so that the wakeup is never early.
  const startAfter = new Date(new Date(next.at).getTime() + 1);
  const key = `${planId}@${next.at}`;
  await context.enqueue(tx, 'step', { plan_id: planId }, { key, startAfter });
  return Math.max(1, next.in_ms);
}

async function refuseChanged(
  { enqueue, clock }: ExecutorContext,
  tx: Transaction,
  plan: PlanRow,
): Promise<void> {
  const reason = 'The stored plan differs from the approved one: its digest has changed.';
  const by = { actor: system, reason };
  const ended = { execution_ended_at: clock.now(), result_summary: reason };
  await transition(tx, enqueue, plan, 'fail', by, ended);
}

function mayClaim(plan: PlanRow): boolean {
  return plan.status === 'executing' && plan.paused_at === null;
}

export const hasReady = (plan: PlanRow, ready = plan.ready): boolean => mayClaim(plan) && ready > 0;

/** Freed steps start at once if nothing else is ready and nothing failed; null: claim them. Requires the plan's lock. */
export function decideStart(
  plan: PlanRow,
  cache: LaneCache,
  outcomes: Outcome[],
  room: number,
): StartTerms | null {
  const isPlain =
    mayClaim(plan) &&
    plan.digest === plan.approved_digest &&
    plan.ready === 0 &&
    plan.pools.length === 0 &&
    !plan.has_start_edges &&
    plan.open_until === null;
  if (
    !isPlain ||
    room === 0 ||
    !outcomes.every(({ status, findings }) => status === 'succeeded' && findings === undefined)
  )
    return null;
  return { lanes: [...cache.lanes.keys()], room, terms: cache.terms };
}

/** None unless the plan is executing. Requires the plan's lock. @param ready the plan's ready steps */
export async function claimReady(
  context: ExecutorContext,
  tx: Transaction,
  plan: PlanRow,
  cache: LaneCache,
  ready: number,
  limit: number,
): Promise<Claim> {
  if (!hasReady(plan, ready)) return nothingClaimed;
  if (plan.digest !== plan.approved_digest) {
    await refuseChanged(context, tx, plan);
    return nothingClaimed;
  }
  if (plan.open_until !== null) {
    const skipped = await skipMissed(context, tx, plan.id);
    if (skipped !== null) {
      await wakeWatchers(tx, context.enqueue, plan.id);
      if (await finishIfDone(context, tx, plan, skipped)) return nothingClaimed;
    }
  }
  const lanes = [...cache.lanes.keys()];
  const steps =
    lanes.length === 0
      ? []
      : plan.pools.length === 0
        ? await claimBestSteps(tx, plan.id, lanes, limit, cache.terms)
        : await claimWithin(tx, plan, cache, limit);
  const started = steps.filter(({ attempt }) => attempt === 1).map(({ position }) => position);
  const freed =
    plan.has_start_edges && started.length > 0 ? await freeByStart(tx, plan.id, started) : null;
  const full = steps.length === limit;
  const rest = !full && ready > steps.length;
  if (!rest && freed === null) return { steps, more: full, others: false, nextInMs: null };
  return {
    steps,
    more: full || freed !== null,
    others: await hasOthersReady(tx, plan.id, lanes),
    nextInMs: await bookNext(context, tx, plan.id),
  };
}

/** A lease's share that may pass before the call. */
const usableShare = 2 / 3;

/** Marks of one turn of the event loop, or during another statement, share a statement. */
export function createMarker({
  db,
  worker,
  warn,
  clock,
  settings,
  leases: held,
}: Pick<ExecutorContext, 'db' | 'worker' | 'warn' | 'clock' | 'settings' | 'leases'>): Mark {
  type Waiting = {
    lease: Lease;
    resolve: (permit: Permit | null) => void;
    reject: (error: unknown) => void;
  };
  const usableMs = settings.lease_seconds * 1000 * usableShare;
  let waiting: Waiting[] = [];
  let flushing = false;

  /** A lease lasts at least from the request of its renewal. */
  async function ask(leases: Lease[]): Promise<(lease: Lease) => Permit | null> {
    const passedMs = startStopwatch(clock);
    const marked = await markCalling(db.query, worker, leases, settings.lease_seconds);
    const keys = new Set(marked.map(keyOfLease));
    return (lease) =>
      keys.has(keyOfLease(lease))
        ? { isFresh: () => Math.min(passedMs(), held.sinceRenewedMs(lease)) < usableMs }
        : null;
  }

  async function flush(): Promise<void> {
    flushing = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      const leases = batch.map(({ lease }) => lease);
      try {
        const permitOf = await retryUntilDatabaseAnswers(
          () => ask(leases),
          (error) => warn('Could not mark calls as started; retrying.', error),
        );
        for (const { lease, resolve } of batch) resolve(permitOf(lease));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    flushing = false;
  }

  return (lease) =>
    new Promise((resolve, reject) => {
      waiting.push({ lease, resolve, reject });
      if (!flushing && waiting.length === 1) setImmediate(() => void flush());
    });
}
