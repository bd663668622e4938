// The HTTP server: the API over one Service. It comes back not yet listening, so that the console and the chat
// platforms can add their routes; headers, guard, errors, metrics and shutdown hold for theirs too.
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import rateLimit from '@fastify/rate-limit';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Service } from '#domain/service.ts';
import { type ApiContext, bodyLimits } from './context.ts';
import { answerErrors, explainError, sendProblem } from './errors.ts';
import { type Doors, guardVisits, isLimited, isThroughLocalProxy, type Reach } from './guard.ts';
import { takeKeys } from './idempotency.ts';
import { readJsonBodies } from './json-body.ts';
import { measureRequests } from './metrics.ts';
import { answerUnknownPaths } from './not-found.ts';
import { collectRoutes } from './openapi.ts';
import { toProblem } from './problem.ts';
import { artifactRoutes } from './routes/artifacts.ts';
import { conversationRoutes } from './routes/conversations.ts';
import { decisionRoutes } from './routes/decisions.ts';
import { eventRoutes } from './routes/events.ts';
import { exportRoutes } from './routes/exports.ts';
import { findingRoutes } from './routes/findings.ts';
import { importRoutes } from './routes/import.ts';
import { linkRoutes } from './routes/link.ts';
import { memoryRoutes } from './routes/memory.ts';
import { patchRoutes } from './routes/patches.ts';
import { planRoutes } from './routes/plans.ts';
import { policyRoutes } from './routes/policy.ts';
import { runRoutes } from './routes/runs.ts';
import { type SettingsOptions, settingsRoutes } from './routes/settings.ts';
import { stepRoutes } from './routes/steps.ts';
import { systemRoutes } from './routes/system.ts';
import { validatorCompiler } from './validation.ts';

// What is logged about requests: one line each at debug, faults at error, never a header, a body or a query.

/** Streams that break after their first byte are faults; clients that leave are not. */
class QuietLog extends LogController {
  constructor() {
    super({ disableRequestLogging: true, requestIdLogLabel: 'request_id' });
  }

  override streamError(...[error, request]: Parameters<LogController['streamError']>): void {
    const left = 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
    if (left) request.log.debug('the client left before the end');
    else request.log.error({ err: error }, 'the answer broke off');
  }
}

/** The logging options of the server; tokens that a plugin might log by accident are masked. */
function loggingOptions(log: Logger | false): {
  logController: LogController;
  loggerInstance?: FastifyBaseLogger;
} {
  const logController = new QuietLog();
  if (log === false) return { logController };
  const redact = [
    'req.headers.authorization',
    'req.headers.cookie',
    'headers.authorization',
    'headers.cookie',
    'authorization',
  ];
  return { logController, loggerInstance: log.child({ part: 'api' }, { redact }) };
}

// Bytes that are not HTTP, or whose head is too large: they never become a request, so their problem is written to the socket.

/** Statuses of Node's parser errors; anything else is 400. */
const statuses: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

function answerBrokenRequests(error: Error, socket: Socket): void {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = statuses[code] ?? 400;
  const detail = `The request is not HTTP that can be read here (${STATUS_CODES[status] ?? 'Bad Request'}).`;
  const body = JSON.stringify({ ...toProblem({ code: 'invalid_request', detail }, '/'), status });
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Bad Request'}`,
      'content-type: application/problem+json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

export type ServerOptions = {
  service: Service;
  /** false: no logs. */
  log: Logger | false;
  /** Who is let in: the instance's token, personal tokens, people who signed in. Without any, this machine only. */
  doors?: Partial<Doors>;
  /** The service as far as somebody reaches it; all of it where this is left out. */
  reach?: Reach;
  /** Requests of the API that one caller from elsewhere may make in a minute (1200). */
  requestsPerMinute?: number;
  version: string;
  readiness(): Promise<{ ready: boolean; parts: Record<string, string> }>;
  settings: SettingsOptions['settings'];
  /** Where HTTP metrics are kept and what `/metrics` shows; one server to a registry. */
  metrics: Registry;
  /** Milliseconds between the heartbeats of event streams (15,000). */
  heartbeatMs?: number;
};

/** Milliseconds a client may take to send a request. */
const requestTimeout = 120_000;

/** The server with the whole API, ready for further plugins and then for `listen`. */
export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const app: FastifyInstance = Fastify({
    ...loggingOptions(options.log),
    genReqId: () => randomUUID(),
    bodyLimit: bodyLimits.other,
    requestTimeout,
    // Requests of connections that are still open are served while the server closes; the service outlives it.
    return503OnClosing: false,
    // Conversation ids are longer than the 100 characters that are usual.
    routerOptions: { maxParamLength: 1000 },
    frameworkErrors: (error, request, reply) => {
      sendProblem(explainError(error, request), request, reply);
    },
    clientErrorHandler: answerBrokenRequests,
  });
  app.setValidatorCompiler(validatorCompiler);
  // Answers are typed by their schemas and come from inside: checking large ones again would only cost.
  app.setSerializerCompiler(() => (answer) => JSON.stringify(answer));

  setSecurityHeaders(app);
  measureRequests(app, options.metrics);
  const { doors, service, reach = () => service } = options;
  guardVisits(app, { signIn: false, identify: async () => null, ...doors }, reach);
  answerErrors(app);
  answerUnknownPaths(app);
  await limitRequests(app, options.requestsPerMinute ?? 1200);
  await collectRoutes(app, options.version);

  const { heartbeatMs = 15_000 } = options;
  const context: ApiContext = { heartbeatMs, closing: closeGracefully(app) };
  // biome-ignore lint/nursery/noMisusedPromises: Fastify awaits what a plugin returns.
  await app.register(async (api) => {
    readJsonBodies(api);
    takeKeys(api);
    const groups = [
      runRoutes,
      planRoutes,
      stepRoutes,
      patchRoutes,
      findingRoutes,
      artifactRoutes,
      decisionRoutes,
      exportRoutes,
      importRoutes,
      conversationRoutes,
      policyRoutes,
      memoryRoutes,
      linkRoutes,
      eventRoutes,
    ];
    for (const group of groups) await api.register(group, context);
    const { metrics, readiness, settings, version } = options;
    await api.register(settingsRoutes, { settings });
    await api.register(systemRoutes, { metrics, readiness, version });
  });
  return app;
}

// Headers every answer carries: no sniffing, no framing, nothing of the API kept in caches. Plugins may set their own instead.
function setSecurityHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'x-request-id': request.id,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'content-security-policy': "frame-ancestors 'none'",
    });
    if (!request.url.startsWith('/api')) return;
    reply.headers({
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    });
  });
}

// Closing without waiting for anybody: streams end, answers under way are finished, connections that never asked are cut.

/** A signal that aborts as soon as the server begins to close. */
function closeGracefully(app: FastifyInstance): AbortSignal {
  const closing = new AbortController();
  // Browsers and pools open connections ahead of need. To Node they are not idle, so closing would wait for them.
  const silent = new Set<Socket>();

  app.server.on('connection', (socket: Socket) => {
    if (closing.signal.aborted) return void socket.destroy();
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  app.server.on('request', ({ socket }) => silent.delete(socket));

  app.addHook('preClose', async () => {
    closing.abort();
    for (const socket of silent) socket.destroy();
  });
  app.addHook('onSend', async (_request, reply, payload) => {
    if (closing.signal.aborted) reply.header('connection', 'close');
    return payload;
  });
  return closing.signal;
}

// How often one caller may ask: per address and minute, counted in this process. This machine's own console and
// commands, probes, metrics and the webhooks of chat platforms are never refused.

/** The address that asks. Of a proxy on this machine: the one it names last, which it saw itself. */
function callerOf(request: FastifyRequest): string {
  if (!isThroughLocalProxy(request)) return request.ip;
  const named = String(request.headers['x-forwarded-for'] ?? '').split(',');
  return named.at(-1)?.trim() || request.ip;
}

/** Must come before the routes: it holds for those that are added after it. */
async function limitRequests(app: FastifyInstance, perMinute: number): Promise<void> {
  await app.register(rateLimit, {
    max: perMinute,
    timeWindow: 60_000,
    keyGenerator: callerOf,
    allowList: (request) => !isLimited(request),
    errorResponseBuilder: (_, { statusCode, max, ttl }) =>
      Object.assign(
        new Error(
          `More than ${max} requests came from this address within a minute. Try again in ${Math.ceil(ttl / 1000)} s.`,
        ),
        { statusCode },
      ),
  });
}
