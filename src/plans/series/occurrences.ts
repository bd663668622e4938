// Which stored steps are unchanged occurrences of a series. A draft need not list them.
import { referencesOf } from '#domain/plan/arguments.ts';
import { type Dependency, toDependency } from '#domain/plan/dependency.ts';
import type { Series } from '#domain/plan/plan.ts';
import {
  changedFields,
  contentOfDraft,
  type FieldName,
  type StepContent,
} from '#domain/plan/step-content.ts';
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

/** Given by the occurrence, or read from the operation as well. */
const others = new Set<FieldName>(['id', 'not_before', 'after', 'target', 'capabilities', 'seen']);

/** Whether the stored step says what its template does. */
function saysTheSame(step: StepContent, given: OccurrenceStep): boolean {
  const content = contentOfDraft(given);
  return (
    changedFields(step, content).every(([name]) => others.has(name)) &&
    (given.target === undefined || step.target === given.target) &&
    content.capabilities.every((one) => step.capabilities.includes(one)) &&
    waitsForTheSame(step, given)
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
