// Keeps an MCP server connected; repeats calls only if that is safe.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type CallToolResult, Client } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { CountersignError } from '#domain/errors.ts';
import type { McpServer } from '#domain/settings.ts';
import { currentTrace, span } from '#domain/telemetry.ts';
import { type JsonObject, makeStorableText } from '#domain/text.ts';
import type { JsonSchema, ServerHealth } from '#domain/tool.ts';
import { isNothingDone, nothingDone, throwIfAborted, toAbortError } from '../failures.ts';
import { throwIfLate } from '../late-call.ts';
import { explainFailure, toCallError, toCallFailure } from './explain-failure.ts';
import { createServerRedactor, openWire, type Wire } from './open-transport.ts';
import { maxTools } from './read-tools.ts';
import { SignInError, type Tokens } from './tokens.ts';

export type Connection = {
  problem(): string | null;
  health(): ServerHealth;
  connect(signal?: AbortSignal): Promise<void>;
  /**
   * @throws `tool_unavailable` if not made; else `tool_failed`, `timed_out`, `cancelled`, `outcomeUnknown` if it may have acted
   */
  call<T>(request: CallRequest, send: Send<T>): Promise<T>;
  /** The current run of a local program; null if remote or disconnected. */
  home(): string | null;
  ping(): Promise<void>;
  close(): Promise<void>;
};

type Send<T> = (client: Client, call: CallRequest, timeoutMs: number) => Promise<T>;

export type CallRequest = {
  method: string;
  tool: string;
  /** Some arguments are also sent as headers. */
  input: JsonSchema;
  args: JsonObject;
  signal: AbortSignal;
  repeatable: boolean;
  /** After each reconnection. @throws if the tool has changed */
  requireSame(): void;
};

export type ConnectionOptions = {
  name: string;
  server: McpServer;
  baseDir: string;
  /** Null if the server takes no sign-in. */
  tokens: Tokens | null;
  /** Redacted in addition to those in the server's settings. */
  secrets: string[];
  onTools(tools: unknown[], server: { name: string; instructions: string }): Promise<void>;
  warn(message: string): void;
  /** Doubles with each failed attempt, up to eight times as long. */
  connectTimeoutMs: number;
  /** Doubles up to a minute. */
  retryMs: number;
};

const notReached = { details: nothingDone, passesAfterMs: 0 };
const maxRetryMs = 60_000;
const stableMs = 60_000;
const maxDoublings = 3;
const maxPages = 100;
const pingMs = 5_000;
const probeMs = 5_000;
const followAgainMs = 5_000;

export function createConnection(options: ConnectionOptions): Connection {
  const { name, server, tokens } = options;
  let live: {
    client: Client;
    since: number;
    home: string | null;
    calls: Set<Promise<unknown>>;
  } | null = null;
  let lastProblem: ServerHealth['last_problem'] = null;
  const leaving = new Set<Client>();
  let starting: { client: Client; wire: Wire } | null = null;
  /** Known not to support the 2026 revision. */
  let isLegacy = false;
  let signInNeeded = false;
  let connecting: Promise<Client> | null = null;
  let problem: string | null = `The MCP server ${name} is still starting.`;
  let failures = 0;
  let timer: NodeJS.Timeout | null = null;
  let closed = false;
  const ending = new AbortController();

  const clean = createServerRedactor(server, options.secrets);
  const explain = (error: unknown, words = '') => explainFailure(name, error, clean, words);
  const warn = (error: unknown) => options.warn(explain(error));
  const judge = async (error: unknown) => (tokens === null ? error : tokens.judge(error));

  function note(reason: string): void {
    problem = reason;
    lastProblem = { at: new Date().toISOString(), text: reason };
  }

  function drop(client: Client, reason: string): void {
    if (live?.client !== client) return;
    // A server that crashes right after starting must not be restarted every second.
    failures = Date.now() - live.since > stableMs ? 0 : failures + 1;
    const { calls } = live;
    live = null;
    note(reason);
    if (closed) return;
    options.warn(reason);
    // If cut off, the outcome of calls in progress would be unknown.
    leaving.add(client);
    Promise.allSettled(calls)
      .then(() => client.close())
      .catch(warn)
      .finally(() => leaving.delete(client));
    retryLater();
  }

  async function sendOn<T>(client: Client, request: CallRequest, send: Send<T>): Promise<T> {
    const { method, tool } = request;
    const call = span('mcp_request', `${method} ${tool}`, describeRequest(request), () =>
      send(client, request, server.timeout_ms),
    );
    const calls = live?.client === client ? live.calls : undefined;
    calls?.add(call);
    try {
      return await call;
    } finally {
      calls?.delete(call);
    }
  }

  function describeRequest({ method, tool }: CallRequest) {
    const address = server.url === undefined ? null : new URL(server.url);
    return {
      kind: 'client' as const,
      attributes: {
        'mcp.method.name': method,
        'mcp.protocol.version': live?.client.getNegotiatedProtocolVersion(),
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': tool,
        'countersign.mcp.server': name,
        'network.transport': address === null ? 'pipe' : 'tcp',
        ...(address === null
          ? {}
          : {
              'server.address': address.hostname,
              'server.port': Number(address.port || (address.protocol === 'https:' ? 443 : 80)),
            }),
      },
    };
  }

  function retryLater(): void {
    if (closed || timer !== null) return;
    const pause = Math.min(
      options.retryMs * 2 ** Math.min(Math.max(failures - 1, 0), 16),
      maxRetryMs,
    );
    timer = setTimeout(() => {
      timer = null;
      obtain().catch(() => undefined);
    }, pause);
    timer.unref();
  }

  function createClient(): Client {
    const client: Client = new Client(
      { name: 'countersign', version: '1' },
      {
        capabilities: {},
        versionNegotiation: {
          mode: 'auto',
          // Over stdio, a slow server is treated as a 2025 one.
          ...(server.url === undefined
            ? { probe: { timeoutMs: Math.min(probeMs, options.connectTimeoutMs) } }
            : {}),
        },
        listChanged: {
          tools: {
            autoRefresh: false,
            debounceMs: 0,
            onChanged: () => listTools(client, options).catch(warn),
          },
        },
      },
    );
    return client;
  }

  async function connectOnce(): Promise<Client> {
    const client = createClient();
    const wire = openWire(server, options.baseDir, tokens);
    starting = { client, wire };
    // A program that is installed when it starts needs longer, and each attempt ends the previous one.
    const timeout = options.connectTimeoutMs * 2 ** Math.min(failures, maxDoublings);
    const prior = isLegacy ? { prior: { kind: 'legacy' as const } } : {};
    try {
      await client.connect(wire.transport, {
        timeout,
        signal: ending.signal,
        ...prior,
      });
      // Detecting starts a program twice. A remote server may be updated, and asking is cheap.
      isLegacy = server.url === undefined && client.getProtocolEra() === 'legacy';
      await listTools(client, { ...options, connectTimeoutMs: timeout });
      if (closed) throw new Error('it was closed');
      client.onclose = () => drop(client, explain('it stopped', wire.lastWords()));
      client.onerror = (error) => {
        // The stream is lost for good; the server may be as well.
        if (/reconnection attempts/i.test(error.message)) verify(client).catch(warn);
      };
      const home = server.url === undefined ? randomUUID() : null;
      live = { client, since: Date.now(), home, calls: new Set() };
      problem = null;
      signInNeeded = false;
      followChanges(client).catch(warn);
      return client;
    } catch (thrown) {
      const error = await judge(thrown);
      failures += 1;
      isLegacy = false;
      signInNeeded = error instanceof SignInError && error.needed;
      const reason = explain(error, wire.lastWords());
      if (reason !== problem && !closed) options.warn(reason);
      note(reason);
      await client.close().catch(warn);
      retryLater();
      throw new CountersignError('tool_unavailable', reason, { ...notReached, cause: error });
    } finally {
      starting = null;
    }
  }

  async function obtain(signal?: AbortSignal): Promise<Client> {
    if (live !== null) return live.client;
    if (closed)
      throw new CountersignError(
        'tool_unavailable',
        `The MCP server ${name} was closed.`,
        notReached,
      );
    connecting ??= connectOnce().finally(() => {
      connecting = null;
    });
    return signal === undefined ? connecting : orAborted(connecting, signal);
  }

  async function verify(client: Client): Promise<boolean> {
    try {
      // Instead of a ping: a server need not announce changes.
      await listTools(client, { ...options, connectTimeoutMs: pingMs });
      return true;
    } catch (thrown) {
      const error = await judge(thrown);
      signInNeeded = error instanceof SignInError && error.needed;
      drop(client, explain(error));
      return false;
    }
  }

  /** 2026: tool changes come on a stream that may end at any time; reads what was missed and reopens it. */
  async function followChanges(client: Client): Promise<void> {
    let subscription = client.autoOpenedSubscription;
    while (subscription !== undefined) {
      if ((await subscription.closed) === 'local') return;
      await pause(Math.max(options.retryMs, followAgainMs), undefined, { ref: false });
      if (live?.client !== client || !(await verify(client))) return;
      subscription = await client.listen({ toolsListChanged: true });
    }
  }

  const stopFollowing = tokens?.onChange(() => {
    if (closed) return;
    if (live !== null) return void verify(live.client).catch(warn);
    if (timer !== null) clearTimeout(timer);
    timer = null;
    failures = 0;
    obtain().catch(() => undefined);
  });

  return {
    problem: () => problem,
    health() {
      const { name: serverName = null, version = null } = live?.client.getServerVersion() ?? {};
      return {
        since: live === null ? null : new Date(live.since).toISOString(),
        name: serverName === null ? null : makeStorableText(clean(serverName)).slice(0, 200),
        version: version === null ? null : makeStorableText(clean(version)).slice(0, 100),
        protocol: live?.client.getNegotiatedProtocolVersion() ?? null,
        last_problem: lastProblem,
        sign_in: signInNeeded ? 'needed' : tokens?.has() === true ? 'done' : null,
      };
    },
    async connect(signal) {
      await obtain(signal);
    },
    home: () => live?.home ?? null,
    async call(request, send) {
      for (let attempt = 1; ; attempt += 1) {
        throwIfAborted(request.signal);
        const client = await obtain(request.signal);
        request.requireSame();
        throwIfLate();
        try {
          return await sendOn(client, request, send);
        } catch (thrown) {
          if (isNothingDone(thrown)) throw thrown;
          const error = await judge(thrown);
          signInNeeded = error instanceof SignInError && error.needed;
          const call = {
            tool: request.tool,
            signal: request.signal,
            timeoutMs: server.timeout_ms,
            closed: client.transport === undefined,
          };
          const failure = toCallFailure(name, error, call, clean);
          if (failure.connectionLost) drop(client, explain(error));
          const mayRepeat = failure.neverSent || (failure.connectionLost && request.repeatable);
          if (attempt > 1 || !mayRepeat) throw toCallError(failure, error);
        }
      }
    },
    async ping() {
      if (!(await verify(await obtain()))) await obtain();
    },
    async close() {
      closed = true;
      ending.abort(new Error('it was closed'));
      stopFollowing?.();
      if (timer !== null) clearTimeout(timer);
      const clients = [live?.client, starting?.client, ...leaving].map((client) => client?.close());
      // A client still negotiating doesn't close its transport.
      await Promise.all([...clients, starting?.wire.transport.close()]);
      await connecting?.catch(() => undefined);
      live = null;
    },
  };
}

/** Without an output schema: a mismatch would turn a completed call into a failure. */
export const callTool: Send<CallToolResult> = (client, call, timeoutMs) => {
  const { tool: name, args, input, signal } = call;
  const toolDefinition = { name, inputSchema: { ...input, type: 'object' as const } };
  const traceparent = currentTrace();
  const traced = traceparent === null ? {} : { _meta: { traceparent } };
  return client.callTool(
    { name, arguments: args, ...traced },
    { signal, timeout: timeoutMs, toolDefinition },
  );
};

/** Parsed separately, so that an invalid tool doesn't take the others with it. */
const ToolsPage = z.looseObject({
  tools: z.array(z.unknown()).catch([]),
  nextCursor: z.string().min(1).optional().catch(undefined),
});

async function listTools(client: Client, options: ConnectionOptions): Promise<void> {
  const tools: unknown[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const result = await client.request(
      { method: 'tools/list', params: cursor === undefined ? {} : { cursor } },
      ToolsPage,
      { timeout: options.connectTimeoutMs },
    );
    for (const tool of result.tools) tools.push(tool);
    cursor = result.nextCursor;
    // A server may repeat pages forever.
    if (cursor === undefined || seen.has(cursor) || tools.length > maxTools) break;
    seen.add(cursor);
  }
  await options.onTools(tools, {
    name: client.getServerVersion()?.name ?? '',
    instructions: client.getInstructions() ?? '',
  });
}

async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  throwIfAborted(signal);
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(toAbortError(signal));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
