// The HTTP server: the API over one Service. It comes back not yet listening, so that the console and the chat
// platforms can add their routes; headers, guard, errors, metrics and shutdown hold for theirs too.
import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Service } from '#contracts/service.ts';
import { answerBrokenRequests } from './broken-requests.ts';
import { type ApiContext, bodyLimits } from './context.ts';
import { answerErrors, explainError, sendProblem } from './errors.ts';
import { guardVisits } from './guard.ts';
import { setSecurityHeaders } from './headers.ts';
import { takeKeys } from './idempotency.ts';
import { readJsonBodies } from './json-body.ts';
import { loggingOptions } from './logging.ts';
import { measureRequests } from './metrics.ts';
import { answerUnknownPaths } from './not-found.ts';
import { collectRoutes } from './openapi.ts';
import { limitRequests } from './rate-limit.ts';
import { conversationRoutes } from './routes/conversations.ts';
import { decisionRoutes } from './routes/decisions.ts';
import { eventRoutes } from './routes/events.ts';
import { exportRoutes } from './routes/exports.ts';
import { importRoutes } from './routes/import.ts';
import { linkRoutes } from './routes/link.ts';
import { patchRoutes } from './routes/patches.ts';
import { planRoutes } from './routes/plans.ts';
import { policyRoutes } from './routes/policy.ts';
import { runRoutes } from './routes/runs.ts';
import { systemRoutes } from './routes/system.ts';
import { closeGracefully } from './shutdown.ts';
import { validatorCompiler } from './validation.ts';

export type ServerOptions = {
  service: Service;
  /** false: no logs. */
  log: Logger | false;
  /** Where it is missing, only this machine is answered. */
  apiToken?: string;
  /** Requests of the API that one caller from elsewhere may make in a minute (1200). */
  requestsPerMinute?: number;
  version: string;
  readiness(): Promise<{ ready: boolean; parts: Record<string, string> }>;
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
  guardVisits(app, options.apiToken);
  answerErrors(app);
  answerUnknownPaths(app);
  await limitRequests(app, options.requestsPerMinute ?? 1200);
  await collectRoutes(app, options.version);

  const { service, heartbeatMs = 15_000 } = options;
  const context: ApiContext = { service, heartbeatMs, closing: closeGracefully(app) };
  // biome-ignore lint/nursery/noMisusedPromises: Fastify awaits what a plugin returns.
  await app.register(async (api) => {
    readJsonBodies(api);
    takeKeys(api);
    const groups = [
      runRoutes,
      planRoutes,
      patchRoutes,
      decisionRoutes,
      exportRoutes,
      importRoutes,
      conversationRoutes,
      policyRoutes,
      linkRoutes,
      eventRoutes,
    ];
    for (const group of groups) await api.register(group, context);
    const { metrics, readiness, version } = options;
    await api.register(systemRoutes, { metrics, readiness, version });
  });
  return app;
}
