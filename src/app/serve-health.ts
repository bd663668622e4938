// A worker's HTTP server for probes and metrics.
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { type AppOptions, openApp } from '#api/open-app.ts';
import { type ProbeOptions, probeRoutes } from '#api/routes/probes.ts';
import type { Config } from './config.ts';
import { createProbes } from './health.ts';
import { explainTaken, portOf } from './ports.ts';
import { version } from './version.ts';
import type { Instance } from './wire/instance.ts';

export async function createHealthServer(
  options: AppOptions & ProbeOptions,
): Promise<FastifyInstance> {
  const { app } = openApp(options);
  await app.register(probeRoutes, options);
  return app;
}

/** Returns the actual `port`. @throws `invalid_configuration` if in use */
export async function serveHealth(
  instance: Instance,
  { env: { HOST: host, COUNTERSIGN_API_TOKEN: apiToken } }: Config,
  options: { port: number; log: Logger; metrics: Registry },
): Promise<{ app: FastifyInstance; port: number }> {
  const { port, log, metrics } = options;
  const probes = createProbes(instance);
  const doors = apiToken === undefined ? {} : { apiToken };
  const { service } = instance;
  const app = await createHealthServer({ service, log, doors, metrics, probes, version });
  try {
    await app.listen({ host, port });
  } catch (cause) {
    await app.close();
    throw explainTaken('HEALTH_PORT', port, host, cause);
  }
  return { app, port: portOf(app) };
}
