// OpenAI's Responses API, without server-side storage.
import { z } from 'zod';
import { JsonObject } from '#domain/text.ts';
import { TokenCount } from './catalogue.ts';
import type { ChatMessage, FinishReason, ToolCall, Wire, WireFailure, WireReply } from './chat.ts';
import { isPassing, readFailure } from './client.ts';
import { type RawCall, readCalls } from './read-calls.ts';
import { assembleEvents } from './response-events.ts';

const Part = z.object({
  type: z.string(),
  text: z.string().optional(),
  refusal: z.string().optional(),
});
const Call = z.object({
  type: z.literal('function_call'),
  call_id: z.unknown().optional(),
  name: z.unknown().optional(),
  arguments: z.unknown().optional(),
});
const Message = z.object({ type: z.literal('message'), content: z.array(Part) });
const Reasoning = z.object({
  type: z.literal('reasoning'),
  encrypted_content: z.string().min(1),
});

const Reply = z.object({
  object: z.literal('response'),
  status: z.string(),
  error: z.looseObject({ message: z.string() }).nullish(),
  incomplete_details: z.object({ reason: z.string().nullish() }).nullish(),
  output: z.array(JsonObject),
  usage: z
    .object({
      input_tokens: TokenCount,
      output_tokens: TokenCount,
      input_tokens_details: z
        .object({ cached_tokens: TokenCount.nullish(), cache_write_tokens: TokenCount.nullish() })
        .nullish()
        .catch(null),
    })
    .nullish()
    .catch(null),
});

export const responses: Wire = {
  path: '/responses',
  optional: [
    'stream',
    'max_output_tokens',
    'reasoning',
    'tool_choice',
    'strict',
    'store',
    'include',
    'prompt_cache_key',
  ],
  returned: [],
  assemble: assembleEvents,

  write({ messages, tools = [], mustCall, maxOutputTokens, cacheKey }, { model, effort, refused }) {
    const takes = (name: string) => !refused.has(name);
    return {
      model,
      ...(tools.length === 0
        ? {}
        : {
            // The default, true, makes every property required.
            tools: tools.map(({ name, description, parameters }) => ({
              type: 'function',
              name,
              description,
              parameters,
              ...(takes('strict') ? { strict: false } : {}),
            })),
          }),
      input: messages.flatMap(writeMessage),
      ...(cacheKey !== undefined && takes('prompt_cache_key')
        ? { prompt_cache_key: cacheKey }
        : {}),
      ...(takes('stream') ? { stream: true } : {}),
      ...(takes('store') ? { store: false } : {}),
      ...(takes('include') ? { include: ['reasoning.encrypted_content'] } : {}),
      ...(takes('max_output_tokens') ? { max_output_tokens: maxOutputTokens } : {}),
      ...(effort !== undefined && takes('reasoning') ? { reasoning: { effort } } : {}),
      ...(mustCall !== undefined && takes('tool_choice')
        ? { tool_choice: mustCall === true ? 'required' : { type: 'function', name: mustCall } }
        : {}),
    };
  },

  read(raw, { tools = [], messages }): WireReply | WireFailure | null {
    const parsed = Reply.safeParse(raw);
    if (!parsed.success) return readFailure(raw);
    const { status, error, incomplete_details, output, usage } = parsed.data;
    if (status === 'failed' || status === 'cancelled')
      return {
        failed: error?.message ?? 'The response was not finished.',
        passes: isPassing(error ?? {}),
      };
    const parts = output.flatMap((item) => Message.safeParse(item).data?.content ?? []);
    const calls = readCalls(
      output.flatMap((item): RawCall[] => {
        const call = Call.safeParse(item).data;
        return call === undefined ? [] : [{ ...call, id: call.call_id }];
      }),
      tools,
      messages.length,
    );
    return {
      content: parts.map(({ text = '' }) => text).join(''),
      refusal: parts.map(({ refusal = '' }) => refusal).join('') || null,
      toolCalls: calls,
      finishReason: readFinish(incomplete_details?.reason, calls),
      items: output,
      callsNatively: true,
      written: output.map((item) => JSON.stringify({ ...item, encrypted_content: '' })).join('\n'),
      usage: usage
        ? {
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            cached_tokens: usage.input_tokens_details?.cached_tokens ?? 0,
            cache_write_tokens: usage.input_tokens_details?.cache_write_tokens ?? 0,
          }
        : null,
    };
  },
};

function writeMessage(message: ChatMessage): object[] {
  switch (message.role) {
    case 'system':
    case 'user':
      return [message];
    case 'tool':
      return [{ type: 'function_call_output', call_id: message.callId, output: message.content }];
    case 'assistant': {
      const { content, toolCalls = [], items } = message;
      if (items !== undefined) return writeItems(items, toolCalls);
      return [
        ...(content === '' ? [] : [{ role: 'assistant', content }]),
        ...toolCalls.map(writeCall),
      ];
    }
    default:
      return message satisfies never;
  }
}

/** Reasoning precedes its results; unanswered calls go. */
function writeItems(items: JsonObject[], answered: ToolCall[]): object[] {
  const calls = new Map(answered.map((call) => [call.id, call]));
  const kept = items.flatMap((item): object[] => {
    const id = Call.safeParse(item).data?.call_id;
    const call = typeof id === 'string' ? calls.get(id) : undefined;
    if (typeof id === 'string') calls.delete(id);
    if (call !== undefined) return [{ ...item, name: call.name, arguments: call.arguments }];
    if (item.type === 'reasoning') return Reasoning.safeParse(item).success ? [item] : [];
    return Message.safeParse(item).success ? [item] : [];
  });
  // Calls with generated IDs have no item.
  return [...kept, ...[...calls.values()].map(writeCall)];
}

function writeCall({ id, name, arguments: args }: ToolCall): object {
  return { type: 'function_call', call_id: id, name, arguments: args };
}

function readFinish(incomplete: string | null | undefined, calls: ToolCall[]): FinishReason {
  if (incomplete === 'max_output_tokens') return 'length';
  if (incomplete === 'content_filter') return 'content_filter';
  return calls.length > 0 ? 'tool_calls' : 'stop';
}
