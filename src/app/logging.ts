// Structured logs: JSON lines on stderr for servers, in a file for commands that own the terminal. Secrets never get in.
import pino, { type Logger, type LoggerOptions } from 'pino';
import { errorMessage } from '#domain/errors.ts';
import { createRedactor } from '#domain/secrets.ts';
import type { Config } from './config.ts';
import { openLogFile } from './home.ts';
import { openLogSink } from './log-sink.ts';

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

/**
 * What every log of the program has in common.
 * @param values secrets that are taken out wherever they stand in a line
 */
export function logOptions(level: string, values: string[] = []): LoggerOptions {
  // A line is JSON, where a value may stand in quotes.
  const hide = createRedactor(values.flatMap((one) => [one, JSON.stringify(one).slice(1, -1)]));
  return {
    level,
    redact: { paths: secrets, censor: '[secret]' },
    serializers: { err: (error: unknown) => describeError(error) },
    ...(values.length === 0 ? {} : { hooks: { streamWrite: hide } }),
  };
}

/** @param quiet a command that talks to a person: its log goes to `<home>/logs/countersign.log` */
export function createLog(config: Config, quiet: boolean): Logger {
  const options = logOptions(config.env.LOG_LEVEL, config.secrets);
  if (!quiet) return pino(options, openLogSink(2));
  return pino(options, openLogSink(openLogFile(config)));
}
