// An MCP tool as an operation. Its effect is what the operator says; what its annotations say counts for a trusted server only.
import type { Tool } from '@modelcontextprotocol/client';
import type { McpServer } from '#domain/settings.ts';
import { type Sharing, sharingOf } from '#domain/tenancy.ts';
import { makeStorable, makeStorableText } from '#domain/text.ts';
import { type Effect, type JsonSchema, type OperationSpec, operationName } from '#domain/tool.ts';
import { cutText } from '../limit-output.ts';
import { digestJson } from '../operation-digest.ts';

const maxDescription = 2000;

/** The operation for a tool. */
export function describeTool(
  server: string,
  tool: Tool,
  { effects: overrides, trusted, ...rest }: Pick<McpServer, 'effects' | 'trusted'> & Sharing,
  serverDigest: string,
): OperationSpec {
  const override = Object.hasOwn(overrides, tool.name) ? overrides[tool.name] : undefined;
  // Nobody vouches for what else a server says: its word must not make a call repeat itself, or run while planning.
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
    // `readResult` gives the structured content as it is; without a schema nothing is sure of it.
    ...(tool.outputSchema === undefined ? {} : { output: toSchema(tool.outputSchema) }),
    effect,
    destructive:
      effect !== 'read' && (vouched ? (tool.annotations?.destructiveHint ?? true) : true),
    ...(target === undefined ? {} : { targetArgument: target }),
    source: 'mcp',
    identity: { server: serverDigest, annotations: digestJson(toSchema(tool.annotations ?? {})) },
    // A trusted server may still say itself that a tool reaches further.
    ...(override !== undefined || (trusted && tool.annotations?.openWorldHint !== true)
      ? { trusted: true }
      : {}),
    ...(sharing === null ? {} : { sharing }),
  };
}

/** What a trusted server says. Without a word from it, a tool is taken to change something. */
function readEffect(tool: Tool): Effect {
  if (tool.annotations?.readOnlyHint === true) return 'read';
  return tool.annotations?.idempotentHint === true ? 'idempotent' : 'write';
}

/** Workers tell the others of their tools through the database, so that it has to take every text of a schema. */
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

/** Arguments that usually name what is touched, most telling first. */
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
