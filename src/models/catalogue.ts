// Model prices, efforts and shutdown dates.
// OpenAI's as of 29 November 2026, by copies of its pages and quotations of its price list.
import { z } from 'zod';
import type { Environment } from '#domain/environment.ts';

/** US dollars per million tokens. */
export type Price = {
  input: number;
  output: number;
  /** Cache reads; default: input. */
  cached_input?: number | undefined;
  /** Cache writes; default: input. */
  cache_write?: number | undefined;
};

export type Usage = {
  input_tokens: number;
  /** With reasoning. */
  output_tokens: number;
  cached_tokens?: number | undefined;
  cache_write_tokens?: number | undefined;
};

/** Maybe fractional. */
export const TokenCount = z.number().nonnegative().max(1e9).transform(Math.ceil);

export type Effort = NonNullable<Environment['PLANNER_REASONING_EFFORT']>;

export type ModelFacts = {
  price: Price;
  /** Empty for models that don't reason. */
  efforts: readonly Effort[];
  /** YYYY-MM-DD; refused from then on. */
  shutdown?: string;
  replacement?: string;
};

const fromLow: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max'];
const fromNone: readonly Effort[] = ['none', ...fromLow];
const upToXhigh: readonly Effort[] = ['none', 'low', 'medium', 'high', 'xhigh'];
const firstEfforts: readonly Effort[] = ['minimal', 'low', 'medium', 'high'];

function priced(input: number, cached_input: number, output: number, cache_write = input): Price {
  return { input, cached_input, cache_write, output };
}

const models: Record<string, ModelFacts> = {
  'gpt-6.2-astra': { price: priced(8, 0.4, 40, 10), efforts: fromLow },
  'gpt-6.2-sol': { price: priced(2, 0.1, 10, 2.5), efforts: fromLow },
  'gpt-6.1-sol': { price: priced(2, 0.1, 10, 2.5), efforts: fromLow },
  'gpt-6.1-terra': { price: priced(1, 0.05, 5, 1.25), efforts: fromNone },
  'gpt-6-astra': { price: priced(10, 1, 50, 12.5), efforts: fromLow },
  'gpt-6-sol': { price: priced(2, 0.2, 10, 2.5), efforts: fromNone },
  'gpt-6-luna': { price: priced(0.1, 0.01, 0.5, 0.125), efforts: fromNone },
  'gpt-5.6-sol': { price: priced(4, 0.4, 20, 5), efforts: fromNone },
  'gpt-5.6-terra': { price: priced(2, 0.2, 12, 2.5), efforts: fromNone },
  'gpt-5.6-luna': { price: priced(0.2, 0.02, 1.2, 0.25), efforts: fromNone },
  'gpt-5.5': { price: priced(5, 0.5, 30), efforts: upToXhigh },
  'gpt-5.4': { price: priced(2.5, 0.25, 15), efforts: upToXhigh },
  'gpt-5.4-mini': { price: priced(0.75, 0.075, 4.5), efforts: upToXhigh },
  'gpt-5.4-nano': {
    price: priced(0.2, 0.02, 1.25),
    efforts: upToXhigh,
    shutdown: '2027-04-01',
  },
  'gpt-5.1': {
    price: priced(1.25, 0.125, 10),
    efforts: ['none', 'low', 'medium', 'high'],
    shutdown: '2027-04-01',
  },
  'gpt-5': {
    price: priced(1.25, 0.125, 10),
    efforts: firstEfforts,
    shutdown: '2026-12-11',
    replacement: 'gpt-6.1-sol',
  },
  'gpt-5-mini': {
    price: priced(0.25, 0.025, 2),
    efforts: firstEfforts,
    shutdown: '2026-12-11',
    replacement: 'gpt-6.1-terra',
  },
  'gpt-5-nano': {
    price: priced(0.05, 0.005, 0.4),
    efforts: firstEfforts,
    shutdown: '2026-12-11',
    replacement: 'gpt-6-luna',
  },
  'gpt-4.1': retiring(priced(2, 0.5, 8)),
  'gpt-4.1-mini': retiring(priced(0.4, 0.1, 1.6)),
  'gpt-4o': retiring(priced(2.5, 1.25, 10)),
  'gpt-4o-mini': retiring(priced(0.15, 0.075, 0.6)),
};

function retiring(price: Price): ModelFacts {
  return { price, efforts: [], shutdown: '2027-01-14', replacement: 'gpt-6-luna' };
}

/** Five-minute cache writes cost a quarter more than input. */
const ofClaude = (input: number, output: number, cached: number): Price =>
  priced(input, cached, output, input * 1.25);

/** From the model and price pages at platform.claude.com/docs. */
const claudePrices: Record<string, Price> = {
  // Price of cache reads not found.
  'claude-fable-5-2': ofClaude(8, 40, 8),
  'claude-fable-5-1': ofClaude(10, 50, 0.25),
  'claude-fable-5': ofClaude(10, 50, 1),
  'claude-opus-5-5': ofClaude(4, 20, 0.2),
  'claude-opus-5': ofClaude(5, 25, 0.5),
  'claude-opus-4-8': ofClaude(5, 25, 0.5),
  'claude-opus-4-7': ofClaude(5, 25, 0.5),
  'claude-opus-4-6': ofClaude(5, 25, 0.5),
  'claude-opus-4-5': ofClaude(5, 25, 0.5),
  'claude-sonnet-5-5': ofClaude(2, 10, 0.1),
  'claude-sonnet-5': ofClaude(2, 10, 0.2),
  'claude-sonnet-4-6': ofClaude(3, 15, 0.3),
  'claude-sonnet-4-5': ofClaude(3, 15, 0.3),
  // Up to 100,000 tokens cost a fifth; budgets must hold beyond.
  'claude-haiku-5-5': ofClaude(0.5, 2.5, 0.05),
  'claude-haiku-4-5': ofClaude(1, 5, 0.1),
};

/** Dates: `gpt-4.1-2025-04-14`, `claude-opus-4-5-20251101`. */
function undated(model: string): string {
  return model.replace(/-\d{4}-?\d{2}-?\d{2}$/, '');
}

/** Plans' names could be `constructor`. */
const entryOf = <T>(table: Record<string, T>, name: string): T | null =>
  (Object.hasOwn(table, name) ? table[name] : null) ?? null;

export function findModel(name: string): ModelFacts | null {
  return entryOf(models, name) ?? entryOf(models, undated(name));
}

/** `*` in `overrides` applies to every model without one. */
export function findPrice(model: string, overrides: Record<string, Price> = {}): Price | null {
  const own = entryOf(overrides, model) ?? entryOf(overrides, undated(model));
  const claude = entryOf(claudePrices, model) ?? entryOf(claudePrices, undated(model));
  return own ?? findModel(model)?.price ?? claude ?? overrides['*'] ?? null;
}

/** Without a price, budgets can't hold. */
export function askForPrice(model: string): string {
  return `What the model ${model} costs is not known, so no budget would hold it. Add "prices": {"${model}": {"input": 0, "output": 0}} to countersign.json: US dollars per million tokens, 0 for a server of your own.`;
}

export function findUnknownPrices(
  { PLANNER_MODEL, EXECUTOR_MODEL }: Pick<Environment, 'PLANNER_MODEL' | 'EXECUTOR_MODEL'>,
  overrides: Record<string, Price>,
): string[] {
  return [...new Set([PLANNER_MODEL, EXECUTOR_MODEL])]
    .filter((model) => findPrice(model, overrides) === null)
    .map(askForPrice);
}

export function computeCost(price: Price, usage: Usage): number {
  const cached = Math.min(usage.cached_tokens ?? 0, usage.input_tokens);
  const written = Math.min(usage.cache_write_tokens ?? 0, usage.input_tokens - cached);
  const dollars =
    (usage.input_tokens - cached - written) * price.input +
    cached * (price.cached_input ?? price.input) +
    written * (price.cache_write ?? price.input) +
    usage.output_tokens * price.output;
  return dollars / 1_000_000;
}

/** US dollars. */
export function computeBound(price: Price, input: number, output: number): number {
  const dearest = Math.max(price.input, price.cache_write ?? 0);
  return (input * dearest + output * price.output) / 1_000_000;
}
