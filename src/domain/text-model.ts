// A plain-text model, and payment for its calls.
import { CountersignError } from './errors.ts';

/** `kind`: past calls of it give the estimate. */
export type PricedCall = {
  model: string;
  kind: string;
  /** US dollars. */
  price(outputTokens: number): Promise<number>;
};

export type PaidReply = {
  cost_usd: number;
  usage: { input_tokens: number; output_tokens: number };
};

/** Books the cost even on failure. @throws `budget_exhausted` before calling; else errors of `call` */
export type PayForCall = <Reply extends PaidReply>(
  priced: PricedCall,
  call: () => Promise<Reply>,
) => Promise<Reply>;

export type TextModel = {
  /** @throws `budget_exhausted`, `model_failed`, `timed_out` or `cancelled` */
  complete(request: {
    /** Null for the process's. */
    model: string | null;
    system: string;
    prompt: string;
    pay: PayForCall;
    signal: AbortSignal;
  }): Promise<{ text: string; cost_usd: number }>;
};

/** If cut off or unreadable (`details.answered`), but not if refused or unanswered. */
export function mayHaveCost(error: unknown): boolean {
  if (!(error instanceof CountersignError) || error.code !== 'model_failed') return true;
  return error.details.answered === true;
}
