// Raises findings; ERROR and CRITICAL make dependents stale.
import { eq } from 'drizzle-orm';
import { recordAudit } from '#db/audit/audit.ts';
import type { Transaction } from '#db/database.ts';
import { insertFinding, updateFindings } from '#db/plans/findings.ts';
import type { PlanRow } from '#db/plans/plans.ts';
import { planFindings } from '#db/schema.ts';
import { type Cause, makeStale, positionsOf } from '#db/sql/impact.ts';
import type { PlanProgress } from '#db/steps/accounting.ts';
import { touchPlan } from '#db/steps/events.ts';
import type { Random } from '#domain/clock.ts';
import type { Enqueue } from '#domain/jobs.ts';
import { type Actor, system } from '#domain/people/actor.ts';
import type { FindingAction, NewFinding, RaisedFinding, Severity } from '#domain/plan/finding.ts';
import type { StepSelector } from '#domain/plan/step-selector.ts';
import { onOneLine } from '#domain/words.ts';
import { tellWebhooks, wakeWatchers } from '../lifecycle/lifecycle.ts';

type RaiseContext = { enqueue: Enqueue<Transaction>; random: Random };

export type Raised = {
  ids: string[];
  /** Set if steps became stale. */
  progress: PlanProgress | null;
};

export function isBlocking(severity: Severity): boolean {
  return severity === 'ERROR' || severity === 'CRITICAL';
}

/** Characters, in each stale step and event. */
const maxRepeated = 200;

export const causeOf = (finding: { id: string; message: string }): Cause => ({
  finding: finding.id,
  message: onOneLine(finding.message, maxRepeated),
});

/** Null for the whole plan. */
function stepsOf({ step_id, partition, steps }: RaisedFinding): StepSelector | null {
  if (steps !== undefined) return steps;
  if (step_id === undefined && partition === undefined) return null;
  return {
    ...(step_id === undefined ? {} : { ids: [step_id] }),
    ...(partition === undefined ? {} : { partition }),
  };
}

/** Maybe after a person's decision. */
function canGoOn({ status, execution_started_at }: PlanRow): boolean {
  if (status === 'cancelled' || status === 'rejected') return false;
  return status !== 'failed' || execution_started_at !== null;
}

function actionsFor({ severity, category }: NewFinding, affected: number): FindingAction[] {
  if (category === 'suggestion') return ['replan', 'dismiss'];
  if (!isBlocking(severity)) return ['dismiss'];
  return affected === 0 ? ['replan', 'dismiss'] : ['replan', 'proceed', 'leave_out'];
}

async function raise(
  { enqueue, random }: RaiseContext,
  tx: Transaction,
  row: PlanRow,
  finding: RaisedFinding,
  actor: Actor,
): Promise<{ id: string; progress: PlanProgress | null } | null> {
  const id = `F-${random.hex(6)}`;
  const { severity, category, message, evidence } = finding;
  const [step_id, partition] = [finding.step_id ?? null, finding.partition ?? null];
  const stored = { id, plan_id: row.id, key: finding.key, severity, category, message, evidence };
  if (!(await insertFinding(tx, { ...stored, step_id, partition, raised_by: finding.raisedBy })))
    return null;
  const steps = stepsOf(finding);
  const contained =
    steps !== null && isBlocking(severity) && canGoOn(row)
      ? await makeStale(
          tx,
          row.id,
          positionsOf(row.id, steps),
          causeOf(stored),
          finding.holdsSteps === true,
        )
      : { stale: 0, later: 0, progress: null };
  const affected = contained.stale + contained.later;
  const over = row.status === 'cancelled' || row.status === 'rejected';
  await updateFindings(
    tx,
    row.id,
    ['open'],
    {
      actions: actionsFor(finding, affected),
      stale_steps: affected,
      // Ended plans ask no questions.
      ...(over ? { status: 'dismissed' as const, settled_by: system.id } : {}),
    },
    eq(planFindings.id, id),
  );
  await touchPlan(tx, row.id, 'finding_raised', `${id} (${severity}): ${causeOf(stored).message}`);
  await recordAudit(tx, [
    {
      planId: row.id,
      actor,
      action: 'finding_raised',
      version: row.version,
      reason: causeOf(stored).message,
      data: { finding: id, severity, category, step: step_id, partition, stale: affected },
    },
  ]);
  await tellWebhooks(tx, enqueue, 'finding.opened', row, {
    finding: { id, severity, category, message, step: step_id, partition, stale: affected },
  });
  return { id, progress: contained.progress };
}

/**
 * Under the lock; known keys are skipped. The steps themselves become stale only if held; ended plans stay unchanged until they
 * continue.
 */
export async function raiseFindings(
  context: RaiseContext,
  tx: Transaction,
  row: PlanRow,
  findings: RaisedFinding[],
  actor: Actor = system,
): Promise<Raised> {
  const ids: string[] = [];
  let progress: PlanProgress | null = null;
  for (const finding of findings) {
    const raised = await raise(context, tx, row, finding, actor);
    if (raised === null) continue;
    ids.push(raised.id);
    progress = raised.progress ?? progress;
  }
  if (ids.length > 0) await wakeWatchers(tx, context.enqueue, row.id);
  return { ids, progress };
}
