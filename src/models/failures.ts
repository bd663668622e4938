// Why a model call failed, and whether to retry.
import { CountersignError, errorMessage } from '#domain/errors.ts';
import type { ModelApi } from '#domain/model-apis.ts';
import { readRetryAfter } from '#domain/retry-after.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { findModel } from './catalogue.ts';
import { type ApiFailure, addressOf, findError, isApiFailure } from './client.ts';
import { FailedReply, LostReply } from './exchange.ts';

const firstPause = 500;
const maxReason = 300;

/** A 400 for a missing or retired model. */
const endedModel = (reason: string): boolean =>
  /invalid model/i.test(reason) ||
  reason
    .split(/\bmodel\b/i)
    .some(
      (rest, at) =>
        at > 0 &&
        /\b(?:not found|not exist|deprecated|retired|decommissioned|no longer)/i.test(rest),
    );
/** By wording; the first match counts. */
const advices: [RegExp, string][] = [
  [
    /not support (?:tools|function|tool)|(?:tools?|functions?) (?:is|are) not supported/i,
    'Set PLANNER_MODEL and EXECUTOR_MODEL to models that call tools.',
  ],
  [
    /context (?:length|window|size|limit)|maximum context|prompt is too long/i,
    'Give the model a longer context on its server, or set PLANNER_MODEL to one that has it.',
  ],
];

export type Called = { name: string; api: ModelApi; apiKey: string | null };

/** Milliseconds; null if no retry can help. */
export function choosePause(error: unknown, attempt: number): number | null {
  const backoff = firstPause * 2 ** (attempt - 1);
  if ([SyntaxError, LostReply, FailedReply].some((kind) => error instanceof kind)) return backoff;
  if (!isApiFailure(error)) return null;
  const { status, code } = error;
  if (status === undefined) return backoff;
  if (code === 'insufficient_quota') return null;
  if (status !== 408 && status !== 409 && status !== 429 && status < 500) return null;
  return readPause(error.headers) ?? backoff;
}

function choosePassing(cause: unknown): number | null {
  if (choosePause(cause, 1) === null) return null;
  return isApiFailure(cause) ? (readPause(cause.headers) ?? 0) : 0;
}

function readPause(headers: Headers | undefined): number | null {
  const milliseconds = Number.parseFloat(headers?.get('retry-after-ms') ?? '');
  if (Number.isFinite(milliseconds) && milliseconds >= 0) return milliseconds;
  return readRetryAfter(headers?.get('retry-after'), Date.now());
}

export function describeCancelled(name: string, cause?: unknown): CountersignError {
  return new CountersignError('cancelled', `The call to the model ${name} was stopped.`, { cause });
}

export function describeTimeout(name: string, cause?: unknown): CountersignError {
  return new CountersignError(
    'timed_out',
    `The model ${name} did not answer in time. Ask again, or raise WALL_TIME_SEC.`,
    { cause, passesAfterMs: 0 },
  );
}

/** @param ms of silence */
export function describeSilence(name: string, ms: number, cause?: unknown): CountersignError {
  return new CountersignError(
    'timed_out',
    `The model ${name} sent nothing for ${Math.round(ms / 1000)} s. Check the load on its server, or choose a faster model.`,
    { cause, passesAfterMs: 0 },
  );
}

export function describeFailure(request: Called, cause: unknown): CountersignError {
  return new CountersignError('model_failed', explainFailure(request, cause), {
    cause,
    details: isApiFailure(cause) ? { status: cause.status ?? null } : { answered: true },
    passesAfterMs: choosePassing(cause),
  });
}

export const checkOf = ({ api }: Pick<Called, 'api'>) => ({
  key: `Check ${api === 'messages' ? 'ANTHROPIC' : 'OPENAI'}_API_KEY.`,
  address: `Check ${addressOf(api)}.`,
});

function explainFailure({ name, api, apiKey }: Called, cause: unknown): string {
  const check = checkOf({ api });
  if (cause instanceof SyntaxError)
    return `The model server's reply for ${name} is not JSON. ${check.address}`;
  if (cause instanceof LostReply)
    return `The connection broke before ${name} finished its answer. Ask again; if it keeps happening, check the server's log and any proxy that cuts off long responses.`;
  if (cause instanceof FailedReply)
    return `The model ${name} failed: ${quote(cause.message, apiKey)}`;
  if (!isApiFailure(cause)) return `The model ${name} failed: ${errorMessage(cause)}`;
  const { status } = cause;
  const reason = quote(readReason(cause), apiKey);
  if (status === undefined) return `The model ${name} cannot be reached. ${check.address}`;
  if (status === 404 || cause.code === 'model_not_found' || (status === 400 && endedModel(reason)))
    return explainUnknown(name, api, reason);
  if (status === 401) return `The model server refused the key. ${check.key}`;
  if (status === 403) return `The model server refused access: ${reason} ${check.key}`;
  if (status === 429)
    return `The model ${name} has reached its rate limit or quota (429): ${reason} Ask again later.`;
  if (status >= 500) return `The model server failed (${status}): ${reason} Ask again later.`;
  const advice = advices.find(([words]) => words.test(reason))?.[1];
  return `The model server refused the request (${status}): ${reason}${advice === undefined ? '' : ` ${advice}`}`;
}

function explainUnknown(name: string, api: ModelApi, reason: string): string {
  const replacement = findModel(name)?.replacement;
  const advice =
    replacement === undefined
      ? 'Check PLANNER_MODEL and EXECUTOR_MODEL'
      : `OpenAI recommends ${replacement} in its place: set PLANNER_MODEL or EXECUTOR_MODEL`;
  const other = api === 'responses' ? ', or set OPENAI_API=chat for a server without it' : '';
  return `The model server does not know ${name}${api === 'responses' ? ', or has no Responses API' : ''}: ${reason} ${advice}${other}.`;
}

/** Without the package's status prefix. */
export function readReason(error: ApiFailure): string {
  // Anthropic's package keeps the whole body, OpenAI's its error.
  const body: unknown = findError(error.error);
  const inner =
    typeof body === 'object' && body !== null && 'message' in body ? body.message : undefined;
  return typeof inner === 'string' ? inner : error.message;
}

/** One line, without the key: the message is public. */
export function quote(reason: string, key: string | null): string {
  const line = [...(key ? [key] : []), /Bearer \S+/gi, /\bsk-[\w-]+/g]
    .reduce<string>((text, secret) => text.replaceAll(secret, '[secret]'), reason)
    .replace(/\s+/g, ' ')
    .trim();
  return quoteWords(line, maxReason);
}
