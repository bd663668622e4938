// A conversation with a model, for any API.
import type { JsonObject } from '#domain/text.ts';
import type { PricedCall } from '#domain/text-model.ts';
import type { JsonSchema } from '#domain/tool.ts';
import type { Effort, Usage } from './catalogue.ts';

export type ToolCall = {
  id: string;
  name: string;
  /** JSON, or malformed text. */
  arguments: string;
  /** Must be sent back, such as thought signatures. */
  extra?: JsonObject | undefined;
};

export type ChatMessage =
  | { role: 'system' | 'user'; content: string }
  | {
      role: 'assistant';
      content: string;
      toolCalls?: ToolCall[];
      /** In the Responses API, sent back verbatim. */
      items?: JsonObject[] | undefined;
      /** In chat completions, sent back verbatim. */
      thoughts?: JsonObject | undefined;
    }
  | { role: 'tool'; callId: string; content: string };

export type ChatTool = {
  name: string;
  description: string;
  parameters: JsonSchema;
};

export type ChatRequest = {
  messages: ChatMessage[];
  tools?: ChatTool[];
  /** A tool's name, or true for any; else text is allowed too. */
  mustCall?: string | true;
  /** Including reasoning. */
  maxOutputTokens?: number;
  /** The same for calls that begin alike. */
  cacheKey?: string;
  /** Epoch milliseconds; no attempt runs beyond. */
  deadline: number;
  /** Silence per attempt. Default: only the deadline. */
  idleTimeoutMs?: number;
  /** Restarts with each attempt. Must not throw. */
  onProgress?: ((calls: CallProgress[]) => void) | undefined;
};

/** `items`: complete objects in a list argument. */
export type CallProgress = { name: string; items: number };

export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter';

export type ChatReply = {
  content: string;
  refusal: string | null;
  toolCalls: ToolCall[];
  finishReason: FinishReason;
  items?: JsonObject[] | undefined;
  thoughts?: JsonObject | undefined;
  usage: Usage;
  cost_usd: number;
  attempts: number;
};

export type ChatModel = {
  name: string;
  /** US dollars. @throws `model_failed` if the price is unknown */
  estimateCost(request: ChatRequest, outputTokens: number): Promise<number>;
  complete(request: ChatRequest, signal: AbortSignal): Promise<ChatReply>;
};

/** @param kind finds past calls of the same purpose */
export function priceCall(model: ChatModel, kind: string, request: ChatRequest): PricedCall {
  return {
    model: model.name,
    kind,
    price: (outputTokens) => model.estimateCost(request, outputTokens),
  };
}

export type Wire = {
  path: string;
  /** Can be left out if refused. */
  optional: readonly string[];
  /** To send back; a server may refuse or demand them. */
  returned: readonly string[];
  write(request: ChatRequest & { maxOutputTokens: number }, options: WireOptions): JsonBody;
  assemble(onProgress: ChatRequest['onProgress']): Assembly;
  /** Null if `raw` is no reply. @param takesWritten calls in the text count */
  read(raw: unknown, request: ChatRequest, takesWritten: boolean): WireReply | WireFailure | null;
};
export type Assembly = {
  take(event: unknown): boolean;
  /** Null if the end is missing. @param ended announced by the server */
  finish(ended: boolean): object | null;
  /** Including reasoning. */
  written(): string;
};
export type WireOptions = { model: string; effort: Effort | undefined; refused: Refused };
export type WireReply = Omit<ChatReply, 'usage' | 'cost_usd' | 'attempts'> & {
  usage: Usage | null;
  /** Including reasoning; estimates unreported usage. */
  written: string;
  /** Then calls in its text are just text. */
  callsNatively: boolean;
};
/** `passes`: a retry may succeed. */
export type WireFailure = { failed: string; passes: boolean };
/** Names, and `without …` for required ones. */
export type Refused = ReadonlySet<string>;
export type JsonBody = Record<string, unknown>;
