// A model whose calls are paid for (B9): the budget is asked first, the actual cost recorded afterwards.
import type { Ceiling } from '#domain/budget.ts';
import type { Stage } from '#domain/planning/stages.ts';
import type { ChatMessage, ChatReply, ChatRequest } from '#models/chat.ts';

export type Paid =
  | { kind: 'reply'; reply: ChatReply; remembered: boolean }
  | { kind: 'exceeded'; ceiling: Ceiling; spent_usd: number; estimate_usd: number };

export type PaidModel = {
  name: string;
  /**
   * One call, if the budget allows it. A reply that was stored is used again and costs nothing.
   * @throws CountersignError `model_failed`, `timed_out`, `cancelled`
   */
  complete(
    request: ChatRequest,
    purpose: { stage: Stage; softLifted: boolean },
    signal: AbortSignal,
  ): Promise<Paid>;
  /** The messages with which this round of the turn began, for a planner that takes over; absent if nothing is stored. */
  history?: {
    read(): Promise<ChatMessage[] | null>;
    keep(messages: ChatMessage[]): Promise<void>;
  };
};
