// Names and words of schemas for the OpenAPI document. A registry of our own: zod's global one would leak into other rooms' schemas.
import { z } from 'zod';

export type SchemaWords = { id?: string; description?: string; examples?: unknown[] };

export const schemaWords = z.registry<SchemaWords>();

/** Gives `schema` a name in the document (`#/components/schemas/<id>`), words and examples; returns it. */
export function documented<T extends z.ZodType>(schema: T, words: SchemaWords): T {
  schemaWords.add(schema, words);
  return schema;
}
