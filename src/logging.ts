// Structured logs: JSON lines on stderr for servers, in a file for commands that own the terminal. Secrets never get in.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import pino, { type Logger } from 'pino';
import type { Config } from '#config';

const secrets = [
  'authorization',
  'token',
  'apiKey',
  'api_key',
  'password',
  'headers.authorization',
  '*.authorization',
  '*.token',
  '*.apiKey',
  '*.password',
  'req.headers.authorization',
  'err.config',
  'err.headers',
];

/** An error as it is logged. Database errors carry their whole connection with its keys; that stays out. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { client: _client, ...rest } = pino.stdSerializers.err(error);
  return rest;
}

/** @param quiet a command that talks to a person: its log goes to `<home>/logs/countersign.log` */
export function createLog({ env, home }: Config, quiet: boolean): Logger {
  const options = {
    level: env.LOG_LEVEL,
    redact: { paths: secrets, censor: '[secret]' },
    serializers: { err: describeError },
  };
  if (!quiet) return pino(options, pino.destination({ dest: 2, sync: false }));
  const folder = join(home, 'logs');
  mkdirSync(folder, { recursive: true });
  return pino(options, pino.destination({ dest: join(folder, 'countersign.log'), sync: false }));
}
