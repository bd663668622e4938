// Names and descriptions of schemas for OpenAPI. A separate registry: zod's global one would leak into other modules.
import { z } from 'zod';

export type SchemaWords = { id?: string; description?: string; examples?: unknown[] };

export const schemaWords = z.registry<SchemaWords>();

/** As `#/components/schemas/<id>`. */
export function documented<T extends z.ZodType>(schema: T, words: SchemaWords): T {
  schemaWords.add(schema, words);
  return schema;
}
