// A model whose calls are paid for (B9): the budget is asked first, the actual cost recorded afterwards.
import type { Stage } from '#domain/planning/stages.ts';
import type { ChatReply, ChatRequest } from '#models/chat.ts';

/** Which ceiling one more call would break: the turn's soft one, or a cap of the session or the day. */
export type Ceiling = 'turn_soft' | 'session' | 'day';

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
};
