// Records a decision in its run's trace: by whom, at which call to action, and how long after the plan was shown.
import { and, eq } from 'drizzle-orm';
import { writeCall } from '#cards/calls-to-action.ts';
import type { Transaction } from '#db/database.ts';
import type { RunRow } from '#db/planning/runs.ts';
import type { PlanRow } from '#db/plans/plans.ts';
import { planVersions } from '#db/schema.ts';
import type { Actor } from '#domain/people/actor.ts';
import type { TraceEntry } from '#domain/planning/trace.ts';
import type { ConversationContext } from '#messages/context.ts';
import { callOfPlan } from '#messages/outgoing.ts';
import { readPolicyOf } from '#people/policy.ts';
import { statusWords } from '#plans/lifecycle/lifecycle-table.ts';

export type TracedDecision = {
  word: 'approve' | 'reject' | 'propose changes' | 'cancel';
  actor: Actor;
};

/**
 * Appends the decision to the run's trace. A version counts as shown from its proposal, or from the refusal that returned it to
 * people.
 * @param row the plan after the decision
 */
export async function traceDecision(
  { clock }: ConversationContext,
  tx: Transaction,
  run: RunRow,
  row: PlanRow,
  { word, actor }: TracedDecision,
): Promise<TraceEntry[]> {
  const { id, version } = row;
  const [stored] = await tx
    .select({ created_at: planVersions.created_at })
    .from(planVersions)
    .where(and(eq(planVersions.plan_id, id), eq(planVersions.version, version)));
  const refusals = row.rejection_history.filter((refusal) => refusal.version === version);
  const refusing = word === 'reject' || word === 'propose changes';
  const before = (refusing ? refusals.slice(0, -1) : refusals).at(-1);
  const now = clock.now();
  const shown = new Date(before?.at ?? stored?.created_at ?? now);
  const status = before !== undefined && !row.revising ? 'needs_review' : 'proposed';
  return [
    ...run.trace,
    {
      stage: 'SEEK_APPROVAL',
      tool: 'person',
      at: now.toISOString(),
      duration_ms: Math.max(0, now.getTime() - shown.getTime()),
      ok: true,
      confidence: null,
      cost_delta: 0,
      explanation: `${id}, version ${version}, is ${statusWords[row.status]}.`,
      turn: run.turn,
      decision: `${word} by ${actor.id}`,
      call_to_action: writeCall(callOfPlan({ id, status }, (await readPolicyOf(tx, run)).tone)),
    },
  ];
}
