// Shared by all HTTP servers.
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Service } from '#domain/service.ts';
import { bodyLimits } from './context.ts';
import { answerErrors, explainError, sendProblem } from './errors.ts';
import { type Doors, guardVisits, type Reach } from './guard.ts';
import { answerUnknownPaths, unreadable } from './not-found.ts';
import { toProblem } from './problem.ts';
import { measureRequests, queueBackground } from './request-hooks.ts';
import { validatorCompiler } from './validation.ts';

// At debug, faults at error; never header, body or query.

/** Broken streams are faults, disconnecting clients aren't. */
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

// Invalid HTTP never becomes a request: answered on the socket.

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

export type AppOptions = {
  /** False to disable. */
  log: Logger | false;
  service: Service;
  /** Without any, this machine only. */
  doors?: Partial<Doors>;
  reach?: Reach;
  /** Besides proxies on this machine. */
  trustedProxies?: string[];
  metrics: Registry;
};

/** For a client to send a request. */
const requestTimeout = 120_000;

/** @returns `closing`, which aborts when the server starts to close */
export function openApp(options: AppOptions): { app: FastifyInstance; closing: AbortSignal } {
  const app: FastifyInstance = Fastify({
    ...loggingOptions(options.log),
    genReqId: () => randomUUID(),
    bodyLimit: bodyLimits.other,
    // Only for `request.ip` in rate limits; the guard reads the socket.
    trustProxy: ['loopback', ...(options.trustedProxies ?? [])],
    requestTimeout,
    // Serve during shutdown; the service outlives it.
    return503OnClosing: false,
    // Conversation IDs exceed the default of 100 characters.
    routerOptions: { maxParamLength: 1000 },
    frameworkErrors: (error, request, reply) => {
      const complaint =
        error.code === 'FST_ERR_BAD_URL' ? unreadable(request.url) : explainError(error, request);
      sendProblem(complaint, request, reply);
    },
    clientErrorHandler: answerBrokenRequests,
  });
  app.setValidatorCompiler(validatorCompiler);
  // Responses are typed; validation would only cost time.
  app.setSerializerCompiler(() => (answer) => JSON.stringify(answer));

  setSecurityHeaders(app);
  measureRequests(app, options.metrics);
  const { doors, service, reach = () => service } = options;
  guardVisits(
    app,
    { signIn: false, publicOrigin: null, identify: async () => null, ...doors },
    reach,
  );
  queueBackground(app);
  answerErrors(app);
  answerUnknownPaths(app);
  return { app, closing: closeGracefully(app) };
}

// No sniffing, framing or caching, unless overridden.
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

// Streams end, responses finish, unused connections are cut.

function closeGracefully(app: FastifyInstance): AbortSignal {
  const closing = new AbortController();
  // Preconnected sockets don't count as idle, so closing would wait.
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
