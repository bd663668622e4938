// OpenAI-compatible chat completions, tolerant of servers' differences.
import { z } from 'zod';
import { JsonObject } from '#domain/text.ts';
import { TokenCount } from './catalogue.ts';
import type {
  ChatMessage,
  FinishReason,
  Refused,
  ToolCall,
  Wire,
  WireFailure,
  WireReply,
} from './chat.ts';
import { assembleChunks, writeOut } from './chunks.ts';
import { readFailure } from './client.ts';
import { type RawCall, readCalls } from './read-calls.ts';
import { readThoughts, thoughtFields, writeThoughts } from './thoughts.ts';
import { findWrittenCalls } from './written-calls.ts';

const Called = z.object({ name: z.unknown().optional(), arguments: z.unknown().optional() });
const ReplyCall = z
  .object({ id: z.unknown().optional(), function: Called.nullish().catch(null) })
  .catchall(z.unknown());

/** Mistral answers in parts; only `text` is the answer. */
const ContentPart = z
  .looseObject({ type: z.string(), text: z.string().optional() })
  .catch({ type: '' });

const Usage = z.object({
  prompt_tokens: TokenCount,
  completion_tokens: TokenCount,
  prompt_tokens_details: z
    .object({ cached_tokens: TokenCount.nullish(), cache_write_tokens: TokenCount.nullish() })
    .nullish()
    .catch(null),
});
const Message = z.looseObject({
  content: z.union([z.string(), z.array(ContentPart)]).nullish(),
  refusal: z.string().nullish().catch(null),
  tool_calls: z.array(ReplyCall).nullish().catch(null),
  /** Deprecated, for a single call. */
  function_call: Called.nullish().catch(null),
});
const Reply = z.object({
  choices: z
    .array(z.object({ finish_reason: z.string().nullish().catch(null), message: Message }))
    .min(1),
  usage: Usage.nullish().catch(null),
});

export const chatCompletions: Wire = {
  path: '/chat/completions',
  optional: [
    'stream_options',
    'stream',
    'max_completion_tokens',
    'max_tokens',
    'reasoning_effort',
    'tool_choice',
    'prompt_cache_key',
  ],
  returned: thoughtFields,
  assemble: assembleChunks,

  write({ messages, tools = [], mustCall, maxOutputTokens, cacheKey }, { model, effort, refused }) {
    const takes = (name: string) => !refused.has(name);
    const limit = ['max_completion_tokens', 'max_tokens'].find(takes);
    return {
      model,
      ...(tools.length === 0
        ? {}
        : {
            tools: tools.map(({ name, description, parameters }) => ({
              type: 'function',
              function: { name, description, parameters },
            })),
          }),
      messages: messages.map((message) => writeMessage(message, refused)),
      ...(cacheKey !== undefined && takes('prompt_cache_key')
        ? { prompt_cache_key: cacheKey }
        : {}),
      ...(takes('stream') ? { stream: true } : {}),
      ...(takes('stream') && takes('stream_options')
        ? { stream_options: { include_usage: true } }
        : {}),
      ...(limit === undefined ? {} : { [limit]: maxOutputTokens }),
      ...(effort !== undefined && takes('reasoning_effort') ? { reasoning_effort: effort } : {}),
      ...(mustCall !== undefined && takes('tool_choice')
        ? {
            tool_choice:
              mustCall === true ? 'required' : { type: 'function', function: { name: mustCall } },
          }
        : {}),
    };
  },

  read(raw, { tools = [], messages }, takesWritten): WireReply | WireFailure | null {
    const failure = readFailure(raw);
    if (failure !== null) return failure;
    const parsed = Reply.safeParse(raw);
    const choice = parsed.data?.choices[0];
    if (!parsed.success || choice === undefined) return null;
    const { usage } = parsed.data;
    const { message, finish_reason } = choice;
    const text = readContent(message.content);
    const thoughts = readThoughts(message);
    // Unique within the conversation.
    const turn = messages.length;
    const calls = readCalls(listCalls(message), tools, turn);
    const names = new Set(tools.map(({ name }) => name));
    const written = calls.length === 0 && takesWritten ? findWrittenCalls(text, names, turn) : null;
    const toolCalls = written?.calls ?? calls;
    return {
      content: written?.rest ?? text,
      refusal: message.refusal || null,
      callsNatively: calls.length > 0,
      toolCalls,
      finishReason: readFinish(finish_reason, toolCalls),
      ...(thoughts === undefined ? {} : { thoughts }),
      written: [
        // Some servers send reasoning twice; count it once.
        writeOut(message.reasoning_content ?? message.reasoning ?? thoughts),
        typeof message.content === 'string' ? message.content : text,
        ...calls.map(({ name, arguments: args }) => `${name} ${args}`),
      ].join('\n'),
      usage: usage
        ? {
            input_tokens: usage.prompt_tokens,
            output_tokens: usage.completion_tokens,
            cached_tokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
            cache_write_tokens: usage.prompt_tokens_details?.cache_write_tokens ?? 0,
          }
        : null,
    };
  },
};

function writeMessage(message: ChatMessage, refused: Refused): object {
  switch (message.role) {
    case 'system':
    case 'user':
      return message;
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: message.content };
    case 'assistant': {
      const { content, toolCalls = [] } = message;
      const thoughts = writeThoughts(message.thoughts, refused);
      if (toolCalls.length === 0) return { role: 'assistant', content, ...thoughts };
      return {
        role: 'assistant',
        content: content || null,
        ...thoughts,
        tool_calls: toolCalls.map((call) => ({
          ...call.extra,
          id: call.id,
          type: 'function',
          function: { name: call.name, arguments: call.arguments },
        })),
      };
    }
    default:
      return message satisfies never;
  }
}

/** Strips leading reasoning; its opening tag may be missing. */
function readContent(content: z.infer<typeof Message>['content']): string {
  if (typeof content === 'string') {
    const end = content.indexOf('</think>');
    return end < 0 ? content : content.slice(end + '</think>'.length).trimStart();
  }
  const isText = (type: string) => type === 'text' || type === 'output_text';
  return (content ?? []).map(({ type, text = '' }) => (isText(type) ? text : '')).join('');
}

function listCalls({ tool_calls, function_call }: z.infer<typeof Message>): RawCall[] {
  const calls = (tool_calls ?? []).map((call): RawCall => {
    const { id, function: fn, type: _type, index: _index, ...rest } = call;
    const extra = JsonObject.safeParse(rest).data ?? {};
    return { id, ...fn, ...(Object.keys(extra).length > 0 ? { extra } : {}) };
  });
  return calls.length === 0 && function_call ? [function_call] : calls;
}

function readFinish(reason: string | null | undefined, calls: ToolCall[]): FinishReason {
  if (reason === 'length' || reason === 'content_filter') return reason;
  return calls.length > 0 ? 'tool_calls' : 'stop';
}
