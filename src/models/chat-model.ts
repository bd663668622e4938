// One model behind chat completions: estimate, call with counted retries, parse, price.
// Throws CountersignError only: model_failed, timed_out or cancelled, each with a sentence for the person.
import { setTimeout as wait } from 'node:timers/promises';
import type OpenAI from 'openai';
import { APIError } from 'openai';
import { z } from 'zod';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import { computeCost, findPrice, type Price, type Usage, unknownPrice } from './prices.ts';
import { estimateTokens } from './tokens.ts';

export type ChatMessage = OpenAI.ChatCompletionMessageParam;
export type ChatTool = OpenAI.ChatCompletionFunctionTool;

export type ChatRequest = {
  messages: ChatMessage[];
  tools?: ChatTool[];
  /** The one tool the model must call; otherwise it chooses. */
  mustCall?: string;
  maxOutputTokens?: number;
  /** Milliseconds since the epoch after which no attempt starts and the running one ends. */
  deadline: number;
};

export type ToolCall = { id: string; name: string; arguments: string };

export type ChatReply = {
  content: string;
  refusal: string | null;
  toolCalls: ToolCall[];
  finishReason: string;
  usage: Usage;
  cost_usd: number;
  /** Requests sent, retries included. */
  attempts: number;
};

export type ChatModel = {
  name: string;
  /** Upper bound in US dollars of what `request` will cost. */
  estimateCost(request: ChatRequest): Promise<number>;
  complete(request: ChatRequest, signal: AbortSignal): Promise<ChatReply>;
};

/** Output tokens a reply may have unless the request says otherwise; also what the estimate assumes. */
const outputTokens = 4096;
const attemptsAtMost = 4;
const firstPause = 500;

const Reply = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({
          content: z.string().nullish(),
          refusal: z.string().nullish(),
          tool_calls: z
            .array(
              z.object({
                id: z.string(),
                function: z.object({ name: z.string(), arguments: z.string().nullish() }),
              }),
            )
            .nullish(),
        }),
      }),
    )
    .min(1),
  usage: z
    .object({
      prompt_tokens: z.number().nonnegative(),
      completion_tokens: z.number().nonnegative(),
    })
    .nullish(),
});

export function createChatModel(options: {
  client: OpenAI;
  name: string;
  prices?: Record<string, Price>;
}): ChatModel {
  const { client, name } = options;
  const price = findPrice(name, options.prices) ?? unknownPrice;

  async function countInput(request: ChatRequest): Promise<number> {
    return estimateTokens(JSON.stringify([request.messages, request.tools ?? []]));
  }

  async function sendOnce(request: ChatRequest, signal: AbortSignal): Promise<unknown> {
    const { mustCall } = request;
    return client.chat.completions.create(
      {
        model: name,
        messages: request.messages,
        max_completion_tokens: request.maxOutputTokens ?? outputTokens,
        ...(request.tools && request.tools.length > 0 ? { tools: request.tools } : {}),
        ...(mustCall ? { tool_choice: { type: 'function', function: { name: mustCall } } } : {}),
      },
      { signal },
    );
  }

  async function readReply(raw: unknown, request: ChatRequest, attempts: number) {
    const parsed = Reply.safeParse(raw);
    const choice = parsed.data?.choices[0];
    if (!parsed.success || !choice) {
      throw new CountersignError(
        'model_failed',
        `The model ${name} sent an answer that is not a chat completion. Check OPENAI_BASE_URL.`,
        { cause: parsed.error },
      );
    }
    const { message } = choice;
    const toolCalls = (message.tool_calls ?? []).map((call) => ({
      id: call.id,
      name: call.function.name,
      arguments: call.function.arguments ?? '',
    }));
    const content = message.content ?? '';
    const usage: Usage = parsed.data.usage
      ? {
          input_tokens: parsed.data.usage.prompt_tokens,
          output_tokens: parsed.data.usage.completion_tokens,
        }
      : {
          input_tokens: await countInput(request),
          output_tokens: await estimateTokens(content + JSON.stringify(toolCalls)),
        };
    return {
      content,
      refusal: message.refusal || null,
      toolCalls,
      finishReason: choice.finish_reason ?? 'stop',
      usage,
      cost_usd: computeCost(price, usage),
      attempts,
    };
  }

  return {
    name,
    async estimateCost(request) {
      return computeCost(price, {
        input_tokens: await countInput(request),
        output_tokens: request.maxOutputTokens ?? outputTokens,
      });
    },
    async complete(request, signal) {
      for (let attempt = 1; ; attempt += 1) {
        const left = request.deadline - Date.now();
        if (signal.aborted) throw describeCancelled(name);
        if (left <= 0) throw describeTimeout(name);
        const limit = AbortSignal.any([signal, AbortSignal.timeout(left)]);
        let raw: unknown;
        try {
          raw = await sendOnce(request, limit);
        } catch (error) {
          if (signal.aborted) throw describeCancelled(name, error);
          if (limit.aborted) throw describeTimeout(name, error);
          const pause = choosePause(error, attempt);
          if (pause === null || attempt >= attemptsAtMost) throw describeFailure(name, error);
          if (Date.now() + pause >= request.deadline) throw describeFailure(name, error);
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

function describeFailure(name: string, cause: unknown): CountersignError {
  return new CountersignError('model_failed', explainFailure(name, cause), {
    cause,
    details: cause instanceof APIError ? { status: cause.status ?? null } : {},
    passesAfterMs: choosePassing(cause),
  });
}

function explainFailure(name: string, cause: unknown): string {
  if (!(cause instanceof APIError)) return `The model ${name} failed: ${errorMessage(cause)}`;
  const { status } = cause;
  if (status === undefined) return `The model ${name} cannot be reached. Check OPENAI_BASE_URL.`;
  if (status === 401 || status === 403)
    return `The model server refused the key. Check OPENAI_API_KEY.`;
  if (status === 404)
    return `The model server knows no model ${name}. Check PLANNER_MODEL and EXECUTOR_MODEL.`;
  if (status === 429) return `The model ${name} is over its rate or quota (429). Ask again later.`;
  if (status >= 500) return `The model server failed (${status}). Ask again later.`;
  return `The model server refused the request (${status}).`;
}
