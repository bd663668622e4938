// Which stored steps are unchanged occurrences of a series. A draft need not list them.
import { isDeepStrictEqual } from 'node:util';
import { referencesOf } from '#domain/plan/arguments.ts';
import { conditionsOf } from '#domain/plan/condition.ts';
import { type Dependency, type Series, type StepContent, toDependency } from '#domain/plan/plan.ts';
import {
  nameOfOccurrence,
  type OccurrenceStep,
  readOccurrenceId,
  stepsOfOccurrence,
  templatesOf,
} from './series.ts';

const keyOf = ({ id, type, lag_minutes }: Dependency) => `${type} ${lag_minutes} ${id}`;

/** Whether the dependencies are those that were said and those that references and conditions bring, and no others. */
function waitsForTheSame(step: StepContent, said: OccurrenceStep): boolean {
  const named = (said.after ?? []).map(toDependency);
  const implied = new Set([
    ...referencesOf(step.args).map(({ $from }) => $from),
    ...step.when.map((condition) => condition.step),
  ]);
  const stored = new Set(step.after.map(keyOf));
  const expected = new Set(named.map(keyOf));
  return (
    named.every((one) => stored.has(keyOf(one))) &&
    step.after.every((one) => expected.has(keyOf(one)) || implied.has(one.id))
  );
}

/** Whether the stored step says what its template does; targets and capabilities may have been read from the operation. */
function saysTheSame(step: StepContent, said: OccurrenceStep): boolean {
  return (
    step.description === said.description &&
    step.tool === said.tool &&
    step.operation === said.operation &&
    isDeepStrictEqual(step.args, said.args ?? {}) &&
    (said.target === undefined || step.target === said.target) &&
    (said.capabilities ?? []).every((one) => step.capabilities.includes(one)) &&
    step.priority === (said.priority ?? 0) &&
    step.partition === (said.partition ?? null) &&
    isDeepStrictEqual(step.tags, [...new Set(said.tags ?? [])]) &&
    isDeepStrictEqual(step.resources, said.resources ?? {}) &&
    isDeepStrictEqual(step.notes, said.notes ?? null) &&
    step.duration_minutes === (said.duration_minutes ?? null) &&
    isDeepStrictEqual(step.when, conditionsOf(said.when)) &&
    step.ask_before === (said.ask_before ?? false) &&
    waitsForTheSame(step, said)
  );
}

/** Whether a step is exactly what one of `series` gives, so that naming the series is enough. */
export function createOccurrenceTest(series: readonly Series[]): (step: StepContent) => boolean {
  if (series.length === 0) return () => false;
  const templates = templatesOf(series);
  return (step) => {
    const place = readOccurrenceId(step.id, templates);
    if (place === null || step.not_before === null) return false;
    const moment = new Date(step.not_before);
    const own = series.find(({ steps }) => steps.some(({ id }) => id === place.template));
    const said = own && stepsOfOccurrence(own, moment).find(({ id }) => id === step.id);
    return said !== undefined && saysTheSame(step, said);
  };
}

/** Whether a step of this id that begins `at` is an occurrence by its name: its rule gives it that moment. */
export function isNamedFor(series: readonly Series[], id: string, at: string | null): boolean {
  const place = readOccurrenceId(id, templatesOf(series));
  const own = series.find(({ steps }) => steps.some((step) => step.id === place?.template));
  if (place === null || own === undefined || at === null) return false;
  return nameOfOccurrence(own, new Date(at)) === place.occurrence;
}
