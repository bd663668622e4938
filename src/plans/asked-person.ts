// A step handed to a person may be answered by that person, whoever else may decide about the plan.
import type { Actor } from '#contracts/actor.ts';
import { assigneeOf } from '#contracts/assignee.ts';
import { isSamePerson } from '#contracts/names.ts';
import type { Step } from '#contracts/plan.ts';
import type { Settlement } from '#contracts/service.ts';
import type { Json, JsonObject } from '#contracts/text.ts';
import type { Transaction } from '#store/database.ts';
import { readNamesOf, readPerson } from '#store/identities.ts';
import type { PlanRow } from '#store/plans.ts';
import { readStepsById } from '#store/step-pages.ts';
import { requireManager } from './authority.ts';
import type { PlansContext } from './plans-context.ts';

/** Whether a guarded call asks again with its final values, which is an approval of its own. */
export function asksToConfirm({ status, output }: Step): boolean {
  return status === 'waiting' && isObject(output) && output.confirm === true;
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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
