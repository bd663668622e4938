// Asks a person for values that a model could not decide.
import type { ClaimedStep } from '#db/sql/claim.ts';
import type { Outcome } from '#db/sql/settle.ts';
import { CountersignError } from '#domain/errors.ts';
import { formLimits } from '#domain/plan/form.ts';
import { findPlaces, namePlace, type OpenPlace, type Undecided } from '#domain/plan/open-values.ts';
import { isObject, type Json } from '#domain/text.ts';
import type { Operation } from '#domain/tool.ts';
import { shorten } from '#domain/words.ts';
import { SchemaWalker } from '#tools/walk-schema.ts';
import { makeOutcome } from './outcomes.ts';

const maxLabel = 200;

type Field = Record<string, Json>;

function readOptions(schema: SchemaWalker['root']): string[] | null {
  const values = isObject(schema) ? schema.enum : undefined;
  if (!Array.isArray(values) || values.length === 0 || values.length > formLimits.options)
    return null;
  const texts = values.filter(
    (value) => typeof value === 'string' && value.trim() !== '' && value.length <= 100,
  );
  return texts.length === values.length ? texts : null;
}

/** `json` if it has to be entered as JSON. */
function describeType(
  walker: SchemaWalker,
  schema: SchemaWalker['root'],
): { field: Field; json: boolean } {
  const options = readOptions(schema);
  if (options !== null) return { field: { type: 'choice', options }, json: false };
  const types = [...walker.typesOf(schema)].filter((type) => type !== 'null');
  const isNumber =
    types.length > 0 && types.every((type) => type === 'integer' || type === 'fraction');
  if (isNumber)
    return { field: { type: 'number', whole: !types.includes('fraction') }, json: false };
  if (types.length === 1 && types[0] === 'boolean')
    return { field: { type: 'boolean' }, json: false };
  if (types.includes('string')) {
    const isDay = isObject(schema) && schema.format === 'date';
    return { field: { type: isDay ? 'date' : 'multiline' }, json: false };
  }
  return { field: { type: 'multiline', help: 'As JSON.' }, json: true };
}

function fieldOf({ path, argument }: OpenPlace, name: string, walker: SchemaWalker) {
  const schema = path.reduce<SchemaWalker['root']>(
    (inside, key) => walker.memberOf(inside, String(key)),
    walker.root,
  );
  const { field, json } = describeType(walker, schema);
  const label = shorten(
    `${namePlace(path)}: ${argument.$decide}`.replace(/\s+/g, ' ').trim(),
    maxLabel,
  );
  return { field: { ...field, name, label, required: true }, place: { path, json } };
}

/** Without the model's guesses. @throws `model_failed` if a form can't hold them */
export function askForValues(step: ClaimedStep, operation: Operation, reason: string): Outcome {
  const places = findPlaces(step.args);
  if (places.length > formLimits.fields) {
    throw new CountersignError(
      'model_failed',
      `${operation.name} needs ${places.length} values that could not be decided: ${reason}`,
    );
  }
  const walker = new SchemaWalker(operation.input);
  const made = places.map((place, index) => fieldOf(place, `value_${index + 1}`, walker));
  const output = {
    undecided: reason,
    form: made.map(({ field }) => field),
    places: Object.fromEntries(made.map(({ field, place }) => [field.name, place])),
  } satisfies Undecided;
  return makeOutcome(step, {
    status: 'waiting',
    question: `These values could not be decided: ${reason}`,
    output,
  });
}
