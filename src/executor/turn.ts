// Starts a plan, and takes a back end's turns on it.
// A turn settles and claims in one transaction under the plan's lock: one commit per batch.
import { setTimeout as pause } from 'node:timers/promises';
import { hasWorkedFor, readManifests } from '#db/backends.ts';
import type { Queryable, Transaction } from '#db/database.ts';
import { lockPlan, type PlanRow, readPlanRow } from '#db/plans/plans.ts';
import type { Outcome } from '#db/sql/settle.ts';
import { readOperations } from '#db/steps/steps.ts';
import { passCrashPoint } from '#domain/crash-points.ts';
import { system } from '#domain/people/actor.ts';
import type { RaisedFinding } from '#domain/plan/finding.ts';
import type { Catalogues } from '#domain/tool.ts';
import { findLostApproval } from '#plans/authority/approvals.ts';
import type { Configured } from '#plans/authority/authority.ts';
import { refreshUserGroups } from '#plans/authority/members.ts';
import {
  describeProblems,
  findPreflightProblems,
  type PreflightProblem,
} from '#plans/content/preflight.ts';
import { raiseFindings } from '#plans/findings/raise.ts';
import { finishIfDone, readyTheFree } from '#plans/lifecycle/ended-steps.ts';
import {
  announceProgress,
  transition,
  wakeWatchers,
  wakeWorkers,
} from '#plans/lifecycle/lifecycle.ts';
import type { PlansContext } from '#plans/plans-context.ts';
import { offersOf } from './backends.ts';
import {
  type Claim,
  claimReady,
  decideStart,
  type LaneCache,
  nothingClaimed,
  openLaneCache,
} from './claim.ts';
import type { ExecutorContext, SharedContext } from './executor-context.ts';
import { type Settlement, settleOutcomes } from './settle.ts';

export type Turn = Claim & {
  plan: PlanRow;
  cache: LaneCache | null;
  /** Whether people will be notified; null if nothing changed. */
  announced: boolean | null;
};

/** Neither asks nor alerts a person. */
function isProgress({ status }: Outcome): boolean {
  return status === 'succeeded' || status === 'ready' || status === 'running';
}

function isUpToDate(
  { backend }: ExecutorContext,
  { version }: PlanRow,
  cache: LaneCache | null,
): cache is LaneCache {
  return cache?.version === version && cache.offers === offersOf(backend);
}

async function settleAndStart(
  context: ExecutorContext,
  tx: Transaction,
  plan: PlanRow,
  cache: LaneCache,
  outcomes: Outcome[],
  room: number,
): Promise<Settlement | null> {
  if (outcomes.length === 0) return null;
  const start = decideStart(plan, cache, outcomes, room);
  if (start !== null) passCrashPoint('before_attempt');
  const settled = await settleOutcomes(context, tx, plan, outcomes, start);
  passCrashPoint('in_settle');
  return settled;
}

/** At most one outcome per step. @param known lanes as last read @param announce progress; questions and failures always */
export async function takeTurn(
  context: ExecutorContext,
  planId: string,
  outcomes: Outcome[],
  room: number,
  known: LaneCache | null,
  announce = true,
): Promise<Turn> {
  const work = async (tx: Transaction) => {
    const plan = await lockPlan(tx, planId);
    const cache = isUpToDate(context, plan, known) ? known : await openLaneCache(context, tx, plan);
    const settled = await settleAndStart(context, tx, plan, cache, outcomes, room);
    const over = settled?.ended ?? false;
    const ready = settled?.progress?.ready ?? plan.ready;
    const started = settled?.started ?? [];
    const left = over ? 0 : room - started.length;
    if (left > 0 && ready > 0) passCrashPoint('before_attempt');
    const claimed =
      left > 0 ? await claimReady(context, tx, plan, cache, ready, left) : nothingClaimed;
    const claim: Claim = {
      ...claimed,
      steps: [...started, ...claimed.steps],
      more: left > 0 ? claimed.more : !over && (ready > 0 || (settled?.more ?? false)),
    };
    const changed = outcomes.length > 0 || claim.steps.length > 0;
    const notifies = over || !outcomes.every(isProgress);
    if (changed && !over) {
      if (notifies) await wakeWatchers(tx, context.enqueue, planId);
      else if (announce) await announceProgress(tx, context, planId);
    }
    return { ...claim, plan, cache, announced: changed ? notifies || announce : null };
  };
  const turn = await context.db.transaction(work, { planOnce: true });
  if (outcomes.length > 0) passCrashPoint('after_outcome');
  return turn;
}

type Deciding = Configured &
  Pick<PlansContext, 'modelBudget'> &
  Parameters<typeof refreshUserGroups>[0];

/** Other plans queue behind this one, and the next round asks again. */
const maxWaitMs = 2000;

async function lacksTools(
  db: Queryable,
  catalogues: Catalogues,
  { id: planId, tenant }: PlanRow,
): Promise<boolean> {
  await catalogues.refresh(() => readManifests(db));
  const catalogue = catalogues.of(tenant);
  const tools = new Set<string>();
  for (const { operation } of await readOperations(db, planId)) {
    const spec = catalogue.get(operation);
    if (spec === undefined) return true;
    tools.add(spec.tool);
  }
  const late = new AbortController();
  const answers = Promise.all([...tools].map((tool) => catalogue.check(tool)));
  const states = await Promise.race([
    answers,
    pause(maxWaitMs, null, { signal: late.signal }).catch(() => null),
  ]);
  late.abort();
  answers.catch(() => {});
  return states === null || states.some(({ ok }) => !ok);
}

/** As long as a running step would; time without workers doesn't count. */
async function mayStillWait(
  { db, clock, settings }: SharedContext,
  { decided_at }: PlanRow,
): Promise<boolean> {
  if (decided_at === null) return false;
  const waitedMs = clock.now().getTime() - decided_at.getTime();
  if (waitedMs < settings.stall_minutes * 60_000) return true;
  return !(await hasWorkedFor(db.query, settings.stall_minutes));
}

/** The plan has failed, so nothing becomes stale. */
const findUnmet =
  (version: number) =>
  ({ step_id, reason }: PreflightProblem): RaisedFinding => ({
    severity: 'ERROR',
    category: 'precondition',
    message: reason,
    ...(step_id === null ? {} : { step_id }),
    evidence: [],
    key: `precondition of version ${version}: ${step_id ?? 'plan'} ${reason}`,
    raisedBy: system.id,
  });

/** Only if still approved. While a tool is starting, the next round retries. */
export async function startPlan(
  context: SharedContext,
  planId: string,
  deciding: Deciding,
): Promise<void> {
  const { db, enqueue, clock } = context;
  const seen = await readPlanRow(db.query, planId);
  if (seen.status !== 'approved') return;
  if ((await mayStillWait(context, seen)) && (await lacksTools(db.query, context.catalogue, seen)))
    return;
  await refreshUserGroups(deciding, seen);
  const lost = await findLostApproval(db.query, deciding, seen);
  const problems = [
    ...(lost === null ? [] : [{ step_id: null, reason: lost }]),
    ...(await findPreflightProblems(
      db.query,
      { ...context, modelBudget: deciding.modelBudget },
      seen,
    )),
  ];
  await db.transaction(async (tx) => {
    const row = await lockPlan(tx, planId);
    if (row.status !== 'approved' || row.version !== seen.version) return;
    const reason = describeProblems(problems);
    if (reason !== null) {
      const failed = await transition(
        tx,
        enqueue,
        row,
        'fail',
        { actor: system, reason },
        {
          execution_ended_at: clock.now(),
          result_summary: reason,
        },
      );
      await raiseFindings(context, tx, failed, problems.map(findUnmet(row.version)));
      return;
    }
    const started = await transition(
      tx,
      enqueue,
      row,
      'start',
      { actor: system },
      {
        execution_started_at: clock.now(),
      },
    );
    const progress = await readyTheFree(tx, planId);
    if (await finishIfDone(context, tx, started, progress)) return;
    await wakeWorkers(tx, planId);
  });
}
