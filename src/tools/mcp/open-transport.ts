// The transport to an MCP server: stdio or streamable HTTP.
import { resolve } from 'node:path';
import {
  type AuthProvider,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createRedactor } from '#domain/secrets.ts';
import type { McpServer } from '#domain/settings.ts';
import { fetchCallsInTime } from '../late-call.ts';
import { boundBodies } from './bound-fetch.ts';
import { LineReader } from './read-lines.ts';
import { repairMessages } from './repair-message.ts';
import { secretsOfServer } from './secrets.ts';

export type Wire = {
  transport: Transport;
  /** Unredacted; its first line may be cut. */
  lastWords(): string;
};

const kept = 10_000;

/** Not connected yet. The child process gets only `env` and a few harmless variables. */
export function openWire(server: McpServer, baseDir: string, tokens: AuthProvider | null): Wire {
  if (server.url !== undefined) {
    const options = {
      requestInit: { headers: server.headers },
      fetch: boundBodies(fetchCallsInTime),
      ...(tokens === null ? {} : { authProvider: tokens }),
    };
    const url = new URL(server.url);
    const transport =
      server.type === 'sse'
        ? new SSEClientTransport(url, options)
        : new StreamableHTTPClientTransport(url, options);
    repairMessages(transport);
    return { transport, lastWords: () => '' };
  }
  const transport = new StdioClientTransport({
    command: server.command ?? '',
    args: server.args,
    env: server.env,
    cwd: server.cwd === undefined ? baseDir : resolve(baseDir, server.cwd),
    stderr: 'pipe',
  });
  // The SDK's reader ends the program at a long message. A subclass won't do: negotiation starts the base class.
  Reflect.set(transport, '_readBuffer', new LineReader());
  repairMessages(transport);
  const decoder = new TextDecoder();
  let words = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    words = (words + decoder.decode(chunk, { stream: true })).slice(-kept);
  });
  return { transport, lastWords: () => words };
}

export function createServerRedactor(server: McpServer, more: string[]): (text: string) => string {
  return createRedactor([...secretsOfServer(server), ...more]);
}
