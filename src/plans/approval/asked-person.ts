// Lets the assignee of a human task answer it, no matter who may decide about the plan.
import type { Transaction } from '#db/database.ts';
import { readNamesOf, readPerson } from '#db/identities.ts';
import type { PlanRow } from '#db/plans.ts';
import { readStepsById } from '#db/step-pages.ts';
import type { Actor } from '#domain/people/actor.ts';
import { isSamePerson } from '#domain/people/names.ts';
import { assigneeOf } from '#domain/plan/assignee.ts';
import type { Step } from '#domain/plan/plan.ts';
import type { Settlement } from '#domain/service.ts';
import { isObject } from '#domain/text.ts';
import type { PlansContext } from '../plans-context.ts';
import { requireManager } from './authority.ts';

/** Whether a guarded call asks again with its final values, which is an approval of its own. */
export function asksToConfirm({ status, output }: Step): boolean {
  return status === 'waiting' && isObject(output) && output.confirm === true;
}

/** Whether every named step is a task of `actor`, who says only what became of it. */
async function isAskedPerson(
  tx: Transaction,
  planId: string,
  steps: Settlement['steps'],
  actor: Actor,
): Promise<boolean> {
  const fates = Object.entries(steps ?? {});
  if (actor.kind !== 'person' || fates.length === 0) return false;
  if (fates.some(([, fate]) => fate === 'retry')) return false;
  const ids = fates.map(([id]) => id);
  const named = await readStepsById(tx, planId, ids);
  const names = (await readNamesOf(tx, [await readPerson(tx, actor.id)])).map(({ name }) => name);
  const theirs = named.filter((step) => {
    const assignee = assigneeOf(step);
    return assignee !== null && names.some((name) => isSamePerson(assignee, name));
  });
  return theirs.length === ids.length;
}

/**
 * Whether `actor` settles these steps because they were asked (`asked`) or because they may decide about the plan
 * (`manager`).
 * @throws `not_allowed` when neither is so
 */
export async function requireAnswerer(
  tx: Transaction,
  context: PlansContext,
  row: PlanRow,
  steps: Settlement['steps'],
  actor: Actor,
): Promise<'asked' | 'manager'> {
  if (await isAskedPerson(tx, row.id, steps, actor)) return 'asked';
  await requireManager(tx, context, row, actor);
  return 'manager';
}
