// Defines tools: schemas for models, lenient reading of their arguments.
import { z } from 'zod';
import type { Stage } from '#domain/planning/stages.ts';
import { isObject, type JsonObject } from '#domain/text.ts';
import type { JsonSchema } from '#domain/tool.ts';
import type { Prepared, Tool, ToolContext } from './tool.ts';

export const openStages: Stage[] = ['COLLECT_CONTEXT', 'DRAFT_OUTLINE'];

/** No product, never remembered. */
export const toolDefaults = {
  stages: openStages,
  prerequisites: [],
  produces: [],
  reads: false,
  revision: null,
} satisfies Partial<Tool>;

/** Hidden from models to save tokens; `prepare` checks them. */
const unshown = new Set([
  '$schema',
  '$defs',
  'additionalProperties',
  'propertyNames',
  'default',
  'minLength',
  'pattern',
  'format',
  'minItems',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
]);

function withoutNull(schema: Record<string, unknown>): Record<string, unknown> {
  const { anyOf, type, ...rest } = schema;
  if (Array.isArray(type)) {
    const types = type.filter((one) => one !== 'null');
    return { ...rest, type: types.length === 1 ? types[0] : types };
  }
  if (!Array.isArray(anyOf)) return schema;
  const others = anyOf.filter((one) => !isObject(one) || one.type !== 'null');
  const [only] = others;
  return others.length === 1 && isObject(only) ? { ...only, ...rest } : { ...rest, anyOf: others };
}

function allowsNull({ anyOf, type }: Record<string, unknown>): boolean {
  if (Array.isArray(type)) return type.includes('null');
  return Array.isArray(anyOf) && anyOf.some((one) => isObject(one) && one.type === 'null');
}

const shownLength = 300;

/** Nullable becomes optional, any JSON value `{}`. */
function compact(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const { properties, required, ...rest } = withoutNull(schema);
  const shown = Object.entries(rest)
    .filter(
      ([key, value]) => !unshown.has(key) && !(key === 'maxLength' && Number(value) >= shownLength),
    )
    .map(([key, item]) => [
      key,
      Array.isArray(item)
        ? key === 'anyOf'
          ? item.map(compact)
          : item
        : key === 'items'
          ? compact(item)
          : item,
    ]);
  if (!isObject(properties) || Object.keys(properties).length === 0)
    return Object.fromEntries(shown);
  const names = Array.isArray(required) ? required : [];
  const needed = names.filter((name) => {
    const property = properties[name];
    return isObject(property) && !allowsNull(property);
  });
  return {
    ...Object.fromEntries(shown),
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [name, compact(property)]),
    ),
    ...(needed.length > 0 ? { required: needed } : {}),
  };
}

/** Not strict: operations' arguments are free-form. */
export function showSchema(schema: z.ZodType): JsonSchema {
  const parameters = compact(toJsonSchema(schema));
  if (!isObject(parameters) || parameters.type !== 'object')
    throw new TypeError('A tool takes an object.');
  return { properties: {}, ...parameters };
}

const toJsonSchema = (schema: z.ZodType): unknown => z.toJSONSchema(schema, { io: 'output' });

function waysOf(schema: unknown): JsonSchema[] {
  if (!isObject(schema)) return [];
  return Array.isArray(schema.anyOf) ? schema.anyOf.flatMap(waysOf) : [schema];
}

function allows(schema: unknown, type: string): boolean {
  return waysOf(schema).some(
    ({ type: one }) => one === type || (Array.isArray(one) && one.includes(type)),
  );
}

function refusesNull(schema: unknown): boolean {
  return waysOf(schema).every(({ type }) => type !== undefined) && !allows(schema, 'null');
}

/** Adds missing required values as null or empty. */
function fitArguments(value: unknown, schema: unknown): unknown {
  const ways = waysOf(schema);
  if (Array.isArray(value)) {
    const items = ways.find(({ type }) => type === 'array')?.items;
    return items === undefined ? value : value.map((item) => fitArguments(item, items));
  }
  if (!isObject(value)) return value;
  const { properties, required } = ways.find(({ type }) => type === 'object') ?? {};
  if (!isObject(properties)) return value;
  const needed = new Set<unknown>(Array.isArray(required) ? required : []);
  const fitted = new Map(Object.entries(value));
  for (const [name, inner] of Object.entries(properties)) {
    const given = value[name];
    if (given === undefined) {
      if (!needed.has(name)) continue;
      if (allows(inner, 'null')) fitted.set(name, null);
      else if (allows(inner, 'array')) fitted.set(name, []);
    } else if (given === null && !needed.has(name) && refusesNull(inner)) fitted.delete(name);
    else fitted.set(name, fitArguments(given, inner));
  }
  return Object.fromEntries(fitted);
}

export const noArguments = z.strictObject({});

const maxShownProblems = 10;

/** Problems come as sentences. */
export function readerOf<Input>(input: z.ZodType<Input>): (args: JsonObject) => Prepared<Input> {
  const whole = toJsonSchema(input);
  return (args) => {
    const parsed = input.safeParse(fitArguments(args, whole));
    if (parsed.success) return { input: parsed.data };
    const { issues } = parsed.error;
    return {
      problems: issues
        .slice(0, maxShownProblems)
        .map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`),
    };
  };
}

/** @param shown the models' schema, if stricter */
export function defineTool<Input, Context = ToolContext>({
  input,
  shown = input,
  wide,
  ...tool
}: Pick<Tool<Input, Context>, 'name' | 'description' | 'execute'> &
  Partial<Omit<Tool<Input, Context>, 'parameters' | 'wide' | 'prepare'>> & {
    input: z.ZodType<Input>;
    shown?: z.ZodType;
    wide?: z.ZodType;
  }): Tool<Input, Context> {
  return {
    ...toolDefaults,
    parameters: showSchema(shown),
    ...(wide === undefined ? {} : { wide: showSchema(wide) }),
    prepare: readerOf(input),
    ...tool,
  };
}
