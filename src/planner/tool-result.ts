// The result type of every tool, and the conversion of zod schemas into the JSON schemas that model servers take.
import { z } from 'zod';
import { isObject, type Json, JsonValue } from '#domain/text.ts';
import type { JsonSchema } from '#domain/tool.ts';

/** Every tool answers in this shape. A failure is `ok: false, confidence: 0` with the reason, never an exception. */
export const ToolResult = z.strictObject({
  ok: z.boolean(),
  confidence: z.number().min(0).max(1),
  explanations: z.array(z.string()),
  data: JsonValue,
});
export type ToolResult = z.infer<typeof ToolResult>;

export function succeed(data: Json, ...explanations: string[]): ToolResult {
  return { ok: true, confidence: 1, explanations, data };
}

export function fail(...explanations: string[]): ToolResult {
  return { ok: false, confidence: 0, explanations, data: null };
}

/** What a model is not told, or in the description: our own check holds it, and each word costs on every call. */
const untold = new Set([
  '$schema',
  '$defs',
  'additionalProperties',
  'propertyNames',
  'default',
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
]);

/** `schema` without null, where that is one of several things it may be. */
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

/** A JSON Schema in few words: what may be null may be left out, and any JSON value is `{}`. */
function compact(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const { properties, required, ...rest } = withoutNull(schema);
  const told = Object.entries(rest)
    .filter(([key]) => !untold.has(key))
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
  if (!isObject(properties)) return Object.fromEntries(told);
  const names = Array.isArray(required) ? required : [];
  const needed = names.filter((name) => {
    const property = properties[name];
    return isObject(property) && !allowsNull(property);
  });
  return {
    ...Object.fromEntries(told),
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [name, compact(property)]),
    ),
    ...(needed.length > 0 ? { required: needed } : {}),
  };
}

/**
 * A zod schema as a model is told it, the whole of it as JSON Schema, and the check that belongs to it. Not strict: arguments
 * of operations are free-form objects, which strict schemas do not allow.
 */
export function fromSchema(schema: z.ZodType): {
  parameters: JsonSchema;
  whole: JsonSchema;
  check(args: object): string[];
} {
  const whole = z.toJSONSchema(schema, { io: 'output' });
  const parameters = compact(whole);
  if (!isObject(parameters) || parameters.type !== 'object')
    throw new TypeError('A tool takes an object.');
  return {
    // A tool without arguments still says that it takes an object with nothing in it.
    parameters: { properties: {}, ...parameters },
    whole,
    check: (args) => findProblems(schema, args),
  };
}

function findProblems(schema: z.ZodType, value: unknown): string[] {
  const parsed = schema.safeParse(value);
  if (parsed.success) return [];
  return parsed.error.issues
    .slice(0, 10)
    .map((issue) => `${issue.path.join('.') || 'arguments'}: ${issue.message}`);
}
