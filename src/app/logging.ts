// Structured logs: JSON lines on stderr for servers, in a file for commands that own the terminal. Secrets never get in: neither under
// their usual names nor, wherever they stand, the configured ones.
import pino, { type Logger, type LoggerOptions } from 'pino';
import { errorMessage } from '#domain/errors.ts';
import { logFields } from '#domain/telemetry.ts';
import type { Config } from './config.ts';
import { openLogFile } from './home.ts';
import { openLogSink } from './log-sink.ts';
import { createScrub, secretsOf } from './secrets.ts';

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
/** Wherever they stand in what is logged, down to the third level. */
const secrets = secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

const causesShown = 5;
const queryShown = 300;

/** What was thrown, without the values of a query, which are what people wrote and tools answered. */
function messageOf(error: Error): string {
  if ('params' in error && 'query' in error && typeof error.query === 'string') {
    return `Failed query: ${error.query.slice(0, queryShown)}`;
  }
  if (error.message === '' && error instanceof AggregateError) {
    return error.errors.map(errorMessage).join('; ');
  }
  return error.message;
}

/**
 * An error as it is logged: these fields and no others. What libraries hang on their errors holds connections with
 * their keys, whole requests, rows.
 */
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

/** Fields that the logger of a request has bound already would stand twice in the line. */
function withoutBound(fields: Record<string, string | number>, logger: Logger): object {
  if (!('request_id' in fields) || !('request_id' in logger.bindings())) return { ...fields };
  const { request_id: _, ...others } = fields;
  return others;
}

/**
 * What every log of the program has in common.
 * @param values secrets that are taken out wherever they stand in a line
 */
export function logOptions(level: string, values: string[] = []): LoggerOptions {
  return {
    level,
    redact: { paths: secrets, censor: '[secret]' },
    serializers: { err: (error: unknown) => describeError(error) },
    // Which request, job or step it is about, and in which trace.
    mixin: (_fields, _level, logger) => withoutBound(logFields(), logger),
    ...(values.length === 0 ? {} : { hooks: { streamWrite: createScrub(values) } }),
  };
}

/** @param quiet a command that talks to a person: its log goes to `<home>/logs/countersign.log` */
export function createLog(config: Config, quiet: boolean): Logger {
  const options = logOptions(config.env.LOG_LEVEL, secretsOf(config, process.env));
  return pino(options, openLogSink(quiet ? openLogFile(config) : 2));
}
