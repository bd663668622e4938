// What a change that waits for an approval does, with the effects of the calls that it adds or alters.
import type { PatchFacts, ShownChange } from '#contracts/card.ts';
import { type PatchOperation, type PinnedOperation, seenBy } from '#contracts/patch.ts';
import { describeWhole } from '#contracts/patch-words.ts';
import type { Step } from '#contracts/plan.ts';
import { operationName } from '#contracts/tool.ts';
import { readPatchOperations } from '#store/patches.ts';
import { readStepsById } from '#store/step-pages.ts';
import { describeCall } from '#tools/describe-call.ts';
import type { ConversationContext } from './conversation-context.ts';

const operationsShown = 1000;
/** Steps whose new arguments are shown as a call; of further ones they are shown as they were sent. */
const stepsRead = 200;

function alteredSteps(operation: PatchOperation): string[] {
  if (operation.op !== 'update_steps' || operation.set.args === undefined) return [];
  return operation.steps.ids ?? [];
}

function showOperation(
  { catalogue }: Pick<ConversationContext, 'catalogue'>,
  operation: PinnedOperation,
  altered: ReadonlyMap<string, Step>,
): ShownChange[] {
  if (operation.op === 'add_step') {
    const { id, description, tool, operation: verb, args = {} } = operation.step;
    const name = operationName(tool, verb);
    const call = describeCall(name, catalogue.get(name), args, seenBy(operation, id));
    return [{ text: `Adds step ${id}`, call, reason: description }];
  }
  const calls = alteredSteps(operation).flatMap((id): ShownChange[] => {
    const step = altered.get(id);
    if (step === undefined || operation.op !== 'update_steps') return [];
    const name = operationName(step.tool, step.operation);
    const { args = {} } = operation.set;
    const call = describeCall(name, catalogue.get(name), args, seenBy(operation, id));
    return [{ text: `Step ${id} becomes`, call, reason: '' }];
  });
  return [{ text: describeWhole(operation), call: null, reason: '' }, ...calls];
}

/** What the patch `id` does, nothing cut. */
export async function readShownChanges(
  context: Pick<ConversationContext, 'db' | 'catalogue'>,
  planId: string,
  id: string,
): Promise<Pick<PatchFacts, 'shown' | 'operations_hidden'>> {
  const db = context.db.query;
  const { operations, total } = await readPatchOperations(db, id, operationsShown);
  const ids = [...new Set(operations.flatMap(alteredSteps))].slice(0, stepsRead);
  const steps = ids.length === 0 ? [] : await readStepsById(db, planId, ids);
  const altered = new Map(steps.map((step) => [step.id, step]));
  return {
    shown: operations.flatMap((operation) => showOperation(context, operation, altered)),
    operations_hidden: total - operations.length,
  };
}
