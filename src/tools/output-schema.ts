// Output schemas of built-in operations: later steps' references are checked against them.
import { z } from 'zod';
import type { JsonSchema } from '#domain/tool.ts';
import { Preview } from './limit-output.ts';

export function describeOutput(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io: 'output' });
  return described;
}

export function describeLargeOutput(schema: z.ZodType): JsonSchema {
  return describeOutput(z.union([schema, Preview]));
}
