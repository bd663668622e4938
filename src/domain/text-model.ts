// A model that writes plain text, as the text tools see it, and how its calls are paid for.
import { CountersignError } from './errors.ts';

/** A call that is to be paid for. `kind`: what it is for; past calls of the kind say how much it writes. */
export type PricedCall = {
  model: string;
  kind: string;
  /** US dollars if it writes so many tokens. */
  price(outputTokens: number): Promise<number>;
};

/** What is booked of a reply. */
export type PaidReply = {
  cost_usd: number;
  usage: { input_tokens: number; output_tokens: number };
};

/**
 * Makes `call` if the budget allows for what such calls cost, and books what it did cost, whatever becomes of the answer.
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
