// Works out a change that settles a finding; applies nothing.
import type { Transaction } from '#db/database.ts';
import { type FindingRow, readFinding, toFinding } from '#db/plans/findings.ts';
import { lockPlan, readPlanRow } from '#db/plans/plans.ts';
import { type CoveredStep, readCovered, readSources, readTries } from '#db/plans/replanning.ts';
import { passCrashPoint } from '#domain/crash-points.ts';
import { system } from '#domain/people/actor.ts';
import type { FindingCategory } from '#domain/plan/finding.ts';
import type { PatchOperation } from '#domain/plan/patch.ts';
import { type AskPlanner, pairOf } from '#domain/plan/replan.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { JsonObject, toJson } from '#domain/text.ts';
import type { ToolContext } from '#domain/tool.ts';
import { countOf, shorten } from '#domain/words.ts';
import type { Proposal } from '#tools/ports.ts';
import { resolveIfClear } from '../change/follow-patch.ts';
import type { PlansContext } from '../plans-context.ts';
import { giveUpReplanning } from './start-replanning.ts';
import { waitForRunning } from './wait-for-running.ts';

const maxReason = 1000;

const none = (reason: string): Proposal => ({ patch: null, reason });

/** If still current. Under the lock. */
async function end(
  { db }: PlansContext,
  planId: string,
  findingId: string,
  work: (tx: Transaction, finding: FindingRow) => Promise<void>,
): Promise<void> {
  await db.transaction(async (tx) => {
    await lockPlan(tx, planId);
    const finding = await readFinding(tx, planId, findingId);
    if (finding?.status === 'replanning') await work(tx, finding);
  });
}

/** @param askPlanner null without a model */
export async function proposeRepair(
  context: PlansContext,
  askPlanner: AskPlanner | null,
  findingId: string,
  refused: string[],
  { planId, stepId, pay, timezone, signal }: ToolContext,
): Promise<Proposal> {
  if (planId === null || stepId === null) return none('There is no plan to change.');
  const { query } = context.db;
  const row = await readFinding(query, planId, findingId);
  const { latest } = await readTries(query, planId);
  if (row?.status !== 'replanning' || pairOf(latest).replan !== stepId)
    return none('This problem has been settled in another way.');
  await waitForRunning(query, planId, findingId, signal);
  // Before the steps, so that later changes are conflicts.
  const plan = await readPlanRow(query, planId);
  const stale = await readCovered(query, planId, findingId, ['stale']);
  if (stale.length === 0 && row.stale_steps > 0) {
    const why = 'No step is on hold anymore.';
    await end(context, planId, findingId, async (tx) => {
      await resolveIfClear(tx, planId, findingId, system);
    });
    return none(why);
  }
  const finding = toFinding(row);
  const task = {
    finding,
    plan: {
      id: planId,
      title: plan.title,
      requester: plan.requester,
      revision: plan.revision,
      tenant: plan.tenant,
    },
    stepId,
    refused,
    timezone,
    pay,
    signal,
  };
  // Rules repeat themselves; after a refusal only a planner may find another way.
  const ruled = proposeByRule(finding.category, await readSources(query, finding), stale);
  const answer =
    ruled !== null && (refused.length === 0 || askPlanner === null)
      ? { patch: { base_revision: plan.revision, ...ruled } }
      : askPlanner === null
        ? { patch: null, why: 'No built-in rule covers it, and no model is connected.' }
        : await askPlanner(task);
  if (answer.patch === null) {
    const { why } = answer;
    await end(context, planId, findingId, async (tx, current) => {
      await giveUpReplanning(context, tx, await lockPlan(tx, planId), current, why);
    });
    return none(shorten(why, maxReason));
  }
  const { patch } = answer;
  passCrashPoint('replan_proposed');
  return {
    patch: JsonObject.parse(toJson(patch)),
    reason: patch.reason ?? 'Corrects the plan.',
  };
}

/**
 * Reruns steps whose source changed, with dependents; null if no rule applies.
 * @param sources done steps of the finding
 * @param stale made stale by it
 */
function proposeByRule(
  category: FindingCategory,
  sources: Pick<CoveredStep, 'id'>[],
  stale: Pick<CoveredStep, 'id'>[],
): { operations: PatchOperation[]; reason: string } | null {
  if (category !== 'source_changed' || sources.length === 0) return null;
  const ids = [...new Set([...sources, ...stale].map(({ id }) => id))];
  return {
    operations: [{ op: 'rerun_steps', steps: { ids } }],
    reason: `Runs ${countOf(ids.length, 'step')} again, because the source${sources.length === 1 ? ` of step ${quoteWords(sources[0]?.id ?? '', 100)} has` : `s of ${countOf(sources.length, 'step')} have`} changed.`,
  };
}
