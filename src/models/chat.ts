// A conversation with a model as this program has it, whichever API carries it.
import type { JsonObject } from '#domain/text.ts';
import type { PricedCall } from '#domain/text-model.ts';
import type { JsonSchema } from '#domain/tool.ts';
import type { Effort, Usage } from './catalogue.ts';

export type ToolCall = {
  id: string;
  name: string;
  /** JSON, or what the model wrote in its place. */
  arguments: string;
  /** What else the server attached to the call; it wants that back (signatures of thoughts). */
  extra?: JsonObject | undefined;
};

export type ChatMessage =
  | { role: 'system' | 'user'; content: string }
  | {
      role: 'assistant';
      content: string;
      toolCalls?: ToolCall[];
      /** The reply as the Responses API gave it, which wants it back. */
      items?: JsonObject[] | undefined;
      /** Fields of a chat completion that its server wants back unchanged, such as its reasoning. */
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
  /** The one tool the model must call; true: any of them. Otherwise it may answer in words. */
  mustCall?: string | true;
  /** Reasoning included. */
  maxOutputTokens?: number;
  /** Milliseconds since the epoch after which no attempt starts and the running one ends. */
  deadline: number;
  /** Milliseconds without a sign of the server after which an attempt ends. Left out: the deadline alone counts. */
  idleTimeoutMs?: number;
  /** Told while calls are written, by servers that stream: often, and anew from nothing at each attempt. Must not throw. */
  onProgress?: ((calls: CallProgress[]) => void) | undefined;
};

/** A call that is being written. `items`: objects that are complete by now, of a list among its arguments. */
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
  /** Attempts made, the first included. */
  attempts: number;
};

export type ChatModel = {
  name: string;
  /**
   * US dollars that `request` costs with this number of output tokens; left out: with the longest reply.
   * @throws CountersignError `model_failed`: the price is not known
   */
  estimateCost(request: ChatRequest, outputTokens: number): Promise<number>;
  complete(request: ChatRequest, signal: AbortSignal): Promise<ChatReply>;
};

/** A call as the budget prices it. @param kind finds past calls of the same purpose */
export function priceCall(model: ChatModel, kind: string, request: ChatRequest): PricedCall {
  return {
    model: model.name,
    kind,
    price: (outputTokens) => model.estimateCost(request, outputTokens),
  };
}

/** What one of the APIs makes of a request and a reply. */
export type Wire = {
  path: string;
  /** Every parameter that some server is known to refuse, and that can be left out. */
  optional: readonly string[];
  /** Fields of replies that go back with them, which a server may refuse, or refuse to miss. */
  returned: readonly string[];
  write(request: ChatRequest & { maxOutputTokens: number }, options: WireOptions): JsonBody;
  /** Puts the events of one streamed reply together. */
  assemble(onProgress: ChatRequest['onProgress']): Assembly;
  /**
   * null: this is no reply.
   * @param takesWritten whether calls that stand in the text count
   */
  read(raw: unknown, request: ChatRequest, takesWritten: boolean): WireReply | WireFailure | null;
};
export type Assembly = {
  /** Takes the next event. @returns whether it was the last that counts */
  take(event: unknown): boolean;
  /**
   * The reply as the API sends it in one piece; null: its end is missing.
   * @param ended the server has said that it was the end
   */
  finish(ended: boolean): object | null;
  /** All text that has come, thoughts included. */
  written(): string;
};
export type WireOptions = { model: string; effort: Effort | undefined; refused: Refused };
export type WireReply = Omit<ChatReply, 'usage' | 'cost_usd' | 'attempts'> & {
  usage: Usage | null;
  /** All that the model wrote, thoughts included, to estimate what it cost where the server does not say. */
  written: string;
  /** The server has called a tool in the API's own way: what stands in its text is text. */
  callsNatively: boolean;
};
/** Instead of a reply: why the server failed, and whether the same request may do better later. */
export type WireFailure = { failed: string; passes: boolean };
/** Names of parameters the server has refused, and `without …` those it refuses to miss. */
export type Refused = ReadonlySet<string>;
export type JsonBody = Record<string, unknown>;
