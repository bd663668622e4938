// A conversation with a model, independent of the API.
import type { JsonObject } from '#domain/text.ts';
import type { PricedCall } from '#domain/text-model.ts';
import type { JsonSchema } from '#domain/tool.ts';
import type { Effort, Usage } from './catalogue.ts';

export type ToolCall = {
  id: string;
  name: string;
  /** JSON, or the malformed text the model wrote. */
  arguments: string;
  /** Server data that must be sent back with the call, such as thought signatures. */
  extra?: JsonObject | undefined;
};

export type ChatMessage =
  | { role: 'system' | 'user'; content: string }
  | {
      role: 'assistant';
      content: string;
      toolCalls?: ToolCall[];
      /** The reply in the Responses API's form, sent back verbatim. */
      items?: JsonObject[] | undefined;
      /** Fields of a chat completion sent back verbatim, such as reasoning. */
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
  /** The tool that the model must call, or true for any. Otherwise it may answer in text. */
  mustCall?: string | true;
  /** Including reasoning. */
  maxOutputTokens?: number;
  /** The same for calls that begin alike, so that the server finds their cached beginning. */
  cacheKey?: string;
  /** Epoch milliseconds after which the current attempt ends and no other starts. */
  deadline: number;
  /** Milliseconds of silence after which an attempt ends. Default: only the deadline. */
  idleTimeoutMs?: number;
  /** Called often while calls stream; starts from zero at each attempt. Must not throw. */
  onProgress?: ((calls: CallProgress[]) => void) | undefined;
};

/** A call being streamed. `items`: complete objects in a list argument. */
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
  /** Including the first. */
  attempts: number;
};

export type ChatModel = {
  name: string;
  /**
   * US dollars for `request` with this many output tokens.
   * @throws CountersignError `model_failed` if the price is unknown
   */
  estimateCost(request: ChatRequest, outputTokens: number): Promise<number>;
  complete(request: ChatRequest, signal: AbortSignal): Promise<ChatReply>;
};

/** A call priced for the budget. @param kind finds past calls of the same purpose */
export function priceCall(model: ChatModel, kind: string, request: ChatRequest): PricedCall {
  return {
    model: model.name,
    kind,
    price: (outputTokens) => model.estimateCost(request, outputTokens),
  };
}

/** How one API writes requests and reads replies. */
export type Wire = {
  path: string;
  /** Parameters that some servers refuse and that can be left out. */
  optional: readonly string[];
  /** Reply fields to send back; a server may refuse them, or refuse to miss them. */
  returned: readonly string[];
  write(request: ChatRequest & { maxOutputTokens: number }, options: WireOptions): JsonBody;
  /** Assembles the events of one streamed reply. */
  assemble(onProgress: ChatRequest['onProgress']): Assembly;
  /**
   * Returns null if `raw` is not a reply.
   * @param takesWritten whether calls written in the text count
   */
  read(raw: unknown, request: ChatRequest, takesWritten: boolean): WireReply | WireFailure | null;
};
export type Assembly = {
  /** @returns whether this was the last event that counts */
  take(event: unknown): boolean;
  /**
   * The reply as if unstreamed, or null if its end is missing.
   * @param ended whether the server announced the end
   */
  finish(ended: boolean): object | null;
  /** All received text, including reasoning. */
  written(): string;
};
export type WireOptions = { model: string; effort: Effort | undefined; refused: Refused };
export type WireReply = Omit<ChatReply, 'usage' | 'cost_usd' | 'attempts'> & {
  usage: Usage | null;
  /** All text including reasoning, to estimate usage that a server doesn't report. */
  written: string;
  /** The server has made native calls: calls written in its text are just text. */
  callsNatively: boolean;
};
/** A failure reported instead of a reply. `passes` if a retry may succeed. */
export type WireFailure = { failed: string; passes: boolean };
/** Refused parameter names, and `without …` for required ones. */
export type Refused = ReadonlySet<string>;
export type JsonBody = Record<string, unknown>;
