// The wire to an MCP server: a child process over stdio, or streamable HTTP.
import { resolve } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { McpServer } from '#domain/settings.ts';

export type Wire = {
  transport: Transport;
  /** The last words of the server's process on stderr, for the reason it stopped. */
  lastWords(): string;
};

const kept = 2000;

/** A fresh, unconnected wire. Only the variables of `env` and a few harmless ones reach the child process. */
export function openWire(server: McpServer, baseDir: string): Wire {
  if (server.url !== undefined) {
    const transport = new StreamableHTTPClientTransport(new URL(server.url), {
      requestInit: { headers: server.headers },
    });
    // The SDK's class says `sessionId: string | undefined` where its own interface says `sessionId?: string`.
    return { transport: transport as Transport, lastWords: () => '' };
  }
  const transport = new StdioClientTransport({
    command: server.command ?? '',
    args: server.args,
    env: server.env,
    cwd: server.cwd === undefined ? baseDir : resolve(baseDir, server.cwd),
    stderr: 'pipe',
  });
  let words = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    words = (words + chunk.toString('utf8')).slice(-kept);
  });
  return { transport, lastWords: () => words };
}

/** `text` without the values of the server's headers and environment, which may be secrets. */
export function redact(text: string, server: McpServer): string {
  return [...Object.values(server.headers), ...Object.values(server.env)]
    .flatMap((value) => [value, value.replace(/^(Bearer|Basic)\s+/i, '')])
    .filter((value) => value.length >= 6)
    .reduce((result, secret) => result.replaceAll(secret, '…'), text);
}
