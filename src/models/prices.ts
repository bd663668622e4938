// Token prices in US dollars per million. An unknown price is never zero.
import type { Environment } from '#domain/settings.ts';

export type Price = { input: number; output: number };
export type Usage = { input_tokens: number; output_tokens: number };

/** List prices of models often used here; `prices` in countersign.json overrides and extends them. */
const listPrices: Record<string, Price> = {
  'gpt-4.1': { input: 2, output: 8 },
  'gpt-4.1-mini': { input: 0.4, output: 1.6 },
  'gpt-4.1-nano': { input: 0.1, output: 0.4 },
  'gpt-4o': { input: 2.5, output: 10 },
  'gpt-4o-mini': { input: 0.15, output: 0.6 },
  'gpt-5': { input: 1.25, output: 10 },
  'gpt-5-mini': { input: 0.25, output: 2 },
  'gpt-5-nano': { input: 0.05, output: 0.4 },
  'gpt-5.1': { input: 1.25, output: 10 },
  o3: { input: 2, output: 8 },
  'o3-mini': { input: 1.1, output: 4.4 },
  'o4-mini': { input: 1.1, output: 4.4 },
};

/**
 * What a model counts as whose price is not known: twice the dearest of the list, so that budgets hold it. One that
 * costs nothing is given the price 0 in `prices`.
 */
export const unknownPrice: Price = { input: 5, output: 20 };

/**
 * The price of `model`, or of the model that a dated name (`gpt-4.1-2025-04-14`) belongs to; else that of `*` in
 * `overrides`, which stands for every other model; null when unknown.
 */
export function findPrice(model: string, overrides: Record<string, Price> = {}): Price | null {
  const undated = model.replace(/-\d{4}-\d{2}-\d{2}$/, '');
  for (const name of [model, undated]) {
    const price = overrides[name] ?? listPrices[name];
    if (price) return price;
  }
  return overrides['*'] ?? null;
}

/** A sentence for the operator for each model that is set and whose price budgets have to guess. */
export function findUnknownPrices(
  { PLANNER_MODEL, EXECUTOR_MODEL }: Pick<Environment, 'PLANNER_MODEL' | 'EXECUTOR_MODEL'>,
  overrides: Record<string, Price>,
): string[] {
  const { input, output } = unknownPrice;
  return [...new Set([PLANNER_MODEL, EXECUTOR_MODEL])]
    .filter((model) => findPrice(model, overrides) === null)
    .map(
      (model) =>
        `The price of the model ${model} is not known: it counts as $${input} and $${output} per million tokens in and out. Add it to "prices" in countersign.json, with 0 for a model that costs nothing.`,
    );
}

/** US dollars for `usage`. */
export function computeCost(price: Price, usage: Usage): number {
  return (usage.input_tokens * price.input + usage.output_tokens * price.output) / 1_000_000;
}
