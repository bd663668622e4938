// Output schemas of built-in operations, exact because references of later steps are checked against them.
import { z } from 'zod';
import type { JsonSchema } from '#domain/tool.ts';
import { Preview } from './limit-output.ts';

export function describeOutput(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io: 'output' });
  return described;
}

/** An output that is too large is replaced by its beginning. */
export function describeLargeOutput(schema: z.ZodType): JsonSchema {
  return describeOutput(z.union([schema, Preview]));
}
