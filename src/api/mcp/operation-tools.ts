// Tools to search and describe operations.
import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { CountersignError } from '#domain/errors.ts';
import { onOneLine } from '#domain/words.ts';
import {
  describeOperation,
  type OperationAccess,
  writeLine,
} from '#planner/catalogue/describe-operation.ts';
import { createOperationSearch } from '#planner/catalogue/search-operations.ts';
import { plannerOperations } from '#tools/guard.ts';
import type { McpOptions } from './options.ts';
import { type Answer, answerWith, reads } from './results.ts';
import { DescribeInput, SearchInput } from './shapes.ts';

const maxFound = 15;

export function registerOperationTools(
  server: McpServer,
  answer: Answer,
  { operations, guarded }: McpOptions,
  tenant: string | null,
): void {
  const readManifest = async () => {
    const manifest = await operations(tenant);
    const access: OperationAccess = {
      guarded: new Set(guarded),
      readable: new Set(
        plannerOperations({ list: () => manifest }, { deny: [] }).map(({ name }) => name),
      ),
    };
    return { manifest, standing: access };
  };

  server.registerTool(
    'operations_search',
    {
      title: 'Find operations',
      description: 'Finds operations that steps can call, by their purpose. It calls none of them.',
      inputSchema: SearchInput,
      outputSchema: z.object({
        operations: z.array(z.object({ name: z.string(), line: z.string() })),
      }),
      annotations: reads,
    },
    ({ query }) =>
      answer(async () => {
        const { manifest, standing: access } = await readManifest();
        const found = createOperationSearch()
          .find(manifest, query, maxFound)
          .map((spec) => ({ name: spec.name, line: writeLine(spec, access) }));
        const text =
          found.length === 0
            ? `No operation matches "${onOneLine(query, 100)}". Try other words for what it should do.`
            : found.map((one) => one.line).join('\n');
        return answerWith(text, { operations: found });
      }),
  );

  const Described = z.object({
    operations: z.array(
      z.object({
        name: z.string(),
        tool: z.string(),
        operation: z.string(),
        what: z.string(),
        effect: z.string(),
        input: z.string(),
        output: z.string(),
      }),
    ),
  });
  server.registerTool(
    'operation_describe',
    {
      title: 'Describe operations',
      description:
        'Says everything about operations: their full input, output and effect, and the tool and operation that a step names.',
      inputSchema: DescribeInput,
      outputSchema: Described,
      annotations: reads,
    },
    ({ names }) =>
      answer(async () => {
        const { manifest, standing: access } = await readManifest();
        const known = new Map(manifest.map((spec) => [spec.name, spec]));
        const found = names.flatMap((name) => {
          const spec = known.get(name);
          if (spec === undefined) return [];
          return [
            { tool: spec.tool, operation: spec.operation, ...describeOperation(spec, access) },
          ];
        });
        const missing = names.filter((name) => !known.has(name));
        if (missing.length > 0)
          throw new CountersignError(
            'unknown_operation',
            `There is no operation ${missing.join(' or ')}. Find one with operations_search.`,
          );
        return answerWith(JSON.stringify(found), { operations: found });
      }),
  );
}
