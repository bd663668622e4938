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

/** `value` as JSON has it: keys without a value are gone. */
export function toJson(value: unknown): Json {
  return JsonValue.parse(JSON.parse(JSON.stringify(value)));
}

export function succeed(data: Json, ...explanations: string[]): ToolResult {
  return { ok: true, confidence: 1, explanations, data };
}

export function fail(...explanations: string[]): ToolResult {
  return { ok: false, confidence: 0, explanations, data: null };
}

/**
 * What servers know in strict schemas differs, so bounds and defaults are not sent to them; descriptions say them, and our
 * own check holds them.
 */
const bounds = new Set([
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

/** @param named the keys are names of properties, whatever they look like */
function withoutBounds(value: unknown, named = false): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutBounds(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => named || !bounds.has(key))
      .map(([key, item]) => [key, withoutBounds(item, !named && key === 'properties')]),
  );
}

/** A zod schema as the strict JSON Schema that model servers take, and the check that belongs to it. */
export function fromSchema(schema: z.ZodType): {
  parameters: JsonSchema;
  check(args: object): string[];
} {
  // Strict servers want every property; our own callers may leave out what has a default.
  const { $schema: _, ...whole } = z.toJSONSchema(schema, { io: 'output' });
  const parameters = withoutBounds(whole);
  if (!isObject(parameters)) throw new TypeError('A tool takes an object.');
  // A tool without arguments still says that it takes an object with nothing in it.
  return {
    parameters: { required: [], ...parameters },
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
