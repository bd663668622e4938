// Ports that this process listens on.
import type { FastifyInstance } from 'fastify';
import { CountersignError } from '#domain/errors.ts';

/** The port that a server which listens was given. */
export function portOf({ server }: FastifyInstance): number {
  const address = server.address();
  if (typeof address === 'object' && address !== null) return address.port;
  throw new Error('portOf: the server does not listen on a port');
}

/** What `cause`, for which a server does not listen, means to who set `variable`. */
export function explainTaken(
  variable: 'PORT' | 'HEALTH_PORT',
  port: number,
  host: string,
  cause: unknown,
): unknown {
  if (!(cause instanceof Error) || !('code' in cause) || cause.code !== 'EADDRINUSE') return cause;
  return new CountersignError(
    'invalid_configuration',
    `${variable}: ${port} is taken on ${host}. Stop what listens there or set ${variable} to another one.`,
    { cause },
  );
}
