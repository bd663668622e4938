// The catalogue for a model (B4): `read` calls an operation that only looks, `search_operations` finds operations by their
// purpose, `describe_operation` says all of one.
import { z } from 'zod';
import { parseRequestJson } from '#domain/json.ts';
import { AnyJson, JsonObject, toJson } from '#domain/text.ts';
import { describeOperation, type Standing, writeLine } from '../catalogue/describe-operation.ts';
import type { OperationSearch } from '../catalogue/search-operations.ts';
import type { ToolContext } from '../tool.ts';
import { fail, fromSchema, succeed } from '../tool-result.ts';
import { besideStages, type StageTool } from './stage-tool.ts';

const foundAtMost = 15;

/** The name of the front for all operations that only look; calls of it are calls of the operation. */
export const readTool = 'read';

const Read = z.strictObject({
  operation: z.string().describe('full name of a read operation'),
  args: JsonObject,
});
const HeardRead = z.looseObject({ operation: z.string(), args: AnyJson.optional() });

const base = {
  ...besideStages,
  reads: true,
};

/** The call that `read` stands for; null: it does not say one. */
export function readCall(args: JsonObject): { name: string; args: JsonObject } | null {
  const heard = HeardRead.safeParse(args);
  if (!heard.success) return null;
  const { operation, args: given } = heard.data;
  const text = typeof given === 'string' ? given : JSON.stringify(given ?? {});
  try {
    const parsed = JsonObject.safeParse(parseRequestJson(text.trim() === '' ? '{}' : text));
    return parsed.success ? { name: operation.trim(), args: parsed.data } : null;
  } catch {
    return null; // the model is told that it was no JSON
  }
}

export function createCatalogueTools(
  search: OperationSearch,
  guarded: readonly string[],
): StageTool[] {
  const standingOf = ({ tools }: ToolContext): Standing => ({
    guarded: new Set(guarded),
    readable: new Set(tools.readable().map(({ name }) => name)),
  });
  const Search = z.strictObject({ query: z.string().describe('what it should do, in English') });
  const Describe = z.strictObject({ names: z.array(z.string()).min(1).max(5) });
  return [
    {
      ...base,
      name: readTool,
      description:
        'Calls an operation marked [read] now and gives its output. Several may be called at once.',
      ...fromSchema(Read),
      check: (args) =>
        readCall(JsonObject.parse(args)) === null
          ? ['Give "operation" and "args", an object.']
          : [],
      // What it stands for is called instead; it comes here only where that is no read operation.
      run: async (args) => {
        const name = readCall(JsonObject.parse(args))?.name.slice(0, 100) ?? '';
        return {
          result: fail(
            `${name} is no read operation. What changes something goes into a step of the draft; find operations with search_operations.`,
          ),
        };
      },
    },
    {
      ...base,
      name: 'search_operations',
      description: 'Finds operations by their purpose, beyond those that are listed.',
      ...fromSchema(Search),
      async run(args, toolContext) {
        const { tools } = toolContext;
        const { query } = Search.parse(args);
        const found = search.find(tools.manifest(), query, foundAtMost);
        const standing = standingOf(toolContext);
        if (found.length === 0)
          return {
            result: fail(
              `No operation matches "${query.slice(0, 100)}". Try other words for what it should do.`,
            ),
          };
        return { result: succeed(found.map((spec) => writeLine(spec, standing))) };
      },
    },
    {
      ...base,
      name: 'describe_operation',
      description: 'Says everything about operations: their full input, output and effect.',
      ...fromSchema(Describe),
      async run(args, toolContext) {
        const { tools } = toolContext;
        const { names } = Describe.parse(args);
        const manifest = new Map(tools.manifest().map((spec) => [spec.name, spec]));
        const unknown = names.filter((name) => !manifest.has(name));
        if (unknown.length > 0)
          return {
            result: fail(
              `There is no operation ${unknown.join(' or ')}. Find one with search_operations.`,
            ),
          };
        const standing = standingOf(toolContext);
        const found = names.flatMap((name) => manifest.get(name) ?? []);
        return {
          result: succeed(toJson(found.map((spec) => describeOperation(spec, standing)))),
        };
      },
    },
  ];
}
