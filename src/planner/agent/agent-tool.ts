// What every tool answers, and how a zod schema becomes what model servers take.
import { z } from 'zod';
import { type Json, JsonValue } from '#contracts/text.ts';
import type { JsonSchema } from '#contracts/tool.ts';

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

/** A zod schema as the strict JSON Schema that model servers take, and the check that belongs to it. */
export function fromSchema(schema: z.ZodType): {
  parameters: JsonSchema;
  check(args: object): string[];
} {
  const { $schema: _, ...parameters } = z.toJSONSchema(schema, { io: 'input' });
  return { parameters, check: (args) => findProblems(schema, args) };
}

function findProblems(schema: z.ZodType, value: unknown): string[] {
  const parsed = schema.safeParse(value);
  if (parsed.success) return [];
  return parsed.error.issues
    .slice(0, 10)
    .map((issue) => `${issue.path.join('.') || 'arguments'}: ${issue.message}`);
}
