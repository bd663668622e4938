// The effects of a pending change.
import type { Database } from '#db/database.ts';
import { labelPatched, namePatched, readPatchOperations } from '#db/plans/patches.ts';
import type { StepDifference } from '#db/steps/versions.ts';
import type { PatchFacts, ShownChange } from '#domain/chat/card.ts';
import { renameReferences } from '#domain/plan/arguments.ts';
import { type AskingStep, labelConditions } from '#domain/plan/condition-labels.ts';
import type { PatchOutcome } from '#domain/plan/patch-outcome.ts';
import { describeAddition, describeWhole } from '#domain/plan/patch-words.ts';
import { draftOf, type StepContent } from '#domain/plan/step-content.ts';
import { type Catalogue, operationName } from '#domain/tool.ts';
import { readDifferences } from '#plans/change/version-diff.ts';
import { isEffect } from '#plans/change/waiting.ts';
import { compareFields } from '#plans/content/changed-fields.ts';
import { readPassedInPatch } from '#plans/decisions/passed-starts.ts';
import { describeCall } from '#tools/describe-call.ts';

const changesShown = 1000;

const inOrder: StepDifference['kind'][] = ['removed', 'changed', 'added'];

export async function readShownChanges(
  { query: db }: Database,
  catalogue: Pick<Catalogue, 'get'>,
  planId: string,
  { patch_id: id, version, created_at }: Pick<PatchOutcome, 'patch_id' | 'version' | 'created_at'>,
  now: Date,
): Promise<Pick<PatchFacts, 'shown' | 'changes_hidden' | 'passed'>> {
  const { rows, nameStep, asking } = await readDifferences(
    db,
    planId,
    version - 1,
    version,
    changesShown,
  );
  const describe = ({ tool, operation, args, seen }: StepContent) => {
    const name = operationName(tool, operation);
    return describeCall(name, catalogue.get(name), renameReferences(args, nameStep), seen);
  };
  const showAdded = (step: StepContent, all: AskingStep[]): ShownChange => {
    const { description: reason, tool, operation } = step;
    const own = new Set(catalogue.get(operationName(tool, operation))?.capabilities ?? []);
    const capabilities = step.capabilities.filter((one) => !own.has(one));
    const draft = draftOf({ ...step, capabilities, when: labelConditions(step.when, all) });
    const text = describeAddition({ ...draft, id: step.id }, nameStep);
    return { kind: 'added', text, call: describe(step), reason };
  };
  const show = ({ kind, before, after }: StepDifference): ShownChange[] => {
    const step = after ?? before;
    if (step === null) return [];
    if (kind === 'added') return [showAdded(step, asking.after)];
    const shown = { kind, text: `step ${nameStep(step.id)}`, call: describe(step), reason: '' };
    if (before === null || after === null) return [shown];
    const { changes: fields } = compareFields(before, after, nameStep, asking, true);
    return [{ ...shown, fields }];
  };
  const { operations, total } = await readPatchOperations(db, id, changesShown);
  // Some changes have no version.
  const others = rows.length === 0 ? operations : operations.filter(isEffect);
  const named = await namePatched(db, planId, others);
  const passed = await readPassedInPatch(
    db,
    planId,
    { operations, created_at: new Date(created_at) },
    now,
  );
  const of = (kind: StepDifference['kind']) => rows.filter((row) => row.kind === kind);
  const hidden = inOrder.reduce((sum, kind) => sum + (of(kind)[0]?.total ?? 0), 0) - rows.length;
  return {
    shown: [
      ...inOrder.flatMap((kind) => of(kind).flatMap(show)),
      ...(await labelPatched(db, planId, others)).map((operation): ShownChange => {
        const text = describeWhole(operation, named);
        return { kind: 'other', text, call: null, reason: '' };
      }),
    ],
    changes_hidden: Math.max(hidden, total - operations.length),
    ...(passed === null ? {} : { passed }),
  };
}
