// The wire to an MCP server: a child process over stdio, or streamable HTTP.
import { resolve } from 'node:path';
import {
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createRedactor } from '#domain/secrets.ts';
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
    const options = { requestInit: { headers: server.headers } };
    const url = new URL(server.url);
    const transport =
      server.type === 'sse'
        ? new SSEClientTransport(url, options)
        : new StreamableHTTPClientTransport(url, options);
    return { transport, lastWords: () => '' };
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

/** What may be secret in an address: who signs in, its query, and long parts of its path. */
function secretsOf(address: string): string[] {
  const { username, password, search, searchParams, pathname } = new URL(address);
  const parts = pathname.split('/').filter((part) => part.length >= 16);
  return [search, ...searchParams.values(), username, password, ...parts];
}

/** A flag whose value may be secret, with or without it: `--token`, `--api-key=…`. */
export const secretFlag = /^--?[\w-]*(token|secret|key|password|auth|header)[\w-]*(?==|$)/i;

/** What may be secret in the arguments of a command: values of such flags, addresses, and words that look like a token. */
function secretsAmong(args: string[]): string[] {
  return args.flatMap((argument, index) => {
    const value = argument.replace(/^--?[\w-]+=/, '');
    if (value.includes('://') && URL.canParse(value)) return [value, ...secretsOf(value)];
    const before = args[index - 1] ?? '';
    const named = secretFlag.test(argument) || secretFlag.exec(before)?.[0] === before;
    return named || /^(?=.*\d)[\w+=-]{12,}$/.test(value) ? [value] : [];
  });
}

/**
 * Takes the values of the server's headers, environment and arguments, which may be secrets, out of texts.
 * @param more other secrets
 */
export function createServerRedactor(server: McpServer, more: string[]): (text: string) => string {
  const values = [
    ...Object.values(server.headers),
    ...Object.values(server.env),
    ...secretsAmong(server.args),
    ...(server.url === undefined ? [] : secretsOf(server.url)),
    ...(server.oauth?.client_secret === undefined ? [] : [server.oauth.client_secret]),
    ...more,
  ];
  return createRedactor(
    values.flatMap((value) => [value, value.replace(/^(Bearer|Basic)\s+/i, '')]),
  );
}
