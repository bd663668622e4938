// Ports that this process listens on.
import { connect } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { readText } from '#domain/bounded-body.ts';
import { CountersignError } from '#domain/errors.ts';

export function portOf({ server }: FastifyInstance): number {
  const address = server.address();
  if (typeof address === 'object' && address !== null) return address.port;
  throw new Error('portOf: the server does not listen on a port');
}

const answersWithinMs = 1000;
const longestHealth = 10_000;

const Health = z.object({ version: z.string() });

function isTaken(address: string): Promise<boolean> {
  const { hostname, port } = new URL(address);
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) });
  return new Promise<boolean>((resolve) => {
    socket.setTimeout(answersWithinMs, () => resolve(false));
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  }).finally(() => socket.destroy());
}

/** @returns the version if it is a Countersign; null if the port is free */
export async function findListener(
  address: string,
): Promise<{ countersign: string } | 'other' | null> {
  if (!(await isTaken(address))) return null;
  try {
    const signal = AbortSignal.timeout(answersWithinMs);
    const answer = await fetch(`${address}/healthz`, { signal });
    const text = await readText(answer, longestHealth);
    return { countersign: Health.parse(JSON.parse(text)).version };
  } catch {
    // It hangs or isn't a Countersign.
    return 'other';
  }
}

/** @throws `invalid_configuration` if another program has `variable`'s port */
export async function refuseTaken(
  variable: 'PORT' | 'HEALTH_PORT',
  address: string,
): Promise<void> {
  const there = await findListener(address);
  if (there === null) return;
  const { port, hostname } = new URL(address);
  throw new CountersignError(
    'invalid_configuration',
    there === 'other'
      ? describeTaken(variable, port, hostname)
      : `${variable}: ${port} is taken on ${hostname} by another Countersign ${there.countersign}. Use it, stop it, or set ${variable} to another port.`,
  );
}

const describeTaken = (variable: string, port: number | string, host: string) =>
  `${variable}: ${port} is taken on ${host}. Stop the program there or set ${variable} to another port.`;

export function explainTaken(
  variable: 'PORT' | 'HEALTH_PORT',
  port: number,
  host: string,
  cause: unknown,
): unknown {
  if (!(cause instanceof Error) || !('code' in cause) || cause.code !== 'EADDRINUSE') return cause;
  return new CountersignError('invalid_configuration', describeTaken(variable, port, host), {
    cause,
  });
}
