// Chat completions, as OpenAI has them and as other servers understand them: what they leave out, write otherwise or attach is
// taken as it comes.
import { z } from 'zod';
import { JsonObject } from '#domain/text.ts';
import type { ChatMessage, FinishReason, ToolCall, Wire, WireFailure, WireReply } from './chat.ts';
import { assembleChunks } from './chunks.ts';
import { isPassing } from './openai.ts';
import { findWrittenCalls } from './written-calls.ts';

const ReplyCall = z
  .object({
    id: z.string().nullish(),
    function: z.object({
      name: z.string(),
      arguments: z.union([z.string(), z.record(z.string(), z.json())]).nullish(),
    }),
  })
  .catchall(z.unknown());

/** Mistral's reasoning models answer in parts, of which only `text` is the answer. */
const ContentPart = z.object({ type: z.string(), text: z.string().optional() });
const Failure = z.object({ error: z.looseObject({ message: z.string() }) });

const Reply = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({
          content: z.union([z.string(), z.array(ContentPart)]).nullish(),
          refusal: z.string().nullish(),
          reasoning_content: z.string().nullish(),
          reasoning: z.unknown().optional(),
          tool_calls: z.array(ReplyCall).nullish(),
        }),
      }),
    )
    .min(1),
  usage: z
    .object({
      prompt_tokens: z.number().nonnegative(),
      completion_tokens: z.number().nonnegative(),
      prompt_tokens_details: z
        .object({ cached_tokens: z.number().nullish(), cache_write_tokens: z.number().nullish() })
        .nullish(),
    })
    .nullish(),
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
  ],
  assemble: assembleChunks,

  write({ messages, tools = [], mustCall, maxOutputTokens }, { model, effort, refused }) {
    const takes = (name: string) => !refused.has(name);
    const limit = ['max_completion_tokens', 'max_tokens'].find(takes);
    return {
      model,
      messages: messages.map(writeMessage),
      ...(takes('stream') ? { stream: true } : {}),
      ...(takes('stream') && takes('stream_options')
        ? { stream_options: { include_usage: true } }
        : {}),
      ...(limit === undefined ? {} : { [limit]: maxOutputTokens }),
      ...(effort !== undefined && takes('reasoning_effort') ? { reasoning_effort: effort } : {}),
      ...(tools.length === 0
        ? {}
        : {
            tools: tools.map(({ name, description, parameters }) => ({
              type: 'function',
              function: { name, description, parameters },
            })),
          }),
      ...(mustCall !== undefined && takes('tool_choice')
        ? {
            tool_choice:
              mustCall === true ? 'required' : { type: 'function', function: { name: mustCall } },
          }
        : {}),
    };
  },

  read(raw, { tools = [], messages }, takesWritten): WireReply | WireFailure | null {
    const failure = Failure.safeParse(raw).data;
    if (failure !== undefined)
      return { failed: failure.error.message, passes: isPassing(failure.error) };
    const parsed = Reply.safeParse(raw);
    const choice = parsed.data?.choices[0];
    if (!parsed.success || choice === undefined) return null;
    const { usage } = parsed.data;
    const { message, finish_reason } = choice;
    const text = readContent(message.content);
    // Ids that the server lacks are made up; each is one of its own in the whole conversation.
    const turn = messages.length;
    const called = (message.tool_calls ?? []).map((call, index) => readCall(call, turn, index));
    const names = new Set(tools.map(({ name }) => name));
    const written =
      called.length === 0 && takesWritten ? findWrittenCalls(text, names, turn) : null;
    const toolCalls = written?.calls ?? called;
    return {
      content: written?.rest ?? text,
      refusal: message.refusal || null,
      callsNatively: called.length > 0,
      toolCalls,
      finishReason: readFinish(finish_reason, toolCalls),
      written: [
        message.reasoning_content ??
          (typeof message.reasoning === 'string' ? message.reasoning : ''),
        typeof message.content === 'string' ? message.content : text,
        ...called.map(({ name, arguments: args }) => `${name} ${args}`),
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

function writeMessage(message: ChatMessage): object {
  switch (message.role) {
    case 'system':
    case 'user':
      return message;
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: message.content };
    case 'assistant': {
      const { content, toolCalls = [] } = message;
      if (toolCalls.length === 0) return { role: 'assistant', content };
      return {
        role: 'assistant',
        content: content || null,
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

/** Without the thoughts that some models put before their answer; their opening mark may be the server's. */
function readContent(content: string | z.infer<typeof ContentPart>[] | null | undefined): string {
  if (typeof content === 'string') return content.replace(/^[\s\S]*?<\/think>\s*/, '');
  return (content ?? []).map((part) => (part.type === 'text' ? (part.text ?? '') : '')).join('');
}

/** Some servers give no id, and some give the arguments as an object. */
function readCall(call: z.infer<typeof ReplyCall>, turn: number, index: number): ToolCall {
  const { id, function: called, type: _type, index: _index, ...rest } = call;
  const given = called.arguments ?? '';
  const extra = JsonObject.safeParse(rest);
  return {
    id: id || `call_${turn}_${index}`,
    name: called.name,
    arguments: typeof given === 'string' ? given : JSON.stringify(given),
    ...(extra.success && Object.keys(extra.data).length > 0 ? { extra: extra.data } : {}),
  };
}

function readFinish(reason: string | null | undefined, calls: ToolCall[]): FinishReason {
  if (reason === 'length' || reason === 'content_filter') return reason;
  return calls.length > 0 ? 'tool_calls' : 'stop';
}
