// Anthropic's Messages API, with cache points.
import { z } from 'zod';
import { parseShallowJson } from '#domain/json.ts';
import { isObject, type JsonObject, JsonObject as JsonObjectSchema } from '#domain/text.ts';
import type { JsonSchema } from '#domain/tool.ts';
import { TokenCount } from './catalogue.ts';
import type { ChatMessage, FinishReason, ToolCall, Wire, WireFailure, WireReply } from './chat.ts';
import { readFailure } from './client.ts';
import { assembleMessage } from './message-events.ts';
import { readCalls } from './read-calls.ts';

const Count = TokenCount.nullish();
const Reply = z.object({
  type: z.literal('message'),
  content: z.array(JsonObjectSchema),
  stop_reason: z.string().nullish(),
  stop_details: z.object({ explanation: z.string().nullish() }).nullish().catch(null),
  usage: z
    .object({
      input_tokens: TokenCount,
      output_tokens: TokenCount,
      cache_read_input_tokens: Count,
      cache_creation_input_tokens: Count,
    })
    .nullish()
    .catch(null),
});

/** Go back as they came. */
const returnedBlocks = ['thinking', 'redacted_thinking', 'text'];

/** The next call begins with the same. */
const cached = { cache_control: { type: 'ephemeral' } };

/** Per request. */
const maxStrict = 20;

export const messages: Wire = {
  path: '/v1/messages',
  optional: ['stream', 'tool_choice', 'output_config', 'strict', 'cache_control'],
  returned: [],
  assemble: assembleMessage,

  write({ messages: chat, tools = [], mustCall, maxOutputTokens }, { model, effort, refused }) {
    const takes = (name: string) => !refused.has(name);
    const mark = takes('cache_control') ? cached : {};
    const system = chat.flatMap(({ role, content }) => (role === 'system' ? content : []));
    const strict = takes('strict')
      ? tools.filter(({ parameters }) => isClosed(parameters)).slice(0, maxStrict)
      : [];
    return {
      model,
      max_tokens: maxOutputTokens,
      ...(tools.length === 0
        ? {}
        : {
            tools: tools.map((tool, index) => ({
              name: tool.name,
              description: tool.description,
              input_schema: tool.parameters,
              ...(strict.includes(tool) ? { strict: true } : {}),
              ...(index === tools.length - 1 ? mark : {}),
            })),
          }),
      ...(system.length === 0
        ? {}
        : { system: [{ type: 'text', text: system.join('\n\n'), ...mark }] }),
      messages: writeTurns(chat, mark),
      ...(takes('stream') ? { stream: true } : {}),
      ...(effort !== undefined && takes('output_config') ? { output_config: { effort } } : {}),
      ...(mustCall !== undefined && takes('tool_choice')
        ? { tool_choice: mustCall === true ? { type: 'any' } : { type: 'tool', name: mustCall } }
        : {}),
    };
  },

  read(raw, { tools = [], messages: chat }): WireReply | WireFailure | null {
    const parsed = Reply.safeParse(raw);
    if (!parsed.success) return readFailure(raw);
    const { content, stop_reason, stop_details, usage } = parsed.data;
    const text = content.flatMap((block) => (block.type === 'text' ? String(block.text) : []));
    const calls = readCalls(
      content.flatMap(({ type, id, name, input }) =>
        type === 'tool_use' ? [{ id, name, arguments: input }] : [],
      ),
      tools,
      chat.length,
    );
    const isRefused = stop_reason === 'refusal';
    const why = stop_details?.explanation || text.join('') || 'It gives no reason.';
    return {
      content: isRefused ? '' : text.join(''),
      refusal: isRefused ? why : null,
      toolCalls: calls,
      finishReason: readFinish(stop_reason, calls),
      items: content,
      callsNatively: true,
      written: content.map((block) => JSON.stringify({ ...block, signature: '' })).join('\n'),
      usage: usage ? countUsage(usage) : null,
    };
  },
};

/** Cache reads and writes are not in the input count. */
function countUsage(usage: NonNullable<z.infer<typeof Reply>['usage']>) {
  const cached_tokens = usage.cache_read_input_tokens ?? 0;
  const cache_write_tokens = usage.cache_creation_input_tokens ?? 0;
  return {
    input_tokens: usage.input_tokens + cached_tokens + cache_write_tokens,
    output_tokens: usage.output_tokens,
    cached_tokens,
    cache_write_tokens,
  };
}

function readFinish(reason: string | null | undefined, calls: ToolCall[]): FinishReason {
  if (reason === 'max_tokens' || reason === 'model_context_window_exceeded') return 'length';
  if (reason === 'refusal') return 'content_filter';
  return calls.length > 0 ? 'tool_calls' : 'stop';
}

type Turn = { role: 'user' | 'assistant'; content: object[] };

/** Results and people's words join one user turn; the last block ends the cached part. */
function writeTurns(chat: ChatMessage[], mark: object): Turn[] {
  const turns: Turn[] = [];
  for (const message of chat) {
    if (message.role === 'system') continue;
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const blocks = writeBlocks(message);
    const last = turns.at(-1);
    if (blocks.length === 0) continue;
    if (last?.role === role) last.content.push(...blocks);
    else turns.push({ role, content: blocks });
  }
  const end = turns.at(-1);
  const block = end?.content.pop();
  if (end !== undefined && block !== undefined) end.content.push({ ...block, ...mark });
  return turns;
}

/** Empty texts are refused. */
const writeText = (text: string) => (text.trim() === '' ? [] : [{ type: 'text', text }]);

function writeBlocks(message: Exclude<ChatMessage, { role: 'system' }> | ChatMessage): object[] {
  switch (message.role) {
    case 'system':
    case 'user':
      return writeText(message.content);
    case 'tool':
      return [{ type: 'tool_result', tool_use_id: message.callId, content: message.content }];
    case 'assistant': {
      const { content, toolCalls = [], items } = message;
      if (items !== undefined) return writeItems(items, toolCalls);
      return [...writeText(content), ...toolCalls.map((call) => writeCall(call, {}))];
    }
    default:
      return message satisfies never;
  }
}

/** Thinking stays in place; unanswered calls go. */
function writeItems(items: JsonObject[], answered: ToolCall[]): object[] {
  const calls = new Map(answered.map((call) => [call.id, call]));
  const kept = items.flatMap((item): object[] => {
    if (item.type !== 'tool_use') {
      const isEmpty = item.type === 'text' && String(item.text).trim() === '';
      return returnedBlocks.includes(String(item.type)) && !isEmpty ? [item] : [];
    }
    const call = calls.get(String(item.id));
    calls.delete(String(item.id));
    return call === undefined ? [] : [writeCall(call, item.input)];
  });
  // Calls with generated IDs have no block.
  return [...kept, ...[...calls.values()].map((call) => writeCall(call, {}))];
}

/** @param sent the model's input, if no object */
function writeCall({ id, name, arguments: args }: ToolCall, sent: unknown): object {
  const input = readObject(args) ?? (isObject(sent) ? sent : {});
  return { type: 'tool_use', id, name, input };
}

function readObject(text: string): object | null {
  try {
    const value: unknown = parseShallowJson(text);
    return isObject(value) ? value : null;
  } catch {
    return null; // the call's result tells the model
  }
}

const strictKeywords = new Set(
  'type properties required additionalProperties items enum const anyOf description title'.split(
    ' ',
  ),
);

/** All objects closed, nothing unenforced. */
function isClosed(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  if (!Object.keys(schema).every((key) => strictKeywords.has(key))) return false;
  const { type, properties = {}, additionalProperties, items, anyOf } = schema as JsonSchema;
  const inner = [
    ...(isObject(properties) ? Object.values(properties) : [properties]),
    ...(items === undefined ? [] : [items]),
    ...(Array.isArray(anyOf) ? anyOf : []),
  ];
  return (type !== 'object' || additionalProperties === false) && inner.every(isClosed);
}
