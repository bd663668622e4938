// What built-in operations say of their outputs. References of later steps are checked against it before a plan is
// stored, so it says neither more nor less than what a call can give.
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
