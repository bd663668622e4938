// Validates arguments against JSON Schema. Run-time values are assumed to fit.
// Schemas are untrusted: expressions run on RE2, and compiling and checking are time-limited.
import { createRequire } from 'node:module';
import type { Ajv, ErrorObject, Options, ValidateFunction } from 'ajv';
import canonicalize from 'canonicalize';
import { isReference, isRuntime, isTemplate } from '#domain/plan/argument-kinds.ts';
import { isObject, type Json, type JsonObject } from '#domain/text.ts';
import type { JsonSchema } from '#domain/tool.ts';
import { compileLinear, type LinearPattern } from './linear-pattern.ts';
import { repairSchema } from './repair-schema.ts';
import { toPointer } from './resolve-arguments.ts';
import { withinTime } from './within-time.ts';

const maxSentences = 8;
const options: Options = {
  strict: false,
  allErrors: true,
  logger: false,
  validateSchema: false,
  addUsedSchema: false,
  // A schema that often refers to itself would be copied as often.
  inlineRefs: false,
};

const require = createRequire(import.meta.url);

function loadCompiler() {
  // The type checker can't resolve `require`.
  const { Ajv } = require('ajv') as typeof import('ajv');
  const { Ajv2020 } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  const { default: addFormats } = require('ajv-formats') as typeof import('ajv-formats');
  // If interrupted while loading, it would stay incomplete.
  compileLinear('');
  return { Ajv, Ajv2020, addFormats };
}

/** `unknown`: top-level arguments whose values come later. */
export type ArgumentValidator = {
  (args: JsonObject, unknown?: readonly string[]): string[];
  /** Only the server can check these. */
  unchecked: readonly string[];
};

const tooSlow = 'take too long to check against the schema: make them smaller';

/** Draft 7 or 2020-12 (default), by `$schema`. @throws Error if unusable in either */
export function compileValidator(schema: JsonSchema): ArgumentValidator {
  const compiled = compileSchema(schema);
  const check = (args: JsonObject, unknown: readonly string[] = []): string[] => {
    const errors = findErrors(compiled, args);
    if (errors === null) return [`the arguments ${tooSlow}`];
    if (errors.length === 0) return [];
    const open = [...unknown.map((name) => toPointer([name])), ...findOpenValues(args, '')];
    return toSentences(dropExcused(errors, open), 'the arguments', 'argument');
  };
  return Object.assign(check, { unchecked: compiled.unchecked });
}

export function checkOutput(schema: JsonSchema, data: Json): string[] {
  const errors = findErrors(compileSchema(schema), data);
  return errors === null ? [`the data ${tooSlow}`] : toSentences(errors, 'data', 'field');
}

function toSentences(errors: ErrorObject[], all: string, one: string): string[] {
  return [...new Set(errors.map((error) => toSentence(error, all, one)))].slice(0, maxSentences);
}

function toNumbers(value: Json): Json {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(toNumbers);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toNumbers(item)]));
}

/** An array may have one per item. */
const maxErrors = 1000;

/** Schema times value characters below which a check takes milliseconds. */
const mostUnbounded = 2_000_000;

function findErrors({ validate, weight }: Compiled, data: Json): ErrorObject[] | null {
  const check = () => (validate(toNumbers(data)) ? [] : (validate.errors ?? []));
  try {
    // Most checks are cheaper than a time limit, for which V8 starts a thread.
    const isShort = weight * JSON.stringify(data).length <= mostUnbounded;
    const done = isShort ? { value: check() } : withinTime(check);
    return done?.value.slice(0, maxErrors) ?? null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

class TooSlow extends Error {}

/** `weight`: schema characters if they bound the checks, else Infinity. */
type Compiled = { validate: ValidateFunction; unchecked: string[]; weight: number };
type Draft = 'seven' | 'newest';
type Compiler = { ajv: Ajv; unchecked: Set<string>; left: number };

/** V8 can't be stopped while parsing, 25 ms per million characters. */
const longestCode = 2_000_000;

function requireParsable(code: string): string {
  if (code.length > longestCode) throw new TooSlow('it takes too long to read');
  return code;
}

/** The compiler caches them. Creating one takes longer than most schemas. */
const schemasEach = 50;
const compilers = new Map<Draft, Compiler>();

function createCompiler(draft: Draft): Compiler {
  const { Ajv, Ajv2020, addFormats } = loadCompiler();
  const unchecked = new Set<string>();
  const regExp = Object.assign(
    (source: string): LinearPattern & { toString(): string } => {
      const pattern = compileLinear(source);
      if (pattern === null) unchecked.add(source);
      // The compiler caches expressions by text.
      return { test: (text) => pattern?.test(text) ?? true, toString: () => source };
    },
    { code: 'compileLinear' },
  );
  const code = { regExp, process: requireParsable };
  const ajv = new (draft === 'seven' ? Ajv : Ajv2020)({ ...options, code });
  // A draft 4 keyword; and one that takes quadratic time in a list's length.
  ajv.removeKeyword('id');
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: 'must not have the same item twice' },
    validate: (wanted: boolean, items: Json[]) =>
      !wanted || new Set(items.map((item) => canonicalize(item))).size === items.length,
  });
  return { ajv: addFormats(ajv), unchecked, left: schemasEach };
}

function compileIn(draft: Draft, schema: JsonSchema): Compiled {
  const compiler = compilers.get(draft) ?? createCompiler(draft);
  compilers.delete(draft);
  const { ajv, unchecked } = compiler;
  unchecked.clear();
  const repaired = repairSchema(schema);
  const done = withinTime(() => ajv.compile({ $id: ownId, ...repaired }));
  if (done === null) throw new TooSlow('it takes too long to read');
  compiler.left -= 1;
  if (compiler.left > 0) compilers.set(draft, compiler);
  return { validate: done.value, unchecked: [...unchecked], weight: weigh(repaired) };
}

/** Without references and expressions, each schema part sees each value part once. */
function weigh(schema: JsonSchema): number {
  const text = JSON.stringify(schema);
  return /"(?:\$\w{0,20}[rR]ef|pattern|patternProperties|format)":/.test(text)
    ? Infinity
    : text.length;
}

/** Without an ID the compiler can't resolve `$ref: "#"`. */
const ownId = 'https://schema.invalid/';

function compileSchema({ $schema, ...schema }: JsonSchema): Compiled {
  const drafts = ['newest', 'seven'] as const;
  const isOld = typeof $schema === 'string' && /draft-0[3467]/.test($schema);
  let reason: unknown = null;
  for (const draft of isOld ? drafts.toReversed() : drafts) {
    try {
      return compileIn(draft, schema);
    } catch (error) {
      if (error instanceof TooSlow) throw error;
      // Recursion deeper than the stack, in either draft.
      if (error instanceof RangeError) throw new Error('it refers to itself without an end');
      reason ??= error;
    }
  }
  throw reason;
}

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

function* upFrom(pointer: string): Generator<string, void> {
  for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) yield at;
  yield '';
}

/** JSON pointers; `around` includes their ancestors. */
type Open = { values: ReadonlySet<string>; around: ReadonlySet<string> };

function dropExcused(errors: ErrorObject[], pointers: string[]): ErrorObject[] {
  if (pointers.length === 0) return errors;
  const open = {
    values: new Set(pointers),
    around: new Set(pointers.flatMap((pointer) => [...upFrom(pointer)])),
  };
  const excused = new Set(errors.filter((error) => isExcused(error, open)));
  // Excusing "one of these" excuses each alternative's errors.
  const alternatives = [...excused]
    .filter((error) => aboutTheWhole.has(error.keyword))
    .map((error) => `${error.schemaPath}/`);
  return errors.filter(
    (error) =>
      !excused.has(error) && !alternatives.some((path) => error.schemaPath.startsWith(path)),
  );
}

/** It may vanish once an open value is known. */
function isExcused(error: ErrorObject, { values, around }: Open): boolean {
  const path =
    error.keyword === 'required'
      ? error.instancePath + toPointer([String(error.params.missingProperty)])
      : error.instancePath;
  return (
    [...upFrom(path)].some((one) => values.has(one)) ||
    (aboutTheWhole.has(error.keyword) && around.has(path))
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

export function nameType(type: string): string {
  return typeNames[type] ?? type;
}

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
