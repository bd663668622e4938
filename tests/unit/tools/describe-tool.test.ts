import type { Tool } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import type { McpServer } from '#domain/settings.ts';
import type { Effect } from '#domain/tool.ts';
import { describeTool } from '#tools/mcp/describe-tool.ts';

test('texts that no database takes are mended wherever a server has put them', () => {
  const tool: Tool = {
    name: 'say',
    description: 'Says\u0000 it',
    inputSchema: {
      type: 'object',
      properties: { line: { type: 'string', description: 'A\u0000 line \ud800' } },
    },
    outputSchema: { type: 'object', properties: { 'no\u0000te': { type: 'string' } } },
  };
  const spec = describeTool('box', tool, { effects: {}, trusted: false }, 'of the server');
  expect(spec).toMatchObject({
    description: 'Says it',
    input: { properties: { line: { type: 'string', description: 'A\ufffd line \ufffd' } } },
    output: { properties: { 'no\ufffdte': { type: 'string' } } },
  });
});

const inputSchema = { type: 'object' as const };
const annotations = { readOnlyHint: true, idempotentHint: true, destructiveHint: false };
const hinted: Tool = { name: 'look', inputSchema, annotations };
const describe = (settings: Pick<McpServer, 'effects' | 'trusted'>) =>
  describeTool('box', hinted, settings, 'of the server');

test('what a server that is not trusted says of itself makes a call no less of a change', () => {
  const spec = describe({ effects: {}, trusted: false });
  expect(spec).toMatchObject({ effect: 'write', destructive: true });
  expect(spec).not.toHaveProperty('trusted');
});

test('what a trusted server says of itself counts', () => {
  const spec = describe({ effects: {}, trusted: true });
  expect(spec).toMatchObject({ effect: 'read', destructive: false, trusted: true });
});

test('what the operator says of an operation counts for any server', () => {
  const look = (effect: Effect) => describe({ effects: { look: effect }, trusted: false });
  expect(look('read')).toMatchObject({ effect: 'read', destructive: false });
  expect(look('idempotent')).toMatchObject({ effect: 'idempotent', destructive: false });
  expect(look('write')).toMatchObject({ effect: 'write', destructive: false });
});
