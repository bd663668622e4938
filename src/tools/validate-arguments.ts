// Checks arguments against an operation's JSON Schema and says what is wrong in sentences that name the argument.
// Values that are only known when the step runs ($from, $template, $decide) are taken to fit.
import { createRequire } from 'node:module';
import type { ErrorObject, Options, ValidateFunction } from 'ajv';
import { isReference, isRuntime, isTemplate } from '#domain/plan/arguments.ts';
import { isObject, type Json, type JsonObject } from '#domain/text.ts';
import type { JsonSchema } from '#domain/tool.ts';
import { toPointer } from './resolve-arguments.ts';

const maxSentences = 8;
const options: Options = {
  strict: false,
  allErrors: true,
  logger: false,
  validateSchema: false,
  addUsedSchema: false,
};

const require = createRequire(import.meta.url);

/** The compiler of schemas is ninety modules; they are loaded with the first schema, each once. */
function loadCompiler() {
  // What a name leads to is unknown to the type checker here; the types are those of the same modules.
  const { Ajv } = require('ajv') as typeof import('ajv');
  const { Ajv2020 } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  const { default: addFormats } = require('ajv-formats') as typeof import('ajv-formats');
  return { Ajv, Ajv2020, addFormats };
}

/** `unknown` names top-level arguments whose values come later. */
export type ArgumentValidator = (args: JsonObject, unknown?: readonly string[]) => string[];

/**
 * A validator for one schema, draft 7 or 2020-12 (what it says in `$schema`; 2020-12 when silent).
 * @throws Error when the schema cannot be used in either draft
 */
export function compileValidator(schema: JsonSchema): ArgumentValidator {
  const validate = compileSchema(schema);
  return (args, unknown = []) => {
    if (validate(toNumbers(args))) return [];
    const open = [...unknown.map((name) => toPointer([name])), ...findOpenValues(args, '')];
    const errors = dropExcused(validate.errors ?? [], open);
    return [
      ...new Set(errors.map((error) => toSentence(error, 'the arguments', 'argument'))),
    ].slice(0, maxSentences);
  };
}

/** What of a result does not fit `schema`, as sentences. Nothing of a result is open. */
export function checkOutput(schema: JsonSchema, data: Json): string[] {
  const validate = compileSchema(schema);
  if (validate(toNumbers(data))) return [];
  const sentences = (validate.errors ?? []).map((error) => toSentence(error, 'data', 'field'));
  return [...new Set(sentences)].slice(0, maxSentences);
}

/** Schemas know no bigints: what is checked is the nearest number. */
function toNumbers(value: Json): Json {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(toNumbers);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toNumbers(item)]));
}

function compileSchema(schema: JsonSchema): ValidateFunction {
  const { $schema, ...rest } = schema;
  const { Ajv, Ajv2020, addFormats } = loadCompiler();
  // Each schema gets its own instance: servers may use the same $id twice.
  const drafts = [() => addFormats(new Ajv2020(options)), () => addFormats(new Ajv(options))];
  if (typeof $schema === 'string' && /draft-0[67]/.test($schema)) drafts.reverse();
  const [first, second] = drafts;
  try {
    if (first === undefined) throw new Error('no draft');
    return first().compile(rest);
  } catch (error) {
    try {
      if (second === undefined) throw error;
      return second().compile(rest);
    } catch {
      throw error;
    }
  }
}

/** JSON pointers of the values inside `args` that are not yet known. */
function findOpenValues(value: Json, pointer: string): string[] {
  if (isReference(value) || isTemplate(value) || isRuntime(value)) return [pointer];
  if (value === null || typeof value !== 'object') return [];
  const entries: [string, Json][] = Array.isArray(value)
    ? value.map((item, index) => [String(index), item])
    : Object.entries(value);
  return entries.flatMap(([key, item]) => findOpenValues(item, pointer + toPointer([key])));
}

const aboutTheWhole = new Set([
  'anyOf',
  'oneOf',
  'allOf',
  'not',
  'if',
  'enum',
  'const',
  'contains',
  'uniqueItems',
  'dependentSchemas',
]);

/** The errors that stay whatever the open values turn out to be. */
function dropExcused(errors: ErrorObject[], open: string[]): ErrorObject[] {
  if (open.length === 0) return errors;
  const excused = errors.filter((error) => isExcused(error, open));
  // With "one of these" excused, the complaints of each alternative are, too.
  const alternatives = excused
    .filter((error) => aboutTheWhole.has(error.keyword))
    .map((error) => `${error.schemaPath}/`);
  return errors.filter(
    (error) =>
      !excused.includes(error) && !alternatives.some((path) => error.schemaPath.startsWith(path)),
  );
}

/** An error that may vanish once an open value is known. */
function isExcused(error: ErrorObject, open: string[]): boolean {
  const path =
    error.keyword === 'required'
      ? error.instancePath + toPointer([String(error.params.missingProperty)])
      : error.instancePath;
  return open.some(
    (pointer) =>
      path === pointer ||
      path.startsWith(`${pointer}/`) ||
      (aboutTheWhole.has(error.keyword) && (path === '' || pointer.startsWith(`${path}/`))),
  );
}

/** `/items/0/name` → `items[0].name` */
export function toArgumentName(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((name, part) => {
      if (/^\d+$/.test(part)) return `${name}[${part}]`;
      return name === '' ? part : `${name}.${part}`;
    }, '');
}

const typeNames: Record<string, string> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

/** What people call a JSON type. */
export function nameType(type: string): string {
  return typeNames[type] ?? type;
}

/** @param all what is checked as a whole @param one what a part of it is called */
function toSentence(error: ErrorObject, all: string, one: string): string {
  const name = toArgumentName(error.instancePath);
  const params = error.params as Record<string, unknown>;
  const inside = (key: unknown) => (name === '' ? String(key) : `${name}.${String(key)}`);
  const subject = name === '' ? all : name;
  switch (error.keyword) {
    case 'required':
      return `${inside(params.missingProperty)} is missing`;
    case 'additionalProperties':
      return `${inside(params.additionalProperty)} is not a known ${one}`;
    case 'unevaluatedProperties':
      return `${inside(params.unevaluatedProperty)} is not a known ${one}`;
    case 'type': {
      const types = Array.isArray(params.type) ? params.type : [params.type];
      return `${subject} must be ${types.map((type) => nameType(String(type))).join(' or ')}`;
    }
    case 'enum': {
      const values = Array.isArray(params.allowedValues) ? params.allowedValues : [];
      return `${subject} must be one of ${values.map((value) => JSON.stringify(value)).join(', ')}`;
    }
    case 'const':
      return `${subject} must be ${JSON.stringify(params.allowedValue)}`;
    case 'minLength':
      return params.limit === 1
        ? `${subject} is empty`
        : `${subject} must have at least ${String(params.limit)} characters`;
    case 'maxLength':
      return `${subject} must have at most ${String(params.limit)} characters`;
    case 'format':
      return `${subject} must be a valid ${String(params.format)}`;
    case 'pattern':
      return `${subject} must match ${String(params.pattern)}`;
    default:
      return `${subject} ${error.message ?? 'does not fit'}`;
  }
}
