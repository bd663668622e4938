// A step handed to a person may be answered by that person, whoever else may decide about the plan.
import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Actor } from '#contracts/actor.ts';
import type { Settlement } from '#contracts/service.ts';
import type { Transaction } from '#store/database.ts';
import { planSteps } from '#store/schema.ts';

/** Whether `actor` is the one whom every named step waits for, and says only what became of it. */
export async function isAskedPerson(
  tx: Transaction,
  planId: string,
  steps: Settlement['steps'],
  actor: Actor,
): Promise<boolean> {
  const fates = Object.entries(steps ?? {});
  if (actor.kind !== 'person' || fates.length === 0) return false;
  if (fates.some(([, fate]) => fate === 'retry')) return false;
  const ids = fates.map(([id]) => id);
  const theirs = await tx
    .select({ id: planSteps.step_id })
    .from(planSteps)
    .where(
      and(
        eq(planSteps.plan_id, planId),
        inArray(planSteps.step_id, ids),
        eq(planSteps.status, 'waiting'),
        sql`${planSteps.output} ->> 'assignee' = ${actor.id}`,
      ),
    );
  return theirs.length === ids.length;
}
