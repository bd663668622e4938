// OpenAPI 3.1, generated from the routes' schemas.
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import {
  createJsonSchemaTransform,
  createJsonSchemaTransformObject,
} from 'fastify-type-provider-zod';
import { z } from 'zod';
import { AnyJson } from '#domain/text.ts';
import { schemaWords } from './registry.ts';

// Drops unused components, and suffixes no longer needed.
const prefix = '#/components/schemas/';

const Document = z.looseObject({
  paths: z.record(z.string(), z.unknown()).default({}),
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()).default({}) }),
});

schemaWords.add(AnyJson, {
  id: 'Json',
  description: 'Any JSON value. Whole numbers keep all their digits.',
});

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

function tidyComponents<T extends object>(document: T): T {
  const { paths, components } = Document.parse(document);
  const { schemas } = components;
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

export const tags = {
  runs: 'Runs',
  plans: 'Plans',
  decisions: 'Decisions',
  exports: 'Exports',
  conversations: 'Conversations',
  system: 'System',
} as const;

export const openToAll: Record<string, string[]>[] = [];

const description = `Countersign plans before it acts: a run turns a request into a plan, a person
approves exactly the version and digest they read, and the executor runs that and nothing else.

Errors are problem+json (RFC 9457) with a stable \`code\`: 400 where a request is malformed, 422 where
it is well-formed and cannot be accepted as it is, 409 where it came too late, 503 with \`Retry-After\`
while the database does not answer.

Every POST takes an \`Idempotency-Key\`: sent again within a day with the same key and
body, a request is done once and answered as it was. Callbacks need none. Routes that
answer with a secret (a token, a sign-in) refuse one.

With a token set, every path under \`/api\` needs it; without one, only this machine is answered.`;

const schemaConfig = {
  schemaRegistry: schemaWords,
  zodToJsonConfig: {
    target: 'draft-2020-12',
    override: ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) => {
      // The format suffices.
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  },
} as const;

/** Call before adding any. */
export async function collectRoutes(app: FastifyInstance, version: string): Promise<void> {
  const nameSchemas = createJsonSchemaTransformObject(schemaConfig);
  await app.register(swagger, {
    hideUntagged: true,
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Countersign', version, description, license: { name: 'MIT' } },
      tags: Object.values(tags).map((name) => ({ name })),
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
      security: [{ bearer: [] }, {}],
    },
    transform: createJsonSchemaTransform(schemaConfig),
    transformObject: (document) => tidyComponents(nameSchemas(document)),
  });
}
