// One language model behind either of OpenAI's APIs: estimate, call with counted retries, read the reply, price it. A parameter
// that the server refuses is left out from then on.
// Throws CountersignError only: model_failed, timed_out or cancelled, each with a sentence for the person.
import { setTimeout as wait } from 'node:timers/promises';
import type OpenAI from 'openai';
import { APIError } from 'openai';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import type { ModelApi } from './access.ts';
import {
  askForPrice,
  computeBound,
  computeCost,
  type Effort,
  findModel,
  findPrice,
  type Price,
} from './catalogue.ts';
import type { ChatModel, ChatReply, ChatRequest, JsonBody, Refused, Wire } from './chat.ts';
import { chatCompletions } from './chat-completions.ts';
import { responses } from './responses.ts';
import { estimateTokens } from './tokens.ts';

/** Output tokens a reply may have unless the request says otherwise; also what the estimate assumes. */
const outputTokens = 4096;
const attemptsAtMost = 4;
const firstPause = 500;
/** Characters of a server's reason that are quoted. */
const reasonAtMost = 300;

export type ModelOptions = {
  client: OpenAI;
  api: ModelApi;
  name: string;
  effort?: Effort | undefined;
  prices?: Record<string, Price>;
};

export function createChatModel(options: ModelOptions): ChatModel {
  const { client, name, effort, api } = options;
  const wire = api === 'responses' ? responses : chatCompletions;
  const price = findPrice(name, options.prices);
  const refused = new Set<string>();
  let callsNatively = false;

  function knownPrice(): Price {
    if (price === null) throw new CountersignError('model_failed', askForPrice(name));
    return price;
  }

  async function countInput(request: ChatRequest): Promise<number> {
    const body = wire.write({ ...request, maxOutputTokens: 0 }, { model: name, effort, refused });
    return estimateTokens(JSON.stringify(body, shortenSealed));
  }

  async function send(request: ChatRequest, signal: AbortSignal): Promise<unknown> {
    const full = { ...request, maxOutputTokens: request.maxOutputTokens ?? outputTokens };
    for (;;) {
      // Calls run side by side: what one of them learns meanwhile is not what this one has sent.
      const known = new Set(refused);
      const body = wire.write(full, { model: name, effort, refused: known });
      try {
        return await client.post(wire.path, { body, signal });
      } catch (error) {
        const parameter = findRefused(error, wire, body, known);
        if (parameter === null || (knownPrice().output > 0 && isLastLimit(parameter, known)))
          throw error;
        refused.add(parameter);
      }
    }
  }

  async function readReply(
    raw: unknown,
    request: ChatRequest,
    attempts: number,
  ): Promise<ChatReply> {
    const read = wire.read(raw, request, !callsNatively);
    if (read === null) {
      throw new CountersignError(
        'model_failed',
        `What the model server sent for ${name} is no reply of ${wire.path}. Check OPENAI_BASE_URL and OPENAI_API.`,
        { details: { answered: true } },
      );
    }
    if ('failed' in read) {
      throw new CountersignError(
        'model_failed',
        `The model ${name} failed: ${quote(read.failed, client.apiKey)}`,
        { details: { answered: true } },
      );
    }
    const { callsNatively: native, ...reply } = read;
    callsNatively ||= native;
    const { content, toolCalls } = reply;
    const usage = read.usage ?? {
      input_tokens: await countInput(request),
      output_tokens: await estimateTokens(content + JSON.stringify(toolCalls)),
    };
    return { ...reply, usage, cost_usd: computeCost(knownPrice(), usage), attempts };
  }

  return {
    name,
    async estimateCost(request) {
      const { maxOutputTokens = outputTokens } = request;
      return computeBound(knownPrice(), await countInput(request), maxOutputTokens);
    },
    async complete(request, signal) {
      knownPrice();
      for (let attempt = 1; ; attempt += 1) {
        const left = request.deadline - Date.now();
        if (signal.aborted) throw describeCancelled(name);
        if (left <= 0) throw describeTimeout(name);
        const limit = AbortSignal.any([signal, AbortSignal.timeout(left)]);
        let raw: unknown;
        try {
          raw = await send(request, limit);
        } catch (error) {
          if (signal.aborted) throw describeCancelled(name, error);
          if (limit.aborted) throw describeTimeout(name, error);
          const pause = choosePause(error, attempt);
          if (pause === null || attempt >= attemptsAtMost) throw describeFailure(options, error);
          if (Date.now() + pause >= request.deadline) throw describeFailure(options, error);
          await wait(pause, undefined, { signal }).catch((cause) => {
            throw describeCancelled(name, cause);
          });
          continue;
        }
        return readReply(raw, request, attempt);
      }
    },
  };
}

/** The parameter of `body` that `error` refuses; null: it is about something else. */
function findRefused(error: unknown, wire: Wire, body: JsonBody, refused: Refused): string | null {
  if (!(error instanceof APIError) || (error.status !== 400 && error.status !== 422)) return null;
  const text = readReason(error);
  const sent = JSON.stringify(body);
  return (
    wire.optional.find(
      (name) =>
        !refused.has(name) &&
        sent.includes(`"${name}":`) &&
        namesParameter(text, error.param, name),
    ) ?? null
  );
}

/** A price is only held where a reply has a limit: the last name for it is never left out. */
function isLastLimit(parameter: string, refused: Refused): boolean {
  return (
    parameter === 'max_output_tokens' ||
    (parameter === 'max_tokens' && refused.has('max_completion_tokens'))
  );
}

/** Reasoning goes back sealed, in more letters than it has tokens. */
function shortenSealed(key: string, value: unknown): unknown {
  return key === 'encrypted_content' && typeof value === 'string'
    ? value.slice(0, Math.ceil(value.length / 5))
    : value;
}

/** What the server itself names is the parameter; else a name that is also a word must stand in quotes. */
function namesParameter(text: string, param: string | null | undefined, name: string): boolean {
  if (param) return param === name || param.startsWith(`${name}.`) || param.endsWith(`.${name}`);
  if (name === 'store') return false;
  const around = name.includes('_') ? ['(?<!\\w)', '(?!\\w)'] : ['[\'"`.]', '[\'"`.]'];
  return new RegExp(around.join(name)).test(text);
}

/** Milliseconds to wait before another attempt; null when another attempt cannot help. */
function choosePause(error: unknown, attempt: number): number | null {
  const backoff = firstPause * 2 ** (attempt - 1);
  if (!(error instanceof APIError)) return error instanceof SyntaxError ? backoff : null;
  const { status, code } = error;
  if (status === undefined) return backoff;
  if (code === 'insufficient_quota') return null;
  if (status !== 408 && status !== 409 && status !== 429 && status < 500) return null;
  return readRetryAfter(error.headers) ?? backoff;
}

/** When a later call may succeed: what passes is what was tried again. */
function choosePassing(cause: unknown): number | null {
  if (choosePause(cause, 1) === null) return null;
  return cause instanceof APIError ? (readRetryAfter(cause.headers) ?? 0) : 0;
}

/** `retry-after-ms`, or `retry-after` as seconds or as a date. */
function readRetryAfter(headers: Headers | undefined): number | null {
  const milliseconds = Number.parseFloat(headers?.get('retry-after-ms') ?? '');
  if (Number.isFinite(milliseconds) && milliseconds >= 0) return milliseconds;
  const text = headers?.get('retry-after');
  if (!text) return null;
  const seconds = Number(text);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const until = Date.parse(text);
  return Number.isNaN(until) ? null : Math.max(0, until - Date.now());
}

function describeCancelled(name: string, cause?: unknown): CountersignError {
  return new CountersignError('cancelled', `The call to the model ${name} was stopped.`, { cause });
}

function describeTimeout(name: string, cause?: unknown): CountersignError {
  return new CountersignError(
    'timed_out',
    `The model ${name} did not answer in time. Ask again, or raise WALL_TIME_SEC.`,
    { cause, passesAfterMs: 0 },
  );
}

function describeFailure(options: ModelOptions, cause: unknown): CountersignError {
  return new CountersignError('model_failed', explainFailure(options, cause), {
    cause,
    details: cause instanceof APIError ? { status: cause.status ?? null } : { answered: true },
    passesAfterMs: choosePassing(cause),
  });
}

function explainFailure({ name, api, client }: ModelOptions, cause: unknown): string {
  if (cause instanceof SyntaxError)
    return `What the model server sent for ${name} is no JSON. Check OPENAI_BASE_URL.`;
  if (!(cause instanceof APIError)) return `The model ${name} failed: ${errorMessage(cause)}`;
  const { status } = cause;
  const reason = quote(readReason(cause), client.apiKey);
  if (status === undefined) return `The model ${name} cannot be reached. Check OPENAI_BASE_URL.`;
  if (status === 404 || cause.code === 'model_not_found') return explainUnknown(name, api, reason);
  if (status === 401) return `The model server refused the key. Check OPENAI_API_KEY.`;
  if (status === 403) return `The model server refused access: ${reason} Check OPENAI_API_KEY.`;
  if (status === 429)
    return `The model ${name} is over its rate or quota (429): ${reason} Ask again later.`;
  if (status >= 500) return `The model server failed (${status}): ${reason} Ask again later.`;
  if (api === 'chat' && reason.includes('/v1/responses'))
    return `The model ${name} calls tools through the Responses API only. Set OPENAI_API=responses. The server says: ${reason}`;
  return `The model server refused the request (${status}): ${reason}`;
}

function explainUnknown(name: string, api: ModelApi, reason: string): string {
  const replacement = findModel(name)?.replacement;
  const advice =
    replacement === undefined
      ? 'Check PLANNER_MODEL and EXECUTOR_MODEL'
      : `OpenAI recommends ${replacement} in its place: set PLANNER_MODEL or EXECUTOR_MODEL`;
  const other = api === 'responses' ? ', or set OPENAI_API=chat for a server without it' : '';
  return `The model server knows no model ${name}${api === 'responses' ? ', or has no Responses API' : ''}: ${reason} ${advice}${other}.`;
}

/** The server's own words, without the number the package puts before them. */
function readReason(error: APIError): string {
  const body: unknown = error.error;
  const inner =
    typeof body === 'object' && body !== null && 'message' in body ? body.message : undefined;
  return typeof inner === 'string' ? inner : error.message;
}

/** On one line, shortened, without the key: it is shown where everybody reads it. */
function quote(reason: string, key: string | null): string {
  const line = [...(key ? [key] : []), /Bearer \S+/gi, /\bsk-[\w-]+/g]
    .reduce<string>((text, secret) => text.replaceAll(secret, '[secret]'), reason)
    .replace(/\s+/g, ' ')
    .trim();
  const shown =
    line.length > reasonAtMost ? `${line.slice(0, reasonAtMost).toWellFormed()}…` : line;
  return `“${shown}”`;
}
