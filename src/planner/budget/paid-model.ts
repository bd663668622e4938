// A model whose calls are paid for (B9): the budget is asked first, the actual cost recorded afterwards.
import type { Caps, Ceiling } from '#domain/budget.ts';
import type { Stage } from '#domain/planning/stages.ts';
import type { ChatMessage, ChatReply, ChatRequest } from '#models/chat.ts';

/** Nothing was called. `spent_usd`: under that ceiling. */
export type Exceeded = {
  kind: 'exceeded';
  ceiling: Ceiling;
  spent_usd: number;
  estimate_usd: number;
  caps: Caps;
};

export type Paid = { kind: 'reply'; reply: ChatReply; remembered: boolean } | Exceeded;

export type PaidModel = {
  name: string;
  /**
   * If the budget allows it. A stored reply is reused and costs nothing. @throws CountersignError `model_failed`, `timed_out`,
   * `cancelled`
   */
  complete(
    request: ChatRequest,
    purpose: { stage: Stage; softLifted: boolean },
    signal: AbortSignal,
  ): Promise<Paid>;
  /** Messages with which this round began, for a planner that takes over; absent if nothing is stored. */
  history?: {
    read(): Promise<ChatMessage[] | null>;
    keep(messages: ChatMessage[]): Promise<void>;
  };
};
