// Output schemas of built-in operations. References of later steps are checked against them, so they state exactly what a call returns.
import { z } from 'zod';
import type { JsonSchema } from '#domain/tool.ts';
import { Preview } from './limit-output.ts';

/** The JSON Schema of an output. */
export function describeOutput(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io: 'output' });
  return described;
}

/** The same for an output without a bound: beyond the size that is kept, its beginning stands in for it. */
export function describeLargeOutput(schema: z.ZodType): JsonSchema {
  return describeOutput(z.union([schema, Preview]));
}
