import { describe, expect, it } from 'vitest';
import { validateGrammar } from '#planner/tools/validate-grammar.ts';
import { changed, outlineOf, sound } from '../outline/outlines.ts';
import { makeDesk } from './tool-context.ts';

const check = (sketches: Parameters<typeof outlineOf>[0]) =>
  validateGrammar.execute(
    {},
    makeDesk({ state: { stage: 'VALIDATE_OUTLINE', outline: outlineOf(sketches) } }),
  );

describe('validate_grammar', () => {
  it('passes a sound outline with full confidence', async () => {
    const { result, violations, ends } = await check(sound);
    expect(result).toMatchObject({
      ok: true,
      confidence: 1,
      explanations: ['5 nodes, no violations.'],
    });
    expect([violations, ends]).toEqual([[], 'valid']);
  });

  it('gives back what blocks, how far it is off and what would mend it, and produces nothing', async () => {
    const { result, violations, ends } = await check(changed('1', { after: ['2'] }));
    expect(result.ok).toBe(false);
    expect(result.confidence).toBeCloseTo(2 / 3);
    expect(ends).toBe('invalid_retryable');
    expect(violations).toMatchObject([{ code: 'cycle', blocking: true }]);
    expect(result.data).toMatchObject({
      valid: false,
      suggested_fixes: [{ do: 'unlink', code: 'cycle' }],
    });
  });

  it('passes what it only doubts, with less confidence', async () => {
    const { result, ends } = await check(changed('1', { target: { amount: 3, unit: 'pages' } }));
    expect(result.ok).toBe(true);
    expect(result.confidence).toBeLessThan(1);
    expect(ends).toBe('valid');
  });

  it('tells at most a hundred violations, those that block first', async () => {
    const many = Array.from({ length: 150 }, (_, index) => ({
      id: `x${index}`,
      parent: 'g',
      after: ['0'],
    }));
    const { violations } = await check([...sound, ...many]);
    expect(violations).toHaveLength(100);
    expect(violations?.every(({ blocking }) => blocking)).toBe(true);
  });

  it('says so when there is no outline', async () => {
    const { result } = await validateGrammar.execute({}, makeDesk());
    expect(result).toMatchObject({ ok: false, confidence: 0 });
  });
});
