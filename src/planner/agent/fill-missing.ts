// Arguments from servers that do not hold models to strict schemas: what was left out is null or empty, as it would
// have to be said, and an object in place of JSON in text becomes that text.
import type { JsonSchema } from '#contracts/tool.ts';

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The schemas that `schema` may mean. */
function waysOf(schema: unknown): JsonSchema[] {
  if (!isRecord(schema)) return [];
  return Array.isArray(schema.anyOf) ? schema.anyOf.flatMap(waysOf) : [schema];
}

function allows(schema: unknown, type: string): boolean {
  return waysOf(schema).some(
    ({ type: one }) => one === type || (Array.isArray(one) && one.includes(type)),
  );
}

/** `value` as a strict server would have sent it, as far as that is plain; what does not fit is left for the check. */
export function fillMissing(value: unknown, schema: unknown): unknown {
  const ways = waysOf(schema);
  if (Array.isArray(value)) {
    const items = ways.find(({ type }) => type === 'array')?.items;
    return items === undefined ? value : value.map((item) => fillMissing(item, items));
  }
  if (!isRecord(value)) return value;
  const properties = ways.find(({ type }) => type === 'object')?.properties;
  if (!isRecord(properties)) return allows(schema, 'string') ? JSON.stringify(value) : value;
  const filled = Object.entries(properties).flatMap(([name, inner]): [string, unknown][] => {
    const given = value[name];
    if (given !== undefined) return [[name, fillMissing(given, inner)]];
    if (allows(inner, 'null')) return [[name, null]];
    return allows(inner, 'array') ? [[name, []]] : [];
  });
  return { ...value, ...Object.fromEntries(filled) };
}
