import { describe, expect, it } from 'vitest';
import {
  computeBound,
  computeCost,
  findModel,
  findPrice,
  findUnknownPrices,
} from '#models/catalogue.ts';
import { findModelProblem } from '#models/executor-models.ts';
import { estimateTokens } from '#models/tokens.ts';

describe('prices', () => {
  it('knows dated names by the model they belong to', () => {
    expect(findPrice('gpt-4.1-2025-04-14')).toMatchObject({
      input: 2,
      cached_input: 0.5,
      output: 8,
    });
  });

  it('lets the configuration override and extend the table', () => {
    expect(findPrice('gpt-4.1', { 'gpt-4.1': { input: 1, output: 1 } })).toEqual({
      input: 1,
      output: 1,
    });
    expect(findPrice('llama', { llama: { input: 0.5, output: 1 } })).toEqual({
      input: 0.5,
      output: 1,
    });
  });

  it('does not guess the price of an unknown model, unless "*" stands for all others', () => {
    expect(findPrice('claude-opus-4-5-20251101')).toEqual(
      expect.objectContaining({ input: 5, output: 25, cached_input: 0.5, cache_write: 6.25 }),
    );
    expect(findPrice('claude-opus-99')).toBeNull();
    expect(findPrice('gpt-4.1-turbo-extra')).toBeNull();
    expect(findPrice('llama', { '*': { input: 0, output: 0 } })).toEqual({ input: 0, output: 0 });
    expect(findPrice('gpt-4.1', { '*': { input: 0, output: 0 } })?.input).toBe(2);
  });

  it('names each model whose price is not known, once, and what to do', () => {
    const models = { PLANNER_MODEL: 'llama', EXECUTOR_MODEL: 'llama' };
    expect(findUnknownPrices(models, {})).toEqual([
      expect.stringMatching(
        /llama costs is not known.*"prices": .*countersign\.json.*0 for a server/,
      ),
    ]);
    expect(findUnknownPrices(models, { llama: { input: 0, output: 0 } })).toEqual([]);
    const known = { PLANNER_MODEL: 'gpt-4.1-2025-04-14', EXECUTOR_MODEL: 'gpt-6.2-sol' };
    expect(findUnknownPrices(known, {})).toEqual([]);
  });

  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty-2026-01-01', '*'])(
    'takes %s for no model that a plan may name',
    (name) => {
      const prices = { '*': { input: 1, output: 1 } };
      const env = { PLANNER_MODEL: 'gpt-4.1', EXECUTOR_MODEL: 'gpt-4.1' };
      expect(findModel(name)).toBeNull();
      expect(findPrice(name, prices)).toEqual(prices['*']);
      expect(findModelProblem({ env, prices, isOpenAi: true }, name)).toContain(name);
    },
  );

  it('counts input and output apart', () => {
    expect(
      computeCost({ input: 2, output: 8 }, { input_tokens: 500_000, output_tokens: 250_000 }),
    ).toBe(3);
  });

  it('counts what the server had in its cache, and what it put there, at their own prices', () => {
    const price = { input: 2, cached_input: 0.1, cache_write: 2.5, output: 10 };
    const usage = { input_tokens: 1_000_000, output_tokens: 0 };
    expect(computeCost(price, { ...usage, cached_tokens: 800_000 })).toBeCloseTo(0.48, 10);
    expect(computeCost(price, { ...usage, cache_write_tokens: 200_000 })).toBeCloseTo(2.1, 10);
    expect(computeCost(price, { ...usage, cached_tokens: 9_000_000 })).toBeCloseTo(0.1, 10);
    expect(computeBound(price, 1_000_000, 100_000)).toBeCloseTo(3.5, 10);
  });
});

describe('token estimates', () => {
  it('counts words as the encoding does', async () => {
    expect(await estimateTokens('')).toBe(0);
    expect(await estimateTokens('hello world')).toBe(2);
  });

  it('takes special-token names for text', async () => {
    expect(await estimateTokens('<|endoftext|>')).toBeGreaterThan(1);
  });

  it('counts a language without spaces as the encoding does, a little high where it is cut', async () => {
    const sentence = '我们明天早上九点在会议室讨论项目的进度和预算安排请准时参加';
    const whole = await estimateTokens(sentence);
    const run = await estimateTokens(sentence.repeat(40));
    expect(run).toBeGreaterThanOrEqual(whole * 40 * 0.9);
    expect(run).toBeLessThan(whole * 40 * 1.3);
  });

  it('is roughly right for a megabyte without a space', async () => {
    const tokens = await estimateTokens('a'.repeat(1_000_000));
    expect(tokens).toBeGreaterThan(50_000);
    expect(tokens).toBeLessThan(500_000);
  });
});
