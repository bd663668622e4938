// Claims ready steps that this back end can run, with their leases, reservations and later wakeups, inside the transaction of a turn.
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
import { lockPools, readWaits, reserve, storeWaits } from '#db/sql/resources.ts';
import { freeByStart, type Outcome, type StartTerms } from '#db/sql/settle.ts';
import { type Lane, readLanes } from '#db/steps/steps.ts';
import { system } from '#domain/people/actor.ts';
import { operationName } from '#domain/tool.ts';
import { skipMissed } from '#plans/change/skip-missed.ts';
import { serves } from '#plans/content/serve-lanes.ts';
import { finishIfDone } from '#plans/lifecycle/finish.ts';
import { transition } from '#plans/lifecycle/lifecycle.ts';
import { wakeWatchers } from '#plans/lifecycle/wake.ts';
import { decideCall } from '#tools/guard.ts';
import { offersOf } from './backends.ts';
import { chooseSteps } from './choose-steps.ts';
import type { ExecutorContext } from './executor-context.ts';

/** So many steps of a lane are looked at, however few may start: behind one that must wait for a pool others may fit. */
const lookedAt = 64;
/** A step that does not fit into its pools is passed by smaller ones for so long (milliseconds). */
const patienceMs = 1000;

/** The lanes of one version of a plan that a back end serves, and the terms of its claims. */
export type LaneBook = {
  version: number;
  /** What the back end offered when the lanes were read. */
  offers: string;
  lanes: Map<number, Lane>;
  terms: ClaimTerms;
};

export type Claim = {
  steps: ClaimedStep[];
  /** The plan may have more steps that can be claimed now. */
  more: boolean;
  /** Steps can be claimed that this back end cannot run. */
  others: boolean;
  /** Milliseconds until the next step can be claimed whose time has not come; null: none is known. */
  nextInMs: number | null;
};

export const nothingClaimed: Claim = { steps: [], more: false, others: false, nextInMs: null };

/** Reads which lanes of the plan's version this back end serves, and decides once for each whether its calls are allowed. */
export async function openLaneBook(
  context: ExecutorContext,
  tx: Transaction,
  plan: PlanRow,
): Promise<LaneBook> {
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
    // What is refused is claimed and refused by name, when it would be called.
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

/** Steps of a plan that reserves resources: those that fit are claimed with what they need. */
async function claimWithin(
  tx: Transaction,
  plan: PlanRow,
  { lanes, terms }: LaneBook,
  limit: number,
): Promise<ClaimedStep[]> {
  const keys = [...lanes.keys()];
  const ready = await readCandidates(tx, plan.id, keys, plan.pools, Math.max(limit, lookedAt));
  if (ready.length === 0) return [];
  const pools = await lockPools(tx, plan.pools);
  const candidates = ready.map(({ position, resources }) => ({
    position,
    // Pools that were not configured when the plan was proposed limit nothing.
    needs: Object.fromEntries(
      Object.entries(resources).filter(([name]) => plan.pools.includes(name)),
    ),
  }));
  const waits = await readWaits(tx, plan.pools);
  const { chosen, blocked } = chooseSteps(candidates, pools, waits, plan.id, limit, patienceMs);
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

/** Ready steps whose time has not come get a wakeup for that time. @returns milliseconds until the first of them */
async function bookNext(
  context: ExecutorContext,
  tx: Transaction,
  planId: string,
): Promise<number | null> {
  const next = await readNextAvailable(tx, planId);
  if (next === null) return null;
  // A millisecond more than what was cut off, so that the wakeup never comes too early.
  const startAfter = new Date(new Date(next.at).getTime() + 1);
  const key = `${planId}@${next.at}`;
  await context.enqueue(tx, 'step', { plan_id: planId }, { key, startAfter });
  return Math.max(1, next.in_ms);
}

/** What is stored is not what was approved: nothing more of it runs. */
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

/** Whether steps of the plan may be claimed, as far as its status says. */
function mayClaim(plan: PlanRow): boolean {
  return plan.status === 'executing' && plan.paused_at === null;
}

/**
 * Whether, and on which terms, steps start in the statement that frees them: nothing else is ready, so they would be next anyway, and
 * nothing but their prerequisites holds them. A failure may stop what would be freed, and so may a finding. Changing a step's row once instead of twice
 * makes chains and diamonds faster. The caller holds the plan's lock.
 */
export function decideStart(
  plan: PlanRow,
  book: LaneBook,
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
  return { lanes: [...book.lanes.keys()], room, terms: book.terms };
}

/**
 * Claims up to `limit` steps; none when the plan is not executing or is paused. The caller holds the plan's lock.
 * @param ready how many steps of the plan are ready now
 */
export async function claimReady(
  context: ExecutorContext,
  tx: Transaction,
  plan: PlanRow,
  book: LaneBook,
  ready: number,
  limit: number,
): Promise<Claim> {
  if (!mayClaim(plan) || ready === 0) return nothingClaimed;
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
  const lanes = [...book.lanes.keys()];
  const steps =
    lanes.length === 0
      ? []
      : plan.pools.length === 0
        ? await claimBestSteps(tx, plan.id, lanes, limit, book.terms)
        : await claimWithin(tx, plan, book, limit);
  // A step starts once, whatever becomes of its attempts: later ones meet no start edge again.
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
