// Explains an MCP server's failure, and its effect on the call.
import { stripVTControlCharacters } from 'node:util';
import {
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
} from '@modelcontextprotocol/client';
import { type ErrorCode as Code, CountersignError, errorMessage } from '#domain/errors.ts';
import { isObject, makeStorableText } from '#domain/text.ts';
import {
  nothingDone,
  outcomeUnknown,
  passesOfStatus,
  systemCode,
  toAbortError,
} from '../failures.ts';
import { tooLongCode } from './read-lines.ts';
import { SignInError } from './tokens.ts';

const longestLine = 300;

/** Redacts secrets. Call it before cutting, or half a secret may remain. */
type Clean = (text: string) => string;

/** `lastWords`: stderr output; a long line's end is quoted. */
export function explainFailure(name: string, error: unknown, clean: Clean, lastWords = ''): string {
  const words = clean(stripVTControlCharacters(lastWords)).trim();
  const line =
    words
      .split(/[\r\n]+/)
      .at(-1)
      ?.trim() ?? '';
  const last = makeStorableText(line.slice(-longestLine));
  const detail = last === '' ? '' : ` Last output: ${last}`;
  return `The MCP server ${name} ${describe(error, clean).replace(/\.$/, '')}.${detail}`;
}

function describe(error: unknown, clean: Clean): string {
  if (typeof error === 'string') return `is not reachable: ${error}`;
  if (error instanceof SignInError) return clean(error.message);
  if (error instanceof SdkHttpError && (error.status === 401 || error.status === 403))
    return `refuses the credentials (${error.status}); check its "headers" in countersign.json`;
  if (isSdkError(error, SdkErrorCode.RequestTimeout))
    return 'did not answer in time; check that its command or address is right';
  if (isSdkError(error, SdkErrorCode.ConnectionClosed)) return 'stopped while it was starting';
  switch (findSystemCode(error)) {
    case 'ENOENT':
      return 'cannot be started: its command or folder was not found; check it in countersign.json';
    case 'EACCES':
      return 'cannot be started: its command may not be executed';
    case 'ECONNREFUSED':
      return 'is not reachable: nothing answers at its address';
    case 'ENOTFOUND':
      return 'is not reachable: its host was not found';
    default:
      return `is not usable: ${firstLine(error, clean)}`;
  }
}

function isSdkError(error: unknown, code: SdkErrorCode): boolean {
  return error instanceof SdkError && error.code === code;
}

function firstLine(error: unknown, clean: Clean): string {
  const line = clean(stripVTControlCharacters(errorMessage(error))).split('\n')[0] ?? '';
  return makeStorableText(line.slice(0, longestLine)).replace(/\.$/, '');
}

function causeOf(error: Error): unknown {
  if (!(error instanceof SdkError)) return error.cause;
  return isObject(error.data) && error.data.cause instanceof Error ? error.data.cause : error.cause;
}

function findSystemCode(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = causeOf(cause)) {
    const code = cause instanceof SdkError ? undefined : systemCode(cause);
    if (code !== undefined) return code;
  }
  return undefined;
}

/** The server restarted and ignored the call. */
function isSessionLost(error: unknown): boolean {
  if (!(error instanceof SdkHttpError)) return false;
  return error.status === 404 || (error.status === 400 && /session/i.test(error.message));
}

export type CallFailure = {
  code: Code;
  message: string;
  details: Record<string, unknown>;
  passesAfterMs: number | null;
  connectionLost: boolean;
  neverSent: boolean;
};

export function toCallFailure(
  name: string,
  error: unknown,
  call: { tool: string; signal: AbortSignal; timeoutMs: number; closed: boolean },
  clean: Clean,
): CallFailure {
  const base = {
    details: outcomeUnknown,
    passesAfterMs: 0,
    connectionLost: false,
    neverSent: false,
  };
  if (call.signal.aborted) {
    const { code, message, passesAfterMs } = toAbortError(call.signal);
    return { ...base, code, message, passesAfterMs };
  }
  const unsure = 'it may have acted';
  if (call.closed)
    return {
      ...base,
      connectionLost: true,
      code: 'tool_failed',
      message: `The MCP server ${name} stopped during ${call.tool}; ${unsure}.`,
    };
  if (isSdkError(error, SdkErrorCode.RequestTimeout))
    return {
      ...base,
      code: 'timed_out',
      message: `${call.tool} of ${name} did not answer within ${call.timeoutMs / 1000} s; ${unsure}.`,
    };
  if (error instanceof ProtocolError && error.code === tooLongCode)
    return {
      ...base,
      code: 'tool_failed',
      message: `${call.tool} of ${name} was answered, but ${firstLine(error, clean)}.`,
      passesAfterMs: null,
    };
  if (error instanceof ProtocolError) {
    // A retry would fail as well.
    const failure = { details: {}, passesAfterMs: null };
    const asks = error.code === ProtocolErrorCode.MissingRequiredClientCapability;
    const message = asks
      ? `${call.tool} of ${name} wants to ask a person or a model during the call, which is not supported: ask in an earlier step and pass the answer on.`
      : firstLine(error, clean);
    return { ...base, ...failure, code: 'tool_failed', message };
  }
  const neverSent =
    error instanceof SignInError ||
    isSessionLost(error) ||
    findSystemCode(error) === 'ECONNREFUSED';
  const status = error instanceof SdkHttpError ? error.status : undefined;
  const answered = status !== undefined;
  return {
    code: neverSent ? 'tool_unavailable' : 'tool_failed',
    message: neverSent
      ? explainFailure(name, error, clean)
      : `${call.tool} of ${name} failed: ${firstLine(error, clean)}; ${unsure}.`,
    details: neverSent ? nothingDone : outcomeUnknown,
    passesAfterMs: neverSent || !answered ? 0 : passesOfStatus(status),
    connectionLost: neverSent || !answered,
    neverSent,
  };
}

export function wasRefused(error: unknown): boolean {
  return error instanceof CountersignError && error.cause instanceof ProtocolError;
}

export function toCallError(failure: CallFailure, cause: unknown): CountersignError {
  return new CountersignError(failure.code, failure.message, {
    details: failure.details,
    passesAfterMs: failure.passesAfterMs,
    cause,
  });
}
