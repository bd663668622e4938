// Tools that call, find and describe operations (B4).
import { z } from 'zod';
import { isObject, JsonObject, toJson } from '#domain/text.ts';
import { readArguments } from '../agent/tool-call.ts';
import {
  describeOperation,
  type OperationAccess,
  writeLine,
} from '../catalogue/describe-operation.ts';
import { listCatalogue } from '../catalogue/list-operations.ts';
import type { OperationSearch } from '../catalogue/search-operations.ts';
import { defineTool, showSchema, toolDefaults } from '../define-tool.ts';
import type { PlannerTools } from '../ports.ts';
import { fail, type Prepared, succeed, type Tool } from '../tool.ts';

const maxFound = 5;

/** Replaces all read-only operations. */
export const readTool = 'read';

export const ReadArguments = z.strictObject({
  operation: z.string(),
  args: JsonObject,
});

export type ReadCall = { name: string; args: JsonObject };

/** Arguments may be JSON text. */
export function readCall({ operation, args }: JsonObject): Prepared<ReadCall> {
  const given = typeof args === 'string' ? readArguments(args) : (args ?? {});
  return typeof operation === 'string' && isObject(given)
    ? { input: { name: operation.trim(), args: given } }
    : { problems: ['Give "operation" and "args", an object.'] };
}

/** Runs only if the named operation is no read. */
export const readFront: Tool<ReadCall> = {
  ...toolDefaults,
  name: readTool,
  description:
    'Calls what is marked [read] now, several at once if you can; also describe_operation {names}, plan_list {status?}, plan_get {plan}, show_steps {ids?, query?, from?} of a long draft.',
  parameters: showSchema(ReadArguments),
  reads: true,
  prepare: readCall,
  execute: async ({ name }) => ({
    result: fail(
      `${name.slice(0, 100)} is not a read operation. Anything that makes a change must be a step of the draft; find operations with search_operations.`,
    ),
  }),
};

type CatalogueContext = {
  tools: Pick<PlannerTools, 'manifest' | 'readable'>;
  /** In a session, the prompt lists operations. */
  state?: unknown;
};

export function createSearchTools(
  search: OperationSearch,
  guarded: readonly string[],
): Tool<unknown, CatalogueContext>[] {
  const accessOf = ({ tools }: CatalogueContext): OperationAccess => ({
    guarded: new Set(guarded),
    readable: new Set(tools.readable().map(({ name }) => name)),
  });
  return [
    defineTool<{ query: string }, CatalogueContext>({
      name: 'search_operations',
      description: 'Finds operations that are not listed in full.',
      input: z.strictObject({
        query: z.string().describe("what it should do, in English and the person's words"),
      }),
      reads: true,
      async execute({ query }, context) {
        const manifest = context.tools.manifest();
        const access = accessOf(context);
        const { listed } =
          context.state === undefined
            ? { listed: new Set<string>() }
            : listCatalogue(manifest, access);
        const found = search.findBest(manifest, query, maxFound);
        const fresh = found.filter(({ name }) => !listed.has(name));
        const known = found.filter(({ name }) => listed.has(name)).map(({ name }) => name);
        if (found.length === 0)
          return {
            result: fail(
              `No operation matches "${query.slice(0, 100)}". Try other words for what it should do.`,
            ),
          };
        return {
          result: succeed([
            ...fresh.map((spec) => writeLine(spec, access)),
            ...(known.length === 0 ? [] : [`Already listed: ${known.join(', ')}`]),
          ]),
          found: fresh.map(({ name }) => name),
        };
      },
    }),
    defineTool<{ names: string[] }, CatalogueContext>({
      name: 'describe_operation',
      description: 'Tells the full input, output and effect of operations.',
      input: z.strictObject({ names: z.array(z.string()).min(1).max(5) }),
      reads: true,
      hidden: true,
      async execute({ names }, context) {
        const manifest = new Map(context.tools.manifest().map((spec) => [spec.name, spec]));
        const unknown = names.filter((name) => !manifest.has(name));
        if (unknown.length > 0)
          return {
            result: fail(
              `There is no operation ${unknown.join(' or ')}. Find one with search_operations.`,
            ),
          };
        const access = accessOf(context);
        const found = names.flatMap((name) => manifest.get(name) ?? []);
        return {
          result: succeed(toJson(found.map((spec) => describeOperation(spec, access)))),
          found: found.map(({ name }) => name),
        };
      },
    }),
  ];
}
