// Step schemas and forms, from the field table.
import { z } from 'zod';
import { isSameJson } from '../same-json.ts';
import { isObject } from '../text.ts';
import { safeReferences } from './arguments.ts';
import { conditionsOf } from './condition.ts';
import { type Dependency, toDependency } from './dependency.ts';
import { type StepField, stepFields } from './step-fields.ts';

type Rows = typeof stepFields;
export type FieldName = keyof Rows;

/** In table order. */
export const allFields = Object.entries<StepField>(stepFields) as [FieldName, StepField][];

type Shape<Key extends 'draft' | 'stored' | 'change'> = {
  [Name in FieldName as NonNullable<Rows[Name][Key]> extends never ? never : Name]: Extract<
    Rows[Name][Key],
    z.ZodType
  >;
};

function shapeOf<Key extends 'draft' | 'stored' | 'change'>(key: Key): Shape<Key> {
  const given = allFields.flatMap(([name, field]) => {
    const schema = field[key];
    return schema == null ? [] : [[name, schema]];
  });
  // Exactly the fields with a schema.
  return Object.fromEntries(given) as Shape<Key>;
}

export const StepDraft = z.strictObject(shapeOf('draft'));
export type StepDraft = z.infer<typeof StepDraft>;

export const storedShape = shapeOf('stored');
/** Bound by approval; execution changes none of it. */
export type StepContent = z.infer<z.ZodObject<typeof storedShape>>;

/** `null` clears. */
export const StepSettings = z.strictObject(shapeOf('change')).partial();
export type StepSettings = z.infer<typeof StepSettings>;

export type SealedField = {
  [Name in FieldName]: NonNullable<Rows[Name]['sealed']> extends never ? never : Name;
}[FieldName];
export const sealedFields = allFields.filter(
  (entry): entry is [SealedField, StepField] => entry[1].sealed !== undefined,
);

export function isEmpty({ empty }: StepField, value: unknown): boolean {
  // Older programs' steps lack newer fields.
  if (value === undefined || value === empty) return true;
  if (Array.isArray(empty)) return Array.isArray(value) && value.length === 0;
  return isObject(empty) && isObject(value) && Object.keys(value).length === 0;
}

type Part = readonly [FieldName, unknown];

// A list of all fields can't express each one's type.
const asContent = (parts: Part[]) => Object.fromEntries(parts) as StepContent;

export function contentOf(step: StepContent): StepContent {
  return asContent(allFields.map(([name]) => [name, step[name]]));
}

/** Without empty sparse fields. */
export function sparseContentOf(step: StepContent): Partial<StepContent> {
  return asContent(
    allFields.flatMap(([name, field]): Part[] =>
      field.sparse === true && isEmpty(field, step[name]) ? [] : [[name, step[name]]],
    ),
  );
}

function storedValue(field: StepField, given: unknown): unknown {
  if (given === undefined || given === null) return field.empty ?? null;
  return field.store === undefined ? given : field.store(given);
}

export function contentOfDraft(draft: StepDraft): StepContent {
  const given: Partial<Record<FieldName, unknown>> = draft;
  return asContent(allFields.map(([name, field]) => [name, storedValue(field, given[name])]));
}

export function contentOfSettings(settings: StepSettings): Partial<StepContent> {
  // Minutes replace words; without words there are none of theirs.
  const words =
    settings.duration_minutes !== undefined
      ? { duration: null }
      : settings.duration === null
        ? { duration_minutes: null }
        : {};
  const given: Partial<Record<FieldName, unknown>> = { ...words, ...settings };
  return asContent(
    allFields.flatMap(([name, field]): Part[] =>
      given[name] === undefined ? [] : [[name, storedValue(field, given[name])]],
    ),
  );
}

/** Without omitted and computed fields. */
export function draftOf(step: StepContent): StepDraft {
  const given = allFields.flatMap(([name, field]): Part[] =>
    field.computed === true || isEmpty(field, step[name]) ? [] : [[name, step[name]]],
  );
  // Null means empty, so the rest is in draft form.
  return Object.fromEntries(given) as StepDraft;
}

function fillKept(kept: unknown): unknown {
  if (!isObject(kept)) return kept;
  const { not_before: moment } = kept;
  return {
    ...Object.fromEntries(allFields.map(([name, { empty }]) => [name, empty])),
    ...kept,
    ...(typeof moment === 'string' ? { not_before: new Date(moment).toISOString() } : {}),
  };
}

/** In versions and exports: omitted fields are empty; times have any offset. */
export const KeptContent = z.preprocess(fillKept, z.object(storedShape));

export function changedFields(before: StepContent, now: StepContent): [FieldName, StepField][] {
  return allFields.filter(([name]) => !isSameJson(before[name], now[name]));
}

export function dependenciesOf({ after = [] }: Pick<StepDraft, 'after'>): Dependency[] {
  return after.map(toDependency);
}

export function sourcesOf({ args = {}, when }: Pick<StepDraft, 'args' | 'when'>): string[] {
  return [
    ...safeReferences(args).map(({ $from }) => $from),
    ...conditionsOf(when).map(({ step }) => step),
  ];
}

/** By \`after\`, arguments and conditions. */
export function predecessorsOf(step: Pick<StepDraft, 'after' | 'args' | 'when'>): string[] {
  return [...dependenciesOf(step).map(({ id }) => id), ...sourcesOf(step)];
}
