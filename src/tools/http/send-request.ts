// One web call: every redirect checked, time and size limited.
import { STATUS_CODES } from 'node:http';
import { type Dispatcher, fetch, type Response } from 'undici';
import { longestReason, readBody } from '#domain/bounded-body.ts';
import { charsetOf, decodeText } from '#domain/encoding/encoding.ts';
import { readPageText } from '#domain/encoding/page-text.ts';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import { parseShallowJson } from '#domain/json.ts';
import { readRetryAfter } from '#domain/retry-after.ts';
import type { Json } from '#domain/text.ts';
import { shorten } from '#domain/words.ts';
import {
  nothingDone,
  outcomeUnknown,
  passesOf,
  passesOfStatus,
  toAbortError,
} from '../failures.ts';
import { type AddressRules, findUrlProblem } from './addresses.ts';
import { findRefusal } from './guarded-agent.ts';

export type WebRequest = {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | null;
  signal: AbortSignal;
  /** Never goes to another origin, and its outcome can be unknown. */
  changesSomething: boolean;
};

export type WebAnswer = {
  url: string;
  status: number;
  headers: Record<string, string>;
  text: string | null;
  json: Json | undefined;
};

export type WebClient = {
  /** @throws CountersignError unless the status is 2xx */
  send(request: WebRequest): Promise<WebAnswer>;
};

export type WebClientOptions = {
  agent: Dispatcher;
  rules: AddressRules;
  timeoutMs: number;
  maxBytes: number;
};

const maxRedirects = 5;
const shownHeaders = ['content-type', 'etag', 'last-modified', 'location', 'retry-after'];
/** Kept on a redirect to another origin; others may be credentials. */
const harmless = new Set(['accept', 'accept-language', 'content-type', 'user-agent']);
const aboutBody = new Set(['content-type', 'content-length']);

export function createWebClient(options: WebClientOptions): WebClient {
  return {
    async send(request) {
      const deadline = AbortSignal.timeout(options.timeoutMs);
      const signal = AbortSignal.any([request.signal, deadline]);
      const way = { answered: false };
      try {
        return await follow({ ...request, signal }, options, way);
      } catch (error) {
        throw translate(error, { ...request, ...way }, signal, options.timeoutMs);
      }
    },
  };
}

/** @param way records that a server has seen the call */
async function follow(
  first: WebRequest,
  options: WebClientOptions,
  way: { answered: boolean },
): Promise<WebAnswer> {
  let request = first;
  for (let stops = 0; ; stops += 1) {
    const problem = findUrlProblem(request.url, options.rules);
    if (problem !== null) throw new CountersignError(problem.code, problem.message);
    const response = await fetch(request.url, {
      method: request.method,
      headers: request.headers,
      body: request.body,
      redirect: 'manual',
      dispatcher: options.agent,
      signal: request.signal,
    });
    way.answered = true;
    const location = response.headers.get('location');
    if (![301, 302, 303, 307, 308].includes(response.status) || location === null)
      return readAnswer(request, response, options.maxBytes);
    await response.body?.cancel();
    if (stops >= maxRedirects)
      throw new CountersignError(
        'tool_failed',
        `${first.url} redirects more than ${maxRedirects} times.`,
      );
    request = redirect(request, response.status, new URL(location, request.url).href);
  }
}

/** As in browsers, with harmless headers only for another origin. */
function redirect(request: WebRequest, status: number, url: string): WebRequest {
  const leaves = new URL(url).origin !== new URL(request.url).origin;
  if (leaves && request.changesSomething)
    throw new CountersignError(
      'tool_failed',
      `${request.url} redirects to ${url}, which isn't the address in the plan. Call that address instead.`,
    );
  const becomesGet =
    (status === 303 && request.method !== 'HEAD') ||
    ((status === 301 || status === 302) && request.method === 'POST');
  const isKept = (name: string) =>
    (!leaves || harmless.has(name)) && !(becomesGet && aboutBody.has(name));
  return {
    ...request,
    url,
    method: becomesGet ? 'GET' : request.method,
    body: becomesGet ? null : request.body,
    headers: Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => isKept(name.toLowerCase())),
    ),
  };
}

async function readAnswer(
  request: WebRequest,
  response: Response,
  maxBytes: number,
): Promise<WebAnswer> {
  const { bytes, isCut } = await readBody(response.body, response.ok ? maxBytes : longestReason);
  if (isCut && response.ok)
    throw new CountersignError(
      'tool_failed',
      `The answer of ${request.url} is larger than ${maxBytes} bytes (http.max_bytes).`,
    );
  const type = response.headers.get('content-type') ?? '';
  const text = decodeText(bytes, { declared: charsetOf(type) })?.text ?? null;
  if (!response.ok) {
    const reason = shorten(readPageText(text ?? '', type), 300);
    const name = response.statusText || STATUS_CODES[response.status] || '';
    const status = `${response.status} ${name}`.trim();
    // Pages often repeat their status.
    const repeats = reason.toLowerCase() === status.toLowerCase();
    const detail = reason === '' || repeats ? '' : `: ${reason}`;
    throw new CountersignError(
      'tool_failed',
      `${request.method} ${request.url} answered ${status}${detail}`,
      {
        details: { status: response.status },
        passesAfterMs: passesOfStatus(response.status, waitOf(response)),
      },
    );
  }
  return {
    url: request.url,
    status: response.status,
    headers: Object.fromEntries(
      shownHeaders.flatMap((name) => {
        const value = response.headers.get(name);
        return value === null ? [] : [[name, value]];
      }),
    ),
    text,
    json: /\bjson\b/i.test(type) && text !== null ? parseJson(text) : undefined,
  };
}

const waitOf = ({ headers }: Response): number | null =>
  readRetryAfter(headers.get('retry-after'), Date.parse(headers.get('date') ?? ''));

function parseJson(text: string): Json | undefined {
  try {
    return parseShallowJson(text);
  } catch {
    return undefined;
  }
}

function translate(
  error: unknown,
  request: WebRequest & { answered: boolean },
  signal: AbortSignal,
  timeoutMs: number,
): CountersignError {
  if (error instanceof CountersignError) return mayHaveActed(error, request);
  const inner = findRefusal(error);
  if (inner !== null)
    return request.answered ? mayHaveActed(inner, request) : withNothingDone(inner);
  const neverSent = !request.answered && wasNeverSent(error);
  const details = neverSent ? nothingDone : request.changesSomething ? outcomeUnknown : {};
  if (signal.aborted) {
    const aborted = toAbortError(request.signal.aborted ? request.signal : signal);
    const message =
      aborted.code === 'timed_out'
        ? `${request.url} did not answer within ${timeoutMs / 1000} s.`
        : aborted.message;
    const { passesAfterMs } = aborted;
    return new CountersignError(aborted.code, message, { details, cause: error, passesAfterMs });
  }
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return new CountersignError(
    'tool_failed',
    `${request.method} ${request.url} failed: ${errorMessage(reason)}`,
    { details, cause: error, passesAfterMs: passesOf(error) },
  );
}

/** Unless a 4xx. */
function mayHaveActed(
  error: CountersignError,
  request: WebRequest & { answered: boolean },
): CountersignError {
  const status = Number(error.details.status);
  const refused = status >= 400 && status < 500;
  if (!request.changesSomething || !request.answered || refused) return error;
  return new CountersignError(error.code, error.message, {
    details: { ...error.details, ...outcomeUnknown },
    cause: error,
    passesAfterMs: error.passesAfterMs,
  });
}

function withNothingDone(error: CountersignError): CountersignError {
  const { code, message, cause, passesAfterMs } = error;
  return new CountersignError(code, message, { details: nothingDone, cause, passesAfterMs });
}

const neverSent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

function wasNeverSent(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ('code' in cause && typeof cause.code === 'string' && neverSent.has(cause.code)) return true;
  return false;
}
