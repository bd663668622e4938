// Compares step fields, in words, and whether changes widen.
import { sayInHours, sayLength } from '../length.ts';
import { isSameJson } from '../same-json.ts';
import type { JsonObject } from '../text.ts';
import { hasRuntime } from './arguments.ts';
import type { StepCondition } from './condition.ts';
import { type AskingStep, labelConditions } from './condition-labels.ts';
import { describeConditions } from './condition-words.ts';
import type { Dependency } from './dependency.ts';

export type FieldNaming = {
  label: string;
  nameStep: (id: string) => string;
  asking: AskingStep[];
};

export const keyOfDependency = ({ id, type }: Pick<Dependency, 'id' | 'type'>): string =>
  `${type} ${id}`;

/** `1, 2 (SS +5 min)`, sorted. */
export function describeAfter(after: Dependency[], { nameStep }: FieldNaming): string | null {
  const names = after.map(({ id, type, lag_minutes: lag }) => {
    const notes = [
      ...(type === 'FS' ? [] : [type]),
      ...(lag === 0 ? [] : [`${lag > 0 ? '+' : '−'}${sayLength(Math.abs(lag))}`]),
    ];
    return notes.length === 0 ? nameStep(id) : `${nameStep(id)} (${notes.join(' ')})`;
  });
  return names.length === 0 ? null : names.sort().join(', ');
}

export const describeWhen = (when: StepCondition[], { nameStep, asking }: FieldNaming) =>
  describeConditions(labelConditions(when, asking), { step: nameStep });

export function widensByArguments(
  before: JsonObject,
  now: JsonObject,
  { label }: FieldNaming,
): string[] {
  const decided = hasRuntime(now) && !hasRuntime(before);
  const more = decided ? '; some are decided only when it runs' : '';
  return [`Changes the arguments of step ${label}${more}.`];
}

/** Approved conditions must stay; more of them narrow. */
export function widensByConditions(
  before: StepCondition[],
  now: StepCondition[],
  { label }: FieldNaming,
): string[] {
  const kept = before.every((one) => now.some((other) => isSameJson(one, other)));
  return kept ? [] : [`Changes or removes the conditions of step ${label}.`];
}

export function widensByTime(
  before: string | null,
  now: string | null,
  { label }: FieldNaming,
): string[] {
  if (before === null) return [];
  if (now === null)
    return [`Lets step ${label} start at any time, instead of not before ${before}.`];
  return now < before ? [`Lets step ${label} start earlier: ${now} instead of ${before}.`] : [];
}

export function widensByOrder(
  before: Dependency[],
  now: Dependency[],
  { label, nameStep }: FieldNaming,
): string[] {
  const kept = new Map(now.map((one) => [keyOfDependency(one), one]));
  return before.flatMap((one) => {
    const same = kept.get(keyOfDependency(one));
    if (same === undefined)
      return [`Lets step ${label} run without waiting for step ${nameStep(one.id)}.`];
    return same.lag_minutes < one.lag_minutes
      ? [`Shortens the wait of step ${label} after step ${nameStep(one.id)}.`]
      : [];
  });
}

export function widensByResources(
  before: Record<string, number>,
  now: Record<string, number>,
  { label }: FieldNaming,
): string[] {
  return Object.entries(now).flatMap(([pool, amount]) => {
    const was = Object.hasOwn(before, pool) ? (before[pool] ?? 0) : 0;
    return amount > was
      ? [`Raises step ${label}'s reservation of ${pool} from ${was} to ${amount}.`]
      : [];
  });
}

export function widensByDuration(
  before: number | null,
  now: number | null,
  { label }: FieldNaming,
): string[] {
  if (now === null || now <= (before ?? 0)) return [];
  return before === null
    ? [`Sets the duration of step ${label} to ${sayInHours(now)}; it had none.`]
    : [`Raises the duration of step ${label} from ${sayInHours(before)} to ${sayInHours(now)}.`];
}
