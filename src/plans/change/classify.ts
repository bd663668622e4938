// Why a patch widens what was approved. Pure; in doubt it widens.
import type { RerunStep } from '#db/sql/rerun.ts';
import { hasRuntime, renameReferences } from '#domain/plan/arguments.ts';
import { renameConditions } from '#domain/plan/condition.ts';
import type { Step } from '#domain/plan/plan.ts';
import { changedFields } from '#domain/plan/step-content.ts';
import { operationName } from '#domain/tool.ts';
import { countOf, shorten } from '#domain/words.ts';
import { compareSeries } from '../content/terms.ts';
import { findFlowChanges, type Near, repeatsCall } from './flows.ts';
import type {
  AddedStep,
  ChangedStep,
  PatchEffect,
  SeriesChange,
  VersionStep,
} from './patch-effect.ts';

const maxReasons = 50;

function nameOf({ tool, operation, target }: VersionStep): string {
  const name = operationName(tool, operation);
  return target === null ? name : `${name} of ${shorten(target, 120)}`;
}

/** Even a repeated read is one more call. */
function widensByAdding(
  { now, label, position }: AddedStep,
  operations: ReadonlySet<string>,
): string {
  const adds = (rest: string) => `Adds step ${label ?? position}: ${nameOf(now)}, ${rest}.`;
  if (!operations.has(operationName(now.tool, now.operation))) {
    return adds('which the approved plan does not use');
  }
  if (now.guarded) return adds('a guarded operation');
  if (hasRuntime(now.args)) return adds('with arguments that are decided only when it runs');
  if (now.effect !== 'read') return adds('which changes something');
  return adds('a call that has not been approved');
}

/** Null if the step has not begun. */
function widensByRemoving({ label, status }: Step): string | null {
  switch (status) {
    case 'failed':
      return `Gives up step ${label}, which failed; it can't be retried then.`;
    case 'unknown':
      return `Gives up step ${label}, whose outcome is unknown: its call may have been made.`;
    case 'waiting':
      return `Gives up step ${label}, which is waiting for an answer.`;
    default:
      return null;
  }
}

/** Null if it changes nothing, has the same effect again, or was never called. */
function widensByRerunning(step: RerunStep): string | null {
  if (!repeatsCall(step)) return null;
  const { label, tool, operation, target } = step;
  const what = target === null ? operation : `${operation} of ${shorten(target, 120)}`;
  const more = tool === 'chat' ? '; it posts again' : '';
  return `Runs step ${label} again: ${what}, which was already called${more}.`;
}

function renameIn(step: Step, replaced: ReadonlyMap<string, string>): Step {
  if (replaced.size === 0) return step;
  const rename = (id: string) => replaced.get(id) ?? id;
  return {
    ...step,
    after: step.after.map((one) => ({ ...one, id: rename(one.id) })),
    args: renameReferences(step.args, rename),
    when: renameConditions(step.when, rename),
  };
}

function widensByChanging(
  { before, now }: ChangedStep,
  names: ReadonlyMap<string, string>,
): string[] {
  const { label } = before;
  const step = { label, nameStep: (id: string) => names.get(id) ?? id, asking: [] };
  return changedFields(before, now).flatMap(([name, { widens, named }]) => {
    if (widens !== undefined) return widens(before[name], now[name], step);
    const what = named === undefined ? `the ${name} of step %` : named;
    return what === null ? [] : [`Changes ${what.replace('%', label)}.`];
  });
}

const widensBySeries = ({ before, begun }: SeriesChange): string[] =>
  compareSeries(before, begun.series).map((phrase) => `From now on, ${phrase}.`);

/**
 * Empty if it narrows: inputs and readers of acting steps, order at shared targets, and what is asked before stay. Adding and
 * repeating never narrow.
 * @param near possibly affected steps
 */
export function classifyPatch(
  effect: PatchEffect,
  operations: ReadonlySet<string>,
  near: Near,
): string[] {
  const { added, changed, removed, replaced, rerun, names, series, expanded } = effect;
  // One sentence covers all occurrences of a series.
  const isOwn = ({ now: { id } }: Pick<AddedStep, 'now'>) => !expanded.has(id);
  const reasons = [
    ...series.flatMap(widensBySeries),
    ...removed.flatMap((step) => widensByRemoving(step) ?? []),
    ...rerun.flatMap((step) => widensByRerunning(step) ?? []),
    ...added.filter(isOwn).map((step) => widensByAdding(step, operations)),
    ...changed
      .filter(isOwn)
      .flatMap((step) =>
        widensByChanging({ ...step, before: renameIn(step.before, replaced) }, names),
      ),
    ...findFlowChanges(effect, near),
  ];
  if (reasons.length <= maxReasons) return reasons;
  const shown = reasons.slice(0, maxReasons - 1);
  return [...shown, `And ${countOf(reasons.length - shown.length, 'more change')} of this kind.`];
}
