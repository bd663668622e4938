// Puts the generated document right: one name for recursive JSON values, no component that nothing refers to,
// and request schemas without the suffix the generator gives them where no answer has the name.
import { z } from 'zod';

const prefix = '#/components/schemas/';

/** What is touched of a document; everything else passes as it is. */
const Document = z.looseObject({
  paths: z.record(z.string(), z.unknown()).default({}),
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()).default({}) }),
});

const anyJson = {
  description: 'Any JSON value.',
  type: ['object', 'array', 'string', 'number', 'boolean', 'null'],
};

/** A copy of `value` with every `$ref` renamed. */
function renameReferences(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renameReferences(item, rename));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) =>
      key === '$ref' && typeof item === 'string' && item.startsWith(prefix)
        ? [key, prefix + rename(item.slice(prefix.length))]
        : [key, renameReferences(item, rename)],
    ),
  );
}

/** The schemas' only recursion is JSON inside JSON; the generator gives it a name that leads nowhere. */
function nameJson(name: string): string {
  return /^(__shared.*|schema\d+)$/.test(name) ? 'Json' : name;
}

/** Names of the components that `value` leads to. */
function collectNames(
  value: unknown,
  schemas: Record<string, unknown>,
  seen = new Set<string>(),
): Set<string> {
  renameReferences(value, (name) => {
    if (!seen.has(name)) {
      seen.add(name);
      collectNames(schemas[name], schemas, seen);
    }
    return name;
  });
  return seen;
}

export function tidyComponents<T extends object>(document: T): T {
  const { paths, components } = Document.parse(renameReferences(document, nameJson));
  const schemas = { ...components.schemas, Json: anyJson };
  const used = collectNames(paths, schemas);
  const shorten = (name: string): string => {
    const short = name.replace(/Input$/, '');
    return used.has(short) ? name : short;
  };
  const kept = Object.entries(schemas).filter(([name]) => used.has(name));
  return {
    ...document,
    paths: renameReferences(paths, shorten),
    components: {
      ...components,
      schemas: Object.fromEntries(
        kept.map(([name, schema]) => [shorten(name), renameReferences(schema, shorten)]),
      ),
    },
  };
}
