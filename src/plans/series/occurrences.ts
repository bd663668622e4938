// Recognises unchanged occurrences, which drafts needn't list.
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
  isNameOf,
  type OccurrenceStep,
  readOccurrenceId,
  stepsOfOccurrence,
  templatesOf,
} from './series.ts';

const keyOf = ({ id, type, lag_minutes }: Dependency) => `${type} ${lag_minutes} ${id}`;

/** Besides those from references and conditions. */
function waitsForTheSame(step: StepContent, occurrence: OccurrenceStep): boolean {
  const named = (occurrence.after ?? []).map(toDependency);
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

/** Set by the occurrence, or derived from the operation. */
const others = new Set<FieldName>(['id', 'not_before', 'after', 'target', 'capabilities', 'seen']);

function saysTheSame(step: StepContent, given: OccurrenceStep): boolean {
  const content = contentOfDraft(given);
  // Measured from words at the proposal.
  const derived = (name: FieldName) => name === 'duration_minutes' && given.duration !== undefined;
  return (
    changedFields(step, content).every(([name]) => others.has(name) || derived(name)) &&
    (given.target === undefined || step.target === given.target) &&
    content.capabilities.every((one) => step.capabilities.includes(one)) &&
    waitsForTheSame(step, given)
  );
}

/** Naming the series is then enough. */
export function createOccurrenceTest(series: readonly Series[]): (step: StepContent) => boolean {
  if (series.length === 0) return () => false;
  const templates = templatesOf(series);
  return (step) => {
    const place = readOccurrenceId(step.id, templates);
    if (place === null || step.not_before === null) return false;
    const moment = new Date(step.not_before);
    const own = series.find(({ steps }) => steps.some(({ id }) => id === place.template));
    if (own === undefined || !isNameOf(own, moment, place.occurrence)) return false;
    const expected = stepsOfOccurrence(own, moment, place.occurrence).find(
      ({ id }) => id === step.id,
    );
    return expected !== undefined && saysTheSame(step, expected);
  };
}

/** Its rule yields the start `at`. */
export function isNamedFor(series: readonly Series[], id: string, at: string | null): boolean {
  const place = readOccurrenceId(id, templatesOf(series));
  const own = series.find(({ steps }) => steps.some((step) => step.id === place?.template));
  if (place === null || own === undefined || at === null) return false;
  return isNameOf(own, new Date(at), place.occurrence);
}
