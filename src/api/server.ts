// The HTTP server over one Service, open for more routes.
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isKnown } from '#domain/people/principal.ts';
import type { ApiContext } from './context.ts';
import { isLimited } from './guard.ts';
import { takeKeys } from './idempotency.ts';
import { readJsonBodies } from './json-body.ts';
import type { McpOptions } from './mcp/options.ts';
import { type AppOptions, openApp } from './open-app.ts';
import { collectRoutes } from './openapi.ts';
import { artifactRoutes } from './routes/artifacts.ts';
import { type CallbackOptions, callbackRoutes } from './routes/callbacks.ts';
import { conversationRoutes } from './routes/conversations.ts';
import { decisionRoutes } from './routes/decisions.ts';
import { documentRoute } from './routes/document.ts';
import { eventRoutes } from './routes/events.ts';
import { exportRoutes } from './routes/exports.ts';
import { findingRoutes } from './routes/findings.ts';
import { type IdentityOptions, identityRoutes } from './routes/identity.ts';
import { importRoutes } from './routes/import.ts';
import { linkRoutes } from './routes/link.ts';
import { mcpRoutes } from './routes/mcp.ts';
import { memoryRoutes } from './routes/memory.ts';
import { operationRoutes } from './routes/operations.ts';
import { patchRoutes } from './routes/patches.ts';
import { planRoutes } from './routes/plans.ts';
import { playbookRoutes } from './routes/playbooks.ts';
import { policyRoutes } from './routes/policy.ts';
import { type Probes, probeRoutes } from './routes/probes.ts';
import { recurringRoutes } from './routes/recurring.ts';
import { runRoutes } from './routes/runs.ts';
import { type SettingsOptions, settingsRoutes } from './routes/settings.ts';
import { type ToolSignInOptions, toolSignInRoutes } from './routes/tool-sign-in.ts';

export type ServerOptions = AppOptions & {
  /** Without it, no sign-in or tokens. */
  identity?: IdentityOptions;
  /** Per remote caller (1200). */
  requestsPerMinute?: number;
  /** Signed-in people and tokens; default: by address. */
  personRequestsPerMinute?: number | undefined;
  version: string;
  probes: Probes;
  settings: SettingsOptions['settings'];
  /** Without it `/mcp` isn't served. */
  mcp?: Omit<McpOptions, 'closing' | 'version'>;
  toolSignIn?: ToolSignInOptions;
  /** Without it the path doesn't exist. */
  callbacks?: CallbackOptions;
  /** Default 15,000. */
  heartbeatMs?: number;
  /** Milliseconds between access checks of a stream; default 30,000. */
  recheckMs?: number;
};

export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const { app, closing } = openApp(options);
  await limitRequests(app, options.requestsPerMinute ?? 1200, options.personRequestsPerMinute);
  await collectRoutes(app, options.version);

  const { heartbeatMs = 15_000, recheckMs = 30_000 } = options;
  const context: ApiContext = { heartbeatMs, recheckMs, closing };
  // biome-ignore lint/nursery/noMisusedPromises: Fastify awaits what a plugin returns.
  await app.register(async (api) => {
    readJsonBodies(api);
    // The token accepts a result once, so needs no keys.
    if (options.callbacks !== undefined) await api.register(callbackRoutes, options.callbacks);
    takeKeys(api);
    const groups = [
      runRoutes,
      planRoutes,
      operationRoutes,
      patchRoutes,
      findingRoutes,
      artifactRoutes,
      decisionRoutes,
      exportRoutes,
      importRoutes,
      playbookRoutes,
      recurringRoutes,
      conversationRoutes,
      policyRoutes,
      memoryRoutes,
      linkRoutes,
      eventRoutes,
    ];
    for (const group of groups) await api.register(group, context);
    const { metrics, probes, settings, version } = options;
    if (options.identity !== undefined) await api.register(identityRoutes, options.identity);
    await api.register(settingsRoutes, { settings });
    const { toolSignIn = { signIns: null, publicUrl: null } } = options;
    await api.register(toolSignInRoutes, toolSignIn);
    await api.register(probeRoutes, { metrics, probes, version });
    await api.register(documentRoute);
  });
  const { mcp, version } = options;
  if (mcp !== undefined) {
    // biome-ignore lint/nursery/noMisusedPromises: Fastify awaits what a plugin returns.
    await app.register(async (agents) => {
      readJsonBodies(agents);
      await mcpRoutes(agents, { ...mcp, version, closing: context.closing });
    });
  }
  return app;
}

// Per minute and process. Exempt: this machine, probes, metrics, chat webhooks.

async function limitRequests(
  app: FastifyInstance,
  perMinute: number,
  ofPerson: number | undefined,
): Promise<void> {
  const isPerson = ({ principal }: FastifyRequest) => ofPerson !== undefined && isKnown(principal);
  await app.register(rateLimit, {
    max: (request) => (ofPerson !== undefined && isPerson(request) ? ofPerson : perMinute),
    timeWindow: 60_000,
    // Addresses have no blank; IPv6 counts by /64. A trusted proxy's last address counts.
    keyGenerator: (request) =>
      isPerson(request) ? `person ${request.principal.account}` : rateLimit.normalizeIP(request.ip),
    allowList: (request) => !isLimited(request),
    errorResponseBuilder: (request, { statusCode, max, ttl }) =>
      Object.assign(
        new Error(
          `More than ${max} requests came from ${isPerson(request) ? request.principal.name : 'this address'} within a minute. Try again in ${Math.ceil(ttl / 1000)} s.`,
        ),
        { statusCode },
      ),
  });
}
