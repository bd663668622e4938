// JSON or readable logs, with secrets redacted by name and value.
import pino, { type Logger, type LoggerOptions } from 'pino';
import { errorMessage } from '#domain/errors.ts';
import { escapeExact } from '#domain/shown-text.ts';
import { logFields } from '#domain/telemetry.ts';
import { isObject, parseJson } from '#domain/text.ts';
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

/** Without query values, which may be personal. */
function messageOf(error: Error): string {
  if ('params' in error && 'query' in error && typeof error.query === 'string') {
    return `Failed query: ${error.query.slice(0, queryShown)}`;
  }
  if (error.message === '' && error instanceof AggregateError) {
    return error.errors.map(errorMessage).join('; ');
  }
  return error.message;
}

/** Known fields only: libraries attach keys, requests and rows. */
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

function withoutBound(fields: Record<string, string | number>, logger: Logger): object {
  if (!('request_id' in fields) || !('request_id' in logger.bindings())) return { ...fields };
  const { request_id: _, ...others } = fields;
  return others;
}

export function logOptions(level: string, scrub?: Scrub): LoggerOptions {
  return {
    level,
    redact: { paths: secrets, censor: '[secret]' },
    serializers: { err: (error: unknown) => describeError(error) },
    mixin: (_fields, _level, logger) => withoutBound(logFields(), logger),
    ...(scrub === undefined ? {} : { hooks: { streamWrite: scrub } }),
  };
}

/** @returns `15:38:10 warn  The MCP server gh cannot be started. (spawn gh ENOENT)` */
export function formatForTerminal(line: string): string {
  const entry = parseJson(line);
  if (!isObject(entry)) return line;
  const { level, time, msg = '', err } = entry;
  const at = new Date(Number(time)).toTimeString().slice(0, 8);
  const cause = isObject(err) ? ` (${err.message})` : '';
  return `${at} ${(pino.levels.labels[Number(level)] ?? '').padEnd(5)} ${escapeExact(`${msg}${cause}`)}\n`;
}

/** @param quiet logs to `<home>/logs/countersign.log` */
export function createLog(
  config: Config,
  quiet: boolean,
  scrub = createScrub(secretsOf(config, process.env)),
): Logger {
  const readable = !quiet && process.stderr.isTTY;
  const write: Scrub = readable
    ? Object.assign((line: string) => formatForTerminal(scrub(line)), { add: scrub.add })
    : scrub;
  const options = logOptions(config.env.LOG_LEVEL, write);
  return pino(options, openLogSink(quiet ? openLogFile(config) : 2));
}
