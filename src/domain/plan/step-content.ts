// Schemas and forms of a step, derived from the field table.
import { z } from 'zod';
import { isSameJson } from '../same-json.ts';
import { isObject } from '../text.ts';
import { safeReferences } from './arguments.ts';
import { conditionsOf } from './condition.ts';
import { type Dependency, toDependency } from './dependency.ts';
import { type StepField, stepFields } from './step-fields.ts';

type Rows = typeof stepFields;
export type FieldName = keyof Rows;

/** All fields in table order. */
export const allFields = Object.entries<StepField>(stepFields) as [FieldName, StepField][];

type Shape<Key extends 'draft' | 'stored' | 'change'> = {
  [Name in FieldName as NonNullable<Rows[Name][Key]> extends never ? never : Name]: Extract<
    Rows[Name][Key],
    z.ZodType
  >;
};

/** The schemas of a table column, by field. */
function shapeOf<Key extends 'draft' | 'stored' | 'change'>(key: Key): Shape<Key> {
  const given = allFields.flatMap(([name, field]) => {
    const schema = field[key];
    return schema == null ? [] : [[name, schema]];
  });
  // The type covers the same fields: those with a schema.
  return Object.fromEntries(given) as Shape<Key>;
}

/** One proposed step: an operation with arguments, or a task for a person. */
export const StepDraft = z.strictObject(shapeOf('draft'));
export type StepDraft = z.infer<typeof StepDraft>;

export const storedShape = shapeOf('stored');
/** Everything an approval binds, and nothing that execution changes. */
export type StepContent = z.infer<z.ZodObject<typeof storedShape>>;

/** A change of steps; `null` clears a field. */
export const StepSettings = z.strictObject(shapeOf('change')).partial();
export type StepSettings = z.infer<typeof StepSettings>;

/** Fields that bind the call of a step. */
export type SealedField = {
  [Name in FieldName]: NonNullable<Rows[Name]['sealed']> extends never ? never : Name;
}[FieldName];
export const sealedFields = allFields.filter(
  (entry): entry is [SealedField, StepField] => entry[1].sealed !== undefined,
);

/** Whether the value equals an omitted field's. */
export function isEmpty({ empty }: StepField, value: unknown): boolean {
  // Steps of older programs lack newer fields.
  if (value === undefined || value === empty) return true;
  if (Array.isArray(empty)) return Array.isArray(value) && value.length === 0;
  return isObject(empty) && isObject(value) && Object.keys(value).length === 0;
}

type Part = readonly [FieldName, unknown];

// Each value has its field's type, which a list of all fields can't express.
const asContent = (parts: Part[]) => Object.fromEntries(parts) as StepContent;

export function contentOf(step: StepContent): StepContent {
  return asContent(allFields.map(([name]) => [name, step[name]]));
}

/** Content as versions store it, without empty sparse fields. */
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

/** A draft's fields as stored, unless determined elsewhere. */
export function contentOfDraft(draft: StepDraft): StepContent {
  const given: Partial<Record<FieldName, unknown>> = draft;
  return asContent(allFields.map(([name, field]) => [name, storedValue(field, given[name])]));
}

export function contentOfSettings(settings: StepSettings): Partial<StepContent> {
  // Minutes alone replace words, and without words there are no minutes of theirs.
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

/** The step for another proposal, without omitted and computed fields. */
export function draftOf(step: StepContent): StepDraft {
  const given = allFields.flatMap(([name, field]): Part[] =>
    field.computed === true || isEmpty(field, step[name]) ? [] : [[name, step[name]]],
  );
  // Null is always the empty value, so the rest is in draft form.
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

/** A step in versions and exports: omitted fields are empty, and times have any offset. */
export const KeptContent = z.preprocess(fillKept, z.object(storedShape));

/** Fields in which two steps differ. */
export function changedFields(before: StepContent, now: StepContent): [FieldName, StepField][] {
  return allFields.filter(([name]) => !isSameJson(before[name], now[name]));
}

export function dependenciesOf({ after = [] }: Pick<StepDraft, 'after'>): Dependency[] {
  return after.map(toDependency);
}

/** IDs of steps whose output the arguments or conditions use. */
export function sourcesOf({ args = {}, when }: Pick<StepDraft, 'args' | 'when'>): string[] {
  return [
    ...safeReferences(args).map(({ $from }) => $from),
    ...conditionsOf(when).map(({ step }) => step),
  ];
}

/** IDs of all steps it waits for: by \`after\`, arguments and conditions. */
export function predecessorsOf(step: Pick<StepDraft, 'after' | 'args' | 'when'>): string[] {
  return [...dependenciesOf(step).map(({ id }) => id), ...sourcesOf(step)];
}
