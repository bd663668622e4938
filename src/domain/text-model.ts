// A model that writes plain text, as the text tools see it, and how its calls are paid for.
import { CountersignError } from './errors.ts';

/** A call to pay for. `kind`: its purpose; the length of past calls of the kind is the estimate. */
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
 * Makes `call` if the budget allows for its expected cost, and books its cost, also if it fails.
 * @throws CountersignError `budget_exhausted`, and `call` was not made; else what `call` throws
 */
export type PayForCall = <Reply extends PaidReply>(
  priced: PricedCall,
  call: () => Promise<Reply>,
) => Promise<Reply>;

export type TextModel = {
  /** @throws CountersignError `budget_exhausted`, `model_failed`, `timed_out` or `cancelled` */
  complete(request: {
    /** The plan's model; null: the process's own. */
    model: string | null;
    system: string;
    prompt: string;
    pay: PayForCall;
    signal: AbortSignal;
  }): Promise<{ text: string; cost_usd: number }>;
};

/**
 * Whether a call of a model that ended so may have cost something: one that was cut off or had an answer nobody could read
 * (`details.answered`); not one that was refused or never answered.
 */
export function mayHaveCost(error: unknown): boolean {
  if (!(error instanceof CountersignError) || error.code !== 'model_failed') return true;
  return error.details.answered === true;
}
