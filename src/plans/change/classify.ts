// Whether a patch widens what was approved, with one sentence per reason. Pure; when in doubt it widens.
import { isDeepStrictEqual } from 'node:util';
import type { RerunStep } from '#db/sql/rerun.ts';
import { hasRuntime, renameReferences } from '#domain/plan/arguments.ts';
import { renameConditions } from '#domain/plan/condition.ts';
import type { Step } from '#domain/plan/plan.ts';
import { operationName } from '#domain/tool.ts';
import { countOf, shorten } from '#domain/words.ts';
import { findFlowChanges, type Near, repeatsCall } from './flows.ts';
import {
  type AddedStep,
  type ChangedStep,
  keyOfDependency,
  type PatchEffect,
  type StepAsSaid,
} from './model.ts';

const reasonsAtMost = 50;

function nameOf({ tool, operation, target }: StepAsSaid): string {
  const name = operationName(tool, operation);
  return target === null ? name : `${name} of ${shorten(target, 120)}`;
}

/** Adding is never narrowing: also a read that an approved step makes already is one call more. */
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
  return adds('a call that nobody has approved');
}

/** Why giving up a step that has begun is for a person to say; null: it has not begun, and removing it narrows. */
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

/** Why a step may not be made again without a person's word; null: it changes nothing, the same, or was never called. */
function widensByRerunning(step: RerunStep): string | null {
  if (!repeatsCall(step)) return null;
  const { label, tool, operation, target } = step;
  const what = target === null ? operation : `${operation} of ${shorten(target, 120)}`;
  const more = tool === 'chat' ? '; it posts again' : '';
  return `Runs step ${label} again: ${what}, which was already called${more}.`;
}

/** A step as it would read if those that are replaced had had the names of those that take their places. */
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

/** Pools of which `after` reserves more than `before`. */
function raisedPools(
  before: Record<string, number>,
  after: Record<string, number>,
): [string, number, number][] {
  return Object.entries(after).flatMap(([pool, amount]): [string, number, number][] => {
    const was = Object.hasOwn(before, pool) ? (before[pool] ?? 0) : 0;
    return amount > was ? [[pool, was, amount]] : [];
  });
}

/** Parts of a step that people read when they approved, and that bind what it does. */
const bound = [
  ['description', 'what step % says it does'],
  ['target', 'the target of step %'],
  ['args', 'the arguments of step %'],
  ['capabilities', 'the capabilities that step % asks for'],
  ['notes', 'the notes of step %'],
] as const;

function widensByTime({ before, now }: ChangedStep): string | null {
  if (before.not_before === null || before.not_before === now.not_before) return null;
  if (now.not_before === null) {
    return `Lets step ${before.label} begin at any time; it was not to begin before ${before.not_before}.`;
  }
  return now.not_before < before.not_before
    ? `Lets step ${before.label} begin earlier: ${now.not_before} instead of ${before.not_before}.`
    : null;
}

/** Conditions that were approved have to stay, and so does asking first; more of them narrow. */
function widensByLimits({ before, now }: ChangedStep): string[] {
  const kept = before.when.every((one) => now.when.some((other) => isDeepStrictEqual(one, other)));
  return [
    ...(kept ? [] : [`Changes or removes the conditions of step ${before.label}.`]),
    ...(before.ask_before && !now.ask_before
      ? [`Lets step ${before.label} run without asking before.`]
      : []),
  ];
}

function widensByChanging(step: ChangedStep, names: ReadonlyMap<string, string>): string[] {
  const { before, now } = step;
  const { label } = before;
  const reasons: string[] = [];
  for (const [field, words] of bound) {
    if (isDeepStrictEqual(before[field], now[field])) continue;
    const decided = field === 'args' && hasRuntime(now.args) && !hasRuntime(before.args);
    const more = decided ? '; some are decided only when it runs' : '';
    reasons.push(`Changes ${words.replace('%', label)}${more}.`);
  }
  if (before.seen !== null && !isDeepStrictEqual(before.seen, now.seen)) {
    reasons.push(`Changes what step ${label} is compared with before it runs.`);
  }
  for (const [pool, was, amount] of raisedPools(before.resources, now.resources)) {
    reasons.push(`Raises what step ${label} reserves of ${pool} from ${was} to ${amount}.`);
  }
  const { duration_minutes: minutes } = now;
  if (minutes !== null && minutes > (before.duration_minutes ?? 0)) {
    const was = before.duration_minutes;
    reasons.push(
      was === null
        ? `Says that step ${label} takes ${minutes} minutes; nothing was said before.`
        : `Raises the duration of step ${label} from ${was} to ${minutes} minutes.`,
    );
  }
  reasons.push(...widensByLimits(step));
  const time = widensByTime(step);
  if (time !== null) reasons.push(time);
  const kept = new Map(now.after.map((one) => [keyOfDependency(one), one]));
  for (const one of before.after) {
    const same = kept.get(keyOfDependency(one));
    if (same === undefined)
      reasons.push(
        `Lets step ${label} run without waiting for step ${names.get(one.id) ?? one.id}.`,
      );
    else if (same.lag_minutes < one.lag_minutes) {
      reasons.push(`Shortens the wait of step ${label} after step ${names.get(one.id) ?? one.id}.`);
    }
  }
  return reasons;
}

/**
 * Why the patch needs its own approval; empty: it narrows. It narrows if it leaves unchanged what reaches or is read by an acting step,
 * the order of steps at a shared target, and what is asked before. Adding a step, or repeating a call that acts again, never narrows.
 * @param operations those that the approved plan uses
 * @param near what the patch may concern of the plan
 */
export function classifyPatch(
  effect: PatchEffect,
  operations: ReadonlySet<string>,
  near: Near,
): string[] {
  const { added, changed, removed, replaced, rerun, names } = effect;
  const reasons = [
    ...removed.flatMap((step) => widensByRemoving(step) ?? []),
    ...rerun.flatMap((step) => widensByRerunning(step) ?? []),
    ...added.map((step) => widensByAdding(step, operations)),
    ...changed.flatMap((step) =>
      widensByChanging({ ...step, before: renameIn(step.before, replaced) }, names),
    ),
    ...findFlowChanges(effect, near),
  ];
  if (reasons.length <= reasonsAtMost) return reasons;
  const shown = reasons.slice(0, reasonsAtMost - 1);
  return [...shown, `And ${countOf(reasons.length - shown.length, 'more change')} of this kind.`];
}
