// Schemas for OpenAPI, apart from zod's global registry.
import { z } from 'zod';

export type SchemaWords = { id?: string; description?: string; examples?: unknown[] };

export const schemaWords = z.registry<SchemaWords>();

/** As `#/components/schemas/<id>`. */
export function documented<T extends z.ZodType>(schema: T, words: SchemaWords): T {
  schemaWords.add(schema, words);
  return schema;
}
