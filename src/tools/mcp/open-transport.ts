// The wire to an MCP server: a child process over stdio, or streamable HTTP.
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
import { boundBodies } from './bound-fetch.ts';
import { LineReader } from './read-lines.ts';
import { repairMessages } from './repair-message.ts';
import { secretsOfServer } from './secrets.ts';

export type Wire = {
  transport: Transport;
  /** The last stderr output of the server's process, with secrets; its first line may be cut. */
  lastWords(): string;
};

const kept = 10_000;

/** A fresh, unconnected wire; `tokens` sign its requests. Only the variables of `env` and a few harmless ones reach the child process. */
export function openWire(server: McpServer, baseDir: string, tokens: AuthProvider | null): Wire {
  if (server.url !== undefined) {
    const options = {
      requestInit: { headers: server.headers },
      fetch: boundBodies(fetch),
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
  // The SDK's own reader ends the program at a long message. A subclass would not do: it starts the base class to ask for the revision.
  Reflect.set(transport, '_readBuffer', new LineReader());
  repairMessages(transport);
  const decoder = new TextDecoder();
  let words = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    words = (words + decoder.decode(chunk, { stream: true })).slice(-kept);
  });
  return { transport, lastWords: () => words };
}

/**
 * Takes the values of the server's headers, environment and arguments, which may be secrets, out of texts.
 * @param more other secrets
 */
export function createServerRedactor(server: McpServer, more: string[]): (text: string) => string {
  return createRedactor([...secretsOfServer(server), ...more]);
}
