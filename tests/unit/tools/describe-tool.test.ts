// What an MCP server says of a tool, as other processes are told of it.
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
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
