// A model that writes plain text for the text tools, and payment for its calls.
import { CountersignError } from './errors.ts';

/** A call to pay for. `kind`: its purpose; past calls of that kind give the estimate. */
export type PricedCall = {
  model: string;
  kind: string;
  /** US dollars for this number of output tokens. */
  price(outputTokens: number): Promise<number>;
};

export type PaidReply = {
  cost_usd: number;
  usage: { input_tokens: number; output_tokens: number };
};

/**
 * Makes `call` if the budget allows its estimate, and books its cost, even on failure.
 * @throws CountersignError `budget_exhausted` before calling; else errors of `call`
 */
export type PayForCall = <Reply extends PaidReply>(
  priced: PricedCall,
  call: () => Promise<Reply>,
) => Promise<Reply>;

export type TextModel = {
  /** @throws CountersignError `budget_exhausted`, `model_failed`, `timed_out` or `cancelled` */
  complete(request: {
    /** The plan's model, or null for the process's. */
    model: string | null;
    system: string;
    prompt: string;
    pay: PayForCall;
    signal: AbortSignal;
  }): Promise<{ text: string; cost_usd: number }>;
};

/**
 * Whether a failed model call may have cost something: cut off, or with an unreadable answer (`details.answered`), but not if
 * refused or unanswered.
 */
export function mayHaveCost(error: unknown): boolean {
  if (!(error instanceof CountersignError) || error.code !== 'model_failed') return true;
  return error.details.answered === true;
}
