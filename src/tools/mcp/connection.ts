// Keeps one MCP server reachable: connects, notices when it is gone, tries again with growing pauses and before each use.
// A call that may have reached the server is never repeated here unless the operation may be.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type CallToolResult, Client } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { CountersignError } from '#domain/errors.ts';
import type { McpServer } from '#domain/settings.ts';
import { currentTrace, span } from '#domain/telemetry.ts';
import { type JsonObject, makeStorableText } from '#domain/text.ts';
import type { JsonSchema, ServerHealth } from '#domain/tool.ts';
import { nothingDone, throwIfAborted, toAbortError } from '../failures.ts';
import { explainFailure, toCallError, toCallFailure } from './explain-failure.ts';
import { createServerRedactor, openWire, type Wire } from './open-transport.ts';
import { maxTools } from './read-tools.ts';
import { SignInError, type Tokens } from './tokens.ts';

export type Connection = {
  /** Why it cannot be used now; null while it is connected. */
  problem(): string | null;
  /** How it is now, and what went wrong last. */
  health(): ServerHealth;
  /** Connects now if need be. @throws CountersignError tool_unavailable */
  connect(signal?: AbortSignal): Promise<void>;
  /**
   * @throws CountersignError tool_unavailable when the call was never made; otherwise tool_failed,
   * timed_out or cancelled, marked `outcomeUnknown` where the server may have acted
   */
  call<T>(request: CallRequest, send: Send<T>): Promise<T>;
  /** Which run of the server's program this is, while it is connected; null: it is behind an address, or not connected. */
  home(): string | null;
  /** Whether the server answers now. @throws CountersignError tool_unavailable */
  ping(): Promise<void>;
  close(): Promise<void>;
};

/** Makes a call at a connected server. `timeoutMs`: how long it may take to answer. */
type Send<T> = (client: Client, call: CallRequest, timeoutMs: number) => Promise<T>;

export type CallRequest = {
  /** What is sent, as traces name it. */
  method: string;
  tool: string;
  /** The schema of its arguments: some of them are sent as headers, too. */
  input: JsonSchema;
  args: JsonObject;
  signal: AbortSignal;
  /** Making the call twice is the same as making it once. */
  repeatable: boolean;
  /** Asked just before the call, whenever the server was connected anew. @throws when the tool is another one by now */
  requireSame(): void;
};

export type ConnectionOptions = {
  name: string;
  server: McpServer;
  baseDir: string;
  /** Of a server at which people sign in; null: it takes none. */
  tokens: Tokens | null;
  /** What nobody is to be shown, beside what the server's own settings hold. */
  secrets: string[];
  /** The server's tools, the name it gives itself and how it says it is to be used, each time the tools are listed. */
  onTools(tools: unknown[], server: { name: string; instructions: string }): Promise<void>;
  warn(message: string): void;
  connectTimeoutMs: number;
  /** First pause before trying again; doubles up to a minute. */
  retryMs: number;
};

/** No server has seen the call, and a later one may find it back. */
const notReached = { details: nothingDone, passesAfterMs: 0 };
const maxRetryMs = 60_000;
const stableMs = 60_000;
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
  /** Given up, with calls still under way. */
  const leaving = new Set<Client>();
  let starting: { client: Client; wire: Wire } | null = null;
  /** A program that knows no revision of 2026, as far as is known. */
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

  /** Gives up a client; the next one is made soon, or at the next use. */
  function drop(client: Client, reason: string): void {
    if (live?.client !== client) return;
    // A server that keeps stopping right after its start must not be started every second.
    failures = Date.now() - live.since > stableMs ? 0 : failures + 1;
    const { calls } = live;
    live = null;
    note(reason);
    if (closed) return;
    options.warn(reason);
    // Calls under way get answers of their own: cut off, nobody would know whether the server saw them.
    leaving.add(client);
    Promise.allSettled(calls)
      .then(() => client.close())
      .catch(warn)
      .finally(() => leaving.delete(client));
    retryLater();
  }

  /** Sends a call, and keeps its client open until it has ended. */
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

  /** By OpenTelemetry's conventions for MCP. */
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
      // `connectOnce` has told the reason and plans the next try.
      obtain().catch(() => undefined);
    }, pause);
    timer.unref();
  }

  /** Asks for the revision of 2026, and takes the handshake of 2025 where that is not known. */
  function createClient(): Client {
    const client: Client = new Client(
      { name: 'countersign', version: '1' },
      {
        capabilities: {},
        versionNegotiation: {
          mode: 'auto',
          // Over stdio, a server that takes longer to answer is spoken to as one of 2025.
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
    const prior = isLegacy ? { prior: { kind: 'legacy' as const } } : {};
    try {
      await client.connect(wire.transport, {
        timeout: options.connectTimeoutMs,
        signal: ending.signal,
        ...prior,
      });
      // A program is started twice to find out. Which revision an address speaks may change, and asking costs little.
      isLegacy = server.url === undefined && client.getProtocolEra() === 'legacy';
      await listTools(client, options);
      if (closed) throw new Error('it was closed');
      client.onclose = () => drop(client, explain('it stopped', wire.lastWords()));
      client.onerror = (error) => {
        // The stream of an HTTP server is gone for good; the server may be, too.
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

  /** The live client; callers during a connection attempt wait for that attempt. */
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
      // Not a ping: a server that has other tools by now need not say so by itself.
      await listTools(client, { ...options, connectTimeoutMs: pingMs });
      return true;
    } catch (thrown) {
      const error = await judge(thrown);
      signInNeeded = error instanceof SignInError && error.needed;
      drop(client, explain(error));
      return false;
    }
  }

  /**
   * Since the revision of 2026, changes of the tools are told on a stream of their own, which servers and proxies end when
   * they like: what was missed meanwhile is read, and another one opened.
   */
  async function followChanges(client: Client): Promise<void> {
    let subscription = client.autoOpenedSubscription;
    while (subscription !== undefined) {
      if ((await subscription.closed) === 'local') return;
      await pause(Math.max(options.retryMs, followAgainMs), undefined, { ref: false });
      if (live?.client !== client || !(await verify(client))) return;
      subscription = await client.listen({ toolsListChanged: true });
    }
  }

  // Somebody has signed in or out, in whatever process.
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
      const { name: called = null, version = null } = live?.client.getServerVersion() ?? {};
      return {
        since: live === null ? null : new Date(live.since).toISOString(),
        name: called === null ? null : makeStorableText(clean(called)).slice(0, 200),
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
        try {
          return await sendOn(client, request, send);
        } catch (thrown) {
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
      // A client that still asks for the revision closes no wire.
      await Promise.all([...clients, starting?.wire.transport.close()]);
      // An attempt under way ends in an error that nobody waits for any more.
      await connecting?.catch(() => undefined);
      live = null;
    },
  };
}

/** The definition is without an output schema: an answer against it would become a failure after the fact. */
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

/** Each tool is read by itself, so that one that is odd takes none of the others with it. */
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
    // A server that gives the same page again would give it for ever.
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
