// A language model: estimates, retries and prices calls.
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { CountersignError } from '#domain/errors.ts';
import type { ModelApi } from '#domain/model-apis.ts';
import { type Span, span, takesContents } from '#domain/telemetry.ts';
import { type Json, makeStorable } from '#domain/text.ts';
import {
  askForPrice,
  computeBound,
  computeCost,
  type Effort,
  findPrice,
  type Price,
  type Usage,
} from './catalogue.ts';
import type { ChatModel, ChatReply, ChatRequest, JsonBody, Refused, Wire } from './chat.ts';
import { chatCompletions } from './chat-completions.ts';
import { isApiFailure, type ModelClient } from './client.ts';
import { exchange, FailedReply, LostReply } from './exchange.ts';
import {
  type Called,
  checkOf,
  choosePause,
  describeCancelled,
  describeFailure,
  describeSilence,
  describeTimeout,
  quote,
  readReason,
} from './failures.ts';
import { messages } from './messages.ts';
import { responses } from './responses.ts';
import { without } from './thoughts.ts';
import { estimateTokens } from './tokens.ts';

const outputTokens = 4096;
const maxAttempts = 4;

const wires: Record<ModelApi, Wire> = { chat: chatCompletions, responses, messages };

export type ModelOptions = {
  client: ModelClient;
  api: ModelApi;
  name: string;
  effort?: Effort | undefined;
  prices?: Record<string, Price>;
};

type Sent = { raw: unknown; wire: Wire };

export function createChatModel(options: ModelOptions): ChatModel {
  const { client, name, effort } = options;
  /** Some servers ask for the Responses API. */
  let wire = wires[options.api];
  const price = findPrice(name, options.prices);
  const refused = new Set<string>();
  const called = (): Called => ({
    name,
    api: wire === responses ? 'responses' : options.api,
    apiKey: client.apiKey,
  });
  let callsNatively = false;

  function knownPrice(): Price {
    if (price === null) throw new CountersignError('model_failed', askForPrice(name));
    return price;
  }

  async function countInput(request: ChatRequest): Promise<number> {
    const body = wire.write({ ...request, maxOutputTokens: 0 }, { model: name, effort, refused });
    return estimateTokens(JSON.stringify(body, shortenSealed));
  }

  async function send(
    request: ChatRequest,
    signal: AbortSignal,
    onActivity: () => void,
  ): Promise<Sent> {
    const full = { ...request, maxOutputTokens: request.maxOutputTokens ?? outputTokens };
    for (;;) {
      // Concurrent calls may learn of more refusals meanwhile.
      const known = new Set(refused);
      const used = wire;
      const body = used.write(full, { model: name, effort, refused: known });
      try {
        // The package's timeout looks like a lost connection, so ours comes first.
        const timeout = request.deadline - Date.now() + 5000;
        const { onProgress } = request;
        const raw = await exchange(client, {
          wire: used,
          body,
          signal,
          timeout,
          onActivity,
          onProgress,
        });
        return { raw, wire: used };
      } catch (error) {
        if (used === chatCompletions && asksForResponses(error)) {
          wire = responses;
          continue;
        }
        const parameter = findRefused(error, used, body, known);
        if (parameter === null || (knownPrice().output > 0 && isLastLimit(parameter, known)))
          throw error;
        refused.add(parameter);
      }
    }
  }

  async function readReply(
    { raw, wire }: Sent,
    request: ChatRequest,
    attempts: number,
    lost: Usage,
  ): Promise<ChatReply> {
    // Replies are stored, and chunks may split a character.
    const read = wire.read(makeStorable((raw ?? null) as Json), request, !callsNatively);
    if (read === null) {
      throw new CountersignError(
        'model_failed',
        `What the model server sent for ${name} is no reply of ${wire.path}. ${checkOf(called()).address}`,
        { details: { answered: true } },
      );
    }
    if ('failed' in read) {
      if (read.passes) throw new FailedReply(read.failed);
      throw new CountersignError(
        'model_failed',
        `The model ${name} failed: ${quote(read.failed, client.apiKey)}`,
        { details: { answered: true } },
      );
    }
    const { callsNatively: native, written, ...reply } = read;
    callsNatively ||= native;
    const usage = addUsage(lost, read.usage ?? (await estimateUsage(request, written)));
    return { ...reply, usage, cost_usd: computeCost(knownPrice(), usage), attempts };
  }

  /** For servers that report no usage. */
  async function estimateUsage(request: ChatRequest, written: string): Promise<Usage> {
    return {
      input_tokens: await countInput(request),
      output_tokens: await estimateTokens(written),
    };
  }

  return {
    name,
    async estimateCost(request, usual) {
      const written = Math.min(usual, request.maxOutputTokens ?? outputTokens);
      return computeBound(knownPrice(), await countInput(request), written);
    },
    complete: (request, signal) =>
      span('model_call', `chat ${name}`, describeCall(called(), client, request), (call) =>
        complete(request, signal, call),
      ),
  };

  async function complete(
    request: ChatRequest,
    signal: AbortSignal,
    call: Span,
  ): Promise<ChatReply> {
    knownPrice();
    let lost: Usage = { input_tokens: 0, output_tokens: 0 };
    const isLost = () => lost.input_tokens > 0;
    for (let attempt = 1; ; attempt += 1) {
      const left = request.deadline - Date.now();
      if (signal.aborted) throw describeCancelled(name);
      if (left <= 0) throw describeTimeout(name);
      const silence = watchIdle(request.idleTimeoutMs);
      const limit = AbortSignal.any([signal, AbortSignal.timeout(left), silence.signal]);
      try {
        const sent = await send(request, limit, silence.onActivity);
        const reply = await readReply(sent, request, attempt, lost);
        call.set(describeReply(sent.raw, reply));
        return reply;
      } catch (error) {
        if (error instanceof CountersignError) throw isLost() ? markPaid(error) : error;
        if (signal.aborted) throw describeCancelled(name, error);
        if (silence.signal.aborted) throw describeSilence(name, request.idleTimeoutMs ?? 0, error);
        if (limit.aborted) throw describeTimeout(name, error);
        const pause = choosePause(error, attempt);
        // Each lost reply costs; only one was reserved.
        const isOver = attempt >= maxAttempts || (error instanceof LostReply && isLost());
        if (pause === null || isOver || Date.now() + pause >= request.deadline) {
          const failure = describeFailure(called(), error);
          throw isLost() ? markPaid(failure) : failure;
        }
        if (error instanceof LostReply)
          lost = addUsage(lost, await estimateUsage(request, error.written));
        await wait(pause, undefined, { signal }).catch((cause) => {
          throw describeCancelled(name, cause);
        });
      } finally {
        silence.end();
      }
    }
  }
}

// OpenTelemetry's conventions for generative AI.

const jsonOf = (value: unknown) => JSON.stringify(value);

function describeCall(
  { name: model, api }: Called,
  { baseURL }: ModelClient,
  request: ChatRequest,
) {
  const { hostname, port, protocol } = new URL(baseURL);
  return {
    kind: 'client' as const,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': api === 'messages' ? 'anthropic' : 'openai',
      'gen_ai.request.model': model,
      'gen_ai.request.max_tokens': request.maxOutputTokens ?? outputTokens,
      'server.address': hostname,
      'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
      ...(takesContents()
        ? {
            'gen_ai.input.messages': jsonOf(request.messages),
            'gen_ai.tool.definitions': jsonOf(request.tools ?? []),
          }
        : {}),
    },
  };
}

const Named = z.object({ id: z.string(), model: z.string() }).partial();

function describeReply(raw: unknown, reply: ChatReply) {
  const { usage, cost_usd, attempts, finishReason, content, toolCalls } = reply;
  const { id, model } = Named.safeParse(raw).data ?? {};
  return {
    'gen_ai.response.id': id,
    'gen_ai.response.model': model,
    'gen_ai.response.finish_reasons': [finishReason],
    'gen_ai.usage.input_tokens': usage.input_tokens,
    'gen_ai.usage.output_tokens': usage.output_tokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cached_tokens,
    'countersign.cost_usd': cost_usd,
    'countersign.attempts': attempts,
    ...(takesContents() ? { 'gen_ai.output.messages': jsonOf([{ content, toolCalls }]) } : {}),
  };
}

/** An earlier attempt cost money. */
function markPaid(error: CountersignError): CountersignError {
  const { code, message, details, cause, passesAfterMs } = error;
  const paid = { ...details, answered: true };
  return new CountersignError(code, message, { details: paid, cause, passesAfterMs });
}

function watchIdle(ms: number | undefined) {
  const over = new AbortController();
  const timer = ms === undefined ? undefined : setTimeout(() => over.abort(), ms);
  return {
    signal: over.signal,
    onActivity: () => void timer?.refresh(),
    end: () => clearTimeout(timer),
  };
}

function addUsage(lost: Usage, usage: Usage): Usage {
  return {
    ...usage,
    input_tokens: lost.input_tokens + usage.input_tokens,
    output_tokens: lost.output_tokens + usage.output_tokens,
  };
}

/** For a model, or tools with it. */
function asksForResponses(error: unknown): boolean {
  if (!isApiFailure(error) || error.status === undefined) return false;
  return (
    [400, 404, 405, 422].includes(error.status) &&
    /\bv1\/responses\b|\bresponses (?:api|endpoint)\b/i.test(readReason(error))
  );
}

/** Or its `without` form. */
function findRefused(error: unknown, wire: Wire, body: JsonBody, refused: Refused): string | null {
  if (!isApiFailure(error) || (error.status !== 400 && error.status !== 422)) return null;
  const text = readReason(error);
  const sent = JSON.stringify(body);
  const isNamed = (name: string) => namesParameter(text, error.param, name);
  const demanded = isDemand.test(text) ? wire.returned.find(isNamed) : undefined;
  if (demanded !== undefined && !refused.has(without(demanded))) return without(demanded);
  return (
    [...wire.optional, ...wire.returned].find(
      (name) => !refused.has(name) && sent.includes(`"${name}":`) && isNamed(name),
    ) ?? null
  );
}

/** Demand a field back. */
const isDemand =
  /\b(?:missing|lacks?|required|must be (?:passed|sent|provided|included|present))\b/i;

/** Prices need a bound: the last name stays. */
function isLastLimit(parameter: string, refused: Refused): boolean {
  return (
    parameter === 'max_output_tokens' ||
    (parameter === 'max_tokens' && refused.has('max_completion_tokens'))
  );
}

/** Sealed reasoning has more letters than tokens. */
function shortenSealed(key: string, value: unknown): unknown {
  return (key === 'encrypted_content' || key === 'signature') && typeof value === 'string'
    ? value.slice(0, Math.ceil(value.length / 5))
    : value;
}

/** Names that are words need quotes. */
function namesParameter(text: string, param: string | null | undefined, name: string): boolean {
  const isMessage = param?.startsWith('messages') === true;
  if (param && !isMessage)
    return param === name || param.startsWith(`${name}.`) || param.endsWith(`.${name}`);
  if (name === 'store') return false;
  // Anthropic refuses all strict schemas if too many.
  if (name === 'strict' && /compiled grammar/i.test(text)) return true;
  if (name === 'stream') return /\bstream(?:ing|ed)?\b/i.test(text);
  const message = `${param ?? ''} ${text}`.replaceAll(/tool choice/gi, 'tool_choice');
  const words = name.includes('_')
    ? new RegExp(`(?<!\\w)${RegExp.escape(name)}(?!\\w)`, 'i')
    : new RegExp(`['"\`.]${RegExp.escape(name)}['"\`.]`, 'i');
  return words.test(message);
}
