// One MCP server as a tool: its operations, known from the moment it was first seen, and how to call them.
import type { McpServer } from '#contracts/settings.ts';
import type { Operation } from '#contracts/tool.ts';
import { compileValidator } from '../validate-arguments.ts';
import { type Connection, createConnection } from './connection.ts';
import { describeTool } from './describe-tool.ts';
import { readResult } from './read-result.ts';

export type McpTool = {
  name: string;
  connection: Connection;
  operations(): Operation[];
};

export type McpToolOptions = {
  name: string;
  server: McpServer;
  baseDir: string;
  warn(message: string): void;
  /** Called when the operations have changed. */
  onChange(): void;
  connectTimeoutMs: number;
  retryMs: number;
};

export function createMcpTool(options: McpToolOptions): McpTool {
  const { name, server } = options;
  let operations: Operation[] = [];
  const warned = new Set<string>();
  const warnOnce = (message: string) => {
    if (warned.has(message)) return;
    warned.add(message);
    options.warn(message);
  };
  const connection = createConnection({
    ...options,
    onTools(tools) {
      const found = new Map<string, Operation>();
      for (const tool of tools) {
        const spec = describeTool(name, tool, server);
        const problem = typeof spec === 'string' ? spec : findSchemaProblem(spec);
        if (typeof spec === 'string' || problem !== null) warnOnce(problem ?? '');
        else if (!found.has(spec.name)) found.set(spec.name, { ...spec, call: callOf(spec) });
      }
      for (const key of Object.keys(server.effects))
        if (!tools.some((tool) => tool.name === key))
          warnOnce(`mcpServers.${name}.effects names ${key}, which the server does not have.`);
      operations = [...found.values()];
      options.onChange();
    },
  });

  function callOf(spec: Omit<Operation, 'call'>): Operation['call'] {
    return async (args, context) => {
      const result = await connection.call({
        tool: spec.operation,
        args,
        signal: context.signal,
        repeatable: spec.effect !== 'write',
      });
      return readResult(spec.name, result, spec.output !== undefined);
    };
  }

  return { name, connection, operations: () => operations };
}

function findSchemaProblem(spec: Omit<Operation, 'call'>): string | null {
  try {
    compileValidator(spec.input);
    return null;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `${spec.name} is not offered: the schema of its arguments cannot be used (${reason}).`;
  }
}
