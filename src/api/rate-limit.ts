// How often one caller may ask: per address and minute, counted in this process. This machine's own console and
// commands, probes, metrics and the webhooks of chat platforms are never refused.
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isLimited, isThroughLocalProxy } from './guard.ts';

/** The address that asks. Of a proxy on this machine: the one it names last, which it saw itself. */
function callerOf(request: FastifyRequest): string {
  if (!isThroughLocalProxy(request)) return request.ip;
  const named = String(request.headers['x-forwarded-for'] ?? '').split(',');
  return named.at(-1)?.trim() || request.ip;
}

/** Must come before the routes: it holds for those that are added after it. */
export async function limitRequests(app: FastifyInstance, perMinute: number): Promise<void> {
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
