// An MCP tool as an operation, with the operator's setting as effect.
import type { Tool } from '@modelcontextprotocol/client';
import type { McpServer } from '#domain/settings.ts';
import { type Sharing, sharingOf } from '#domain/tenancy.ts';
import { makeStorable, makeStorableText } from '#domain/text.ts';
import { type Effect, type JsonSchema, type OperationSpec, operationName } from '#domain/tool.ts';
import { digestJson } from '../catalogue.ts';
import { cutText } from '../limit-output.ts';

const maxDescription = 2000;

export function describeTool(
  server: string,
  tool: Tool,
  { effects: overrides, trusted, ...rest }: Pick<McpServer, 'effects' | 'trusted'> & Sharing,
  serverDigest: string,
): OperationSpec {
  const override = Object.hasOwn(overrides, tool.name) ? overrides[tool.name] : undefined;
  // An untrusted server can't make a call repeatable or available to planners.
  const vouched = trusted || override !== undefined;
  const effect = override ?? (trusted ? readEffect(tool) : 'write');
  const target = findTarget(tool);
  const sharing = sharingOf(rest);
  return {
    tool: server,
    operation: tool.name,
    name: operationName(server, tool.name),
    description: toDescription(tool),
    input: toSchema(tool.inputSchema),
    ...(tool.outputSchema === undefined ? {} : { output: toSchema(tool.outputSchema) }),
    effect,
    destructive:
      effect !== 'read' && (vouched ? (tool.annotations?.destructiveHint ?? true) : true),
    ...(target === undefined ? {} : { targetArgument: target }),
    source: 'mcp',
    identity: { server: serverDigest, annotations: digestJson(toSchema(tool.annotations ?? {})) },
    // A trusted server may still declare a wider reach.
    ...(override !== undefined || (trusted && tool.annotations?.openWorldHint !== true)
      ? { trusted: true }
      : {}),
    ...(sharing === null ? {} : { sharing }),
  };
}

/** Without annotations, a tool is assumed to change something. */
function readEffect(tool: Tool): Effect {
  if (tool.annotations?.readOnlyHint === true) return 'read';
  return tool.annotations?.idempotentHint === true ? 'idempotent' : 'write';
}

function toSchema(schema: object): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [makeStorableText(key), makeStorable(value)]),
  );
}

function toDescription(tool: Tool): string {
  const text = tool.description ?? tool.annotations?.title ?? tool.title ?? tool.name;
  const storable = text.replaceAll('\u0000', '').toWellFormed().trim();
  return storable.length <= maxDescription ? storable : `${cutText(storable, maxDescription)}…`;
}

const targets = [
  'destination',
  'path',
  'file_path',
  'filePath',
  'url',
  'uri',
  'to',
  'target',
  'recipient',
  'channel',
  'name',
  'title',
  'id',
];

function findTarget(tool: Tool): string | undefined {
  const properties = tool.inputSchema.properties ?? {};
  return targets.find((name) => {
    const schema: unknown = properties[name];
    return (
      typeof schema === 'object' && schema !== null && 'type' in schema && schema.type === 'string'
    );
  });
}
