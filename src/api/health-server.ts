// The server of a process that has no API: probes and metrics, under the rules of the other one.
import type { FastifyInstance } from 'fastify';
import { type AppOptions, openApp } from './open-app.ts';
import { type ProbeOptions, probeRoutes } from './routes/probes.ts';

/** Not yet listening. */
export async function createHealthServer(
  options: AppOptions & ProbeOptions,
): Promise<FastifyInstance> {
  const { app } = openApp(options);
  await app.register(probeRoutes, options);
  return app;
}
