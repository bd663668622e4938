// The wire to an MCP server: a child process over stdio, or streamable HTTP.
import { resolve } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { createRedactor } from '#domain/secrets.ts';
import type { McpServer } from '#domain/settings.ts';

export type Wire = {
  transport: Transport;
  /** The last words of the server's process on stderr, for the reason it stopped. */
  lastWords(): string;
  /** The version of the protocol that was agreed on; null: not yet. */
  protocol(): string | null;
};

const kept = 2000;

/** A fresh, unconnected wire. Only the variables of `env` and a few harmless ones reach the child process. */
export function openWire(server: McpServer, baseDir: string): Wire {
  if (server.url !== undefined) {
    const transport = new StreamableHTTPClientTransport(new URL(server.url), {
      requestInit: { headers: server.headers },
    });
    return {
      // The SDK's class says `sessionId: string | undefined` where its own interface says `sessionId?: string`.
      transport: transport as Transport,
      lastWords: () => '',
      protocol: () => transport.protocolVersion ?? null,
    };
  }
  const transport = new StdioClientTransport({
    command: server.command ?? '',
    args: server.args,
    env: server.env,
    cwd: server.cwd === undefined ? baseDir : resolve(baseDir, server.cwd),
    stderr: 'pipe',
  });
  let protocol: string | null = null;
  // Unlike the HTTP transport, it does not keep it by itself.
  const told: Transport = Object.assign(transport, {
    setProtocolVersion(version: string) {
      protocol = version;
    },
  });
  let words = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    words = (words + chunk.toString('utf8')).slice(-kept);
  });
  return { transport: told, lastWords: () => words, protocol: () => protocol };
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
