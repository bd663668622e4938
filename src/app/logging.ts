// Structured logs: JSON lines on stderr for servers, in a file for commands that own the terminal. Secrets are redacted by field
// name and by configured value.
import pino, { type Logger, type LoggerOptions } from 'pino';
import { errorMessage } from '#domain/errors.ts';
import { logFields } from '#domain/telemetry.ts';
import type { Config } from './config.ts';
import { openLogFile } from './home.ts';
import { openLogSink } from './log-sink.ts';
import { createScrub, type Scrub, secretsOf } from './secrets.ts';

const secretNames = [
  'authorization',
  'token',
  'apiKey',
  'api_key',
  'password',
  'botToken',
  'appToken',
  'signingSecret',
  'clientSecret',
  'stateSecret',
  'encryptionKey',
];
/** At any of the first three levels. */
const secrets = secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

const causesShown = 5;
const queryShown = 300;

/** The message without query values, which may hold personal content. */
function messageOf(error: Error): string {
  if ('params' in error && 'query' in error && typeof error.query === 'string') {
    return `Failed query: ${error.query.slice(0, queryShown)}`;
  }
  if (error.message === '' && error instanceof AggregateError) {
    return error.errors.map(errorMessage).join('; ');
  }
  return error.message;
}

/** Logs only known fields of an error: libraries attach connections with keys, whole requests and rows. */
function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return typeof error === 'object' ? 'not an error' : error;
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return {
    type: error.name,
    message: messageOf(error),
    ...('code' in error ? { code: error.code } : {}),
    stack: frames.join('\n'),
    ...(error.cause === undefined || depth >= causesShown
      ? {}
      : { cause: describeError(error.cause, depth + 1) }),
  };
}

/** Skips fields that the request's logger has already. */
function withoutBound(fields: Record<string, string | number>, logger: Logger): object {
  if (!('request_id' in fields) || !('request_id' in logger.bindings())) return { ...fields };
  const { request_id: _, ...others } = fields;
  return others;
}

/**
 * Options shared by all logs.
 * @param scrub redacts secrets
 */
export function logOptions(level: string, scrub?: Scrub): LoggerOptions {
  return {
    level,
    redact: { paths: secrets, censor: '[secret]' },
    serializers: { err: (error: unknown) => describeError(error) },
    // The request, job or step, and its trace.
    mixin: (_fields, _level, logger) => withoutBound(logFields(), logger),
    ...(scrub === undefined ? {} : { hooks: { streamWrite: scrub } }),
  };
}

/** @param quiet for interactive commands: logs to `<home>/logs/countersign.log` */
export function createLog(
  config: Config,
  quiet: boolean,
  scrub = createScrub(secretsOf(config, process.env)),
): Logger {
  const options = logOptions(config.env.LOG_LEVEL, scrub);
  return pino(options, openLogSink(quiet ? openLogFile(config) : 2));
}
