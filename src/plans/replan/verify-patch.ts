// Checks a replanned change; applies it if it widens nothing.
import { hash } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { readManifests } from '#db/backends.ts';
import type { Transaction } from '#db/database.ts';
import { readTenantOf } from '#db/people/identities.ts';
import { readFinding, updateFindings } from '#db/plans/findings.ts';
import { findPatch, findWaitingPatch } from '#db/plans/patches.ts';
import { lockPlan } from '#db/plans/plans.ts';
import { readCovered, readTries } from '#db/plans/replanning.ts';
import { planFindings } from '#db/schema.ts';
import { passCrashPoint } from '#domain/crash-points.ts';
import { CountersignError } from '#domain/errors.ts';
import { system } from '#domain/people/actor.ts';
import { PlanPatch } from '#domain/plan/patch.ts';
import type { PatchStatus } from '#domain/plan/patch-outcome.ts';
import { pairOf } from '#domain/plan/replan.ts';
import type { Json } from '#domain/text.ts';
import type { PricedCall } from '#domain/text-model.ts';
import type { Catalogue, ToolContext } from '#domain/tool.ts';
import { listSome, shorten } from '#domain/words.ts';
import type { Verdict } from '#tools/ports.ts';
import { resolveIfClear } from '../change/follow-patch.ts';
import type { PatchEffect } from '../change/patch-effect.ts';
import { checkPatch } from '../change/receive.ts';
import { addedOperations } from '../content/digests.ts';
import { usesModel } from '../content/preflight.ts';
import { raiseFindings } from '../findings/raise.ts';
import type { PlansContext } from '../plans-context.ts';
import { startReplanning } from './start-replanning.ts';
import { sentencesOf, tryPatch } from './try.ts';
import { waitForRunning } from './wait-for-running.ts';

const maxReasons = 20;
const maxReason = 1000;
const maxNamed = 5;

type Check = { planId: string; stepId: string; findingId: string; patchId: string };

/** Finds a patch stored before a crash. */
function patchIdOf(planId: string, stepId: string): string {
  return `PATCH-${hash('sha256', `${planId} ${stepId}`, 'hex').slice(0, 8)}`;
}

const verdicts: Record<PatchStatus, Verdict['verdict']> = {
  applied: 'applied',
  needs_approval: 'awaiting_approval',
  rejected: 'refused',
  superseded: 'refused',
};

/** If already stored or nothing is left to do. */
async function findVerdict(
  { db }: Pick<PlansContext, 'db'>,
  { planId, stepId, findingId, patchId }: Check,
): Promise<Verdict | null> {
  const stored = await findPatch(db.query, planId, patchId);
  if (stored !== null)
    return { verdict: verdicts[stored.status], patch_id: patchId, reasons: stored.widening };
  const finding = await readFinding(db.query, planId, findingId);
  const { latest } = await readTries(db.query, planId);
  if (finding?.status === 'replanning' && pairOf(latest).verify === stepId) return null;
  return { verdict: 'nothing', patch_id: null, reasons: [] };
}

/** Neither rerun nor removed. */
async function findLeftStale(
  { db }: Pick<PlansContext, 'db'>,
  { planId, findingId }: Check,
  { removed, rerun }: PatchEffect,
): Promise<string[]> {
  const addressed = new Set([...removed, ...rerun].map(({ id }) => id));
  const stale = await readCovered(db.query, planId, findingId, ['stale']);
  return stale.map(({ id }) => id).filter((id) => !addressed.has(id));
}

const leftStale = (ids: string[]) => `It leaves ${listSome(ids, maxNamed, 'step')} on hold.`;

function addsModelCalls(catalogue: Catalogue, { added, changed, rerun }: PatchEffect): boolean {
  return (
    rerun.some(({ operation }) => catalogue.get(operation)?.usesModel === true) ||
    [...added, ...changed].some(({ now }) => usesModel(now, catalogue))
  );
}

const freeCall: PricedCall = { model: 'none', kind: 'check', price: async () => 0 };

/** If spent, even free model calls are refused. */
async function findSpent(pay: ToolContext['pay']): Promise<string[]> {
  if (pay === null) return [];
  try {
    await pay(freeCall, async () => ({
      ...{ cost_usd: 0, usage: { input_tokens: 0, output_tokens: 0 } },
    }));
    return [];
  } catch (error) {
    if (error instanceof CountersignError && error.code === 'budget_exhausted')
      return ['It needs a model, but the budget of the plan or of the day is used up.'];
    throw error;
  }
}

/** Sentences; empty if it may be applied. */
async function findReasons(
  context: PlansContext,
  check: Check,
  patch: PlanPatch,
  { signal, pay }: ToolContext,
): Promise<string[]> {
  const { db } = context;
  const { planId, findingId } = check;
  await context.catalogue.refresh(() => readManifests(db.query));
  const catalogue = context.catalogue.of(await readTenantOf(db.query, planId));
  const running = await waitForRunning(db.query, planId, findingId, signal);
  if (running.length > 0)
    return [
      `${listSome(running, maxNamed, 'step')} ${running.length === 1 ? 'is' : 'are'} still running with the old data.`,
    ];
  const { effect, problems } = await tryPatch(context, planId, patch, system, null);
  const left = await findLeftStale(context, check, effect);
  const tools = new Set(addedOperations(effect).map((name) => catalogue.get(name)?.tool ?? name));
  const states = await Promise.all([...tools].map((tool) => catalogue.check(tool)));
  return [
    ...problems,
    ...(left.length === 0 ? [] : [leftStale(left)]),
    ...states.flatMap((state) => (state.ok ? [] : [state.reason])),
    ...(addsModelCalls(catalogue, effect) ? await findSpent(pay) : []),
  ];
}

function settleWith({ planId, findingId, patchId, stepId }: Check) {
  return async (tx: Transaction): Promise<void> => {
    const { latest } = await readTries(tx, planId);
    const waits = (await findWaitingPatch(tx, planId))?.id === patchId;
    const moved = await updateFindings(
      tx,
      planId,
      ['replanning'],
      { status: waits ? 'awaiting_approval' : 'open', patch_id: patchId },
      eq(planFindings.id, findingId),
    );
    if (moved.length === 0 || pairOf(latest).verify !== stepId)
      throw new CountersignError(
        'already_decided',
        'This problem has been settled in another way.',
      );
    if (waits || (await resolveIfClear(tx, planId, findingId, system))) return;
    const stale = await readCovered(tx, planId, findingId, ['stale', 'running', 'unknown']);
    throw new CountersignError('invalid_request', leftStale(stale.map(({ id }) => id)));
  };
}

/** Reasons go to the next try, or a person decides. */
async function refuse(
  context: PlansContext,
  { planId, stepId, findingId }: Check,
  given: string[],
  conflict: boolean,
): Promise<Verdict> {
  const reasons = given.slice(0, maxReasons).map((reason) => shorten(reason, maxReason));
  await context.db.transaction(async (tx) => {
    const row = await lockPlan(tx, planId);
    const finding = await readFinding(tx, planId, findingId);
    const { latest } = await readTries(tx, planId);
    if (finding?.status !== 'replanning' || pairOf(latest).verify !== stepId) return;
    if (conflict) {
      await raiseFindings(context, tx, row, [
        {
          key: `conflict ${stepId}`,
          severity: 'WARN',
          category: 'conflict',
          message:
            `The plan had changed before this correction could be applied. ${reasons[0] ?? ''}`.trim(),
          evidence: [{ step_id: stepId, data: { finding: findingId } }],
          raisedBy: `step ${stepId}`,
        },
      ]);
    }
    await startReplanning(context, tx, await lockPlan(tx, planId), {
      step: stepId,
      refused: reasons,
    });
  });
  return { verdict: 'refused', patch_id: null, reasons };
}

export async function verifyRepair(
  context: PlansContext,
  findingId: string,
  given: Json,
  toolContext: ToolContext,
): Promise<Verdict> {
  const { planId, stepId } = toolContext;
  if (planId === null || stepId === null)
    return { verdict: 'nothing', patch_id: null, reasons: ['There is no plan to change.'] };
  const check = { planId, stepId, findingId, patchId: patchIdOf(planId, stepId) };
  const known = await findVerdict(context, check);
  if (known !== null) return known;
  const read = PlanPatch.safeParse(given);
  if (!read.success) {
    const problems = read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    return refuse(context, check, problems, false);
  }
  try {
    const reasons = await findReasons(context, check, read.data, toolContext);
    if (reasons.length > 0) return await refuse(context, check, reasons, false);
    passCrashPoint('patch_verified');
    const within = settleWith(check);
    const commit = await checkPatch(
      context,
      planId,
      read.data,
      system,
      within,
      false,
      check.patchId,
    );
    const outcome = await context.db.transaction(commit);
    passCrashPoint('patch_applied');
    const { status, patch_id, widening: reasonsToAsk } = outcome;
    return { verdict: verdicts[status], patch_id, reasons: reasonsToAsk };
  } catch (error) {
    if (!(error instanceof CountersignError) || error.passesAfterMs !== null) throw error;
    // Another worker was faster, or a person settled it.
    const verdict = await findVerdict(context, check);
    if (verdict !== null) return verdict;
    return refuse(context, check, sentencesOf(error), error.code === 'patch_conflict');
  }
}
