import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { composeConfidence, judgeConfidence } from '#planner/stages/stage.ts';

const thresholds = { continue: 0.7, escalate: 0.4 };

describe('the composite', () => {
  it('is half the own score, three tenths rules, two tenths heuristics', () => {
    expect(composeConfidence({ self: 1, rules: 0, heuristics: 0 }).composite).toBe(0.5);
    expect(composeConfidence({ self: 0, rules: 1, heuristics: 0 }).composite).toBe(0.3);
    expect(composeConfidence({ self: 0, rules: 0, heuristics: 1 }).composite).toBe(0.2);
    expect(composeConfidence({ self: 0.9, rules: 0.8, heuristics: 0.5 })).toEqual({
      self: 0.9,
      rules: 0.8,
      heuristics: 0.5,
      composite: 0.79,
    });
  });

  it('leaves the weight of a missing own score to the other two, three to two', () => {
    expect(composeConfidence({ self: null, rules: 1, heuristics: 0 }).composite).toBe(0.6);
    expect(composeConfidence({ self: null, rules: 0, heuristics: 1 }).composite).toBe(0.4);
    expect(composeConfidence({ self: null, rules: 1, heuristics: 1 }).composite).toBe(1);
  });

  it('takes an own score that is no number for a missing one, other such scores for 0', () => {
    expect(composeConfidence({ self: Number.NaN, rules: 1, heuristics: 1 })).toEqual({
      self: null,
      rules: 1,
      heuristics: 1,
      composite: 1,
    });
    expect(
      composeConfidence({ self: 1, rules: Number.NaN, heuristics: Number.NaN }).composite,
    ).toBe(0.5);
  });

  it('keeps scores beyond the ends at the ends', () => {
    expect(composeConfidence({ self: 7, rules: -1, heuristics: Number.POSITIVE_INFINITY })).toEqual(
      { self: 1, rules: 0, heuristics: 1, composite: 0.7 },
    );
  });

  it('lies within 0 and 1, between the least and the most sure of its parts', () => {
    const score = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.option(score), score, score, (self, rules, heuristics) => {
        const { composite } = composeConfidence({ self, rules, heuristics });
        const parts = [rules, heuristics, ...(self === null ? [] : [self])];
        expect(composite).toBeGreaterThanOrEqual(Math.min(...parts) - 1e-9);
        expect(composite).toBeLessThanOrEqual(Math.max(...parts) + 1e-9);
      }),
    );
  });

  it('of three equal scores is that score, to the last digit, whatever doubles make of the sum', () => {
    for (let hundredths = 0; hundredths <= 100; hundredths += 1) {
      const score = hundredths / 100;
      for (const self of [score, null])
        expect(composeConfidence({ self, rules: score, heuristics: score }).composite).toBe(score);
    }
  });
});

describe('the verdict', () => {
  it.each([
    [0, 'escalate'],
    [0.39, 'escalate'],
    [0.399_999, 'escalate'],
    [0.4, 'retry'],
    [0.69, 'retry'],
    [0.699_999, 'retry'],
    [0.7, 'continue'],
    [1, 'continue'],
    [Number.NaN, 'escalate'],
  ] as const)('on %d is to %s', (confidence, verdict) => {
    expect(judgeConfidence(confidence, thresholds)).toBe(verdict);
  });

  it('does not turn on what adding doubles leaves behind', () => {
    const justUnder = 0.1 + 0.1 + 0.1 + 0.1 + 0.1 + 0.1 + 0.1 + 0.1;
    expect(justUnder).toBeLessThan(0.8);
    expect(judgeConfidence(justUnder, { continue: 0.8, escalate: 0.4 })).toBe('continue');
    expect(judgeConfidence(0.7 - 2 ** -52, thresholds)).toBe('continue');
    const justOver = 0.1 + 0.2;
    expect(justOver).toBeGreaterThan(0.3);
    expect(judgeConfidence(0.3, { continue: justOver, escalate: 0 })).toBe('continue');
  });

  it('holds for composites that land on a threshold', () => {
    const at = (self: number, rules: number, heuristics: number) =>
      judgeConfidence(composeConfidence({ self, rules, heuristics }).composite, thresholds);
    expect(at(0.7, 0.7, 0.7)).toBe('continue');
    expect(at(0.8, 0.6, 0.6)).toBe('continue');
    expect(at(0.4, 0.4, 0.4)).toBe('retry');
    expect(at(0.2, 0.6, 0.6)).toBe('retry');
    expect(at(0.69, 0.69, 0.69)).toBe('retry');
    expect(at(0.39, 0.39, 0.39)).toBe('escalate');
  });

  it('follows thresholds that were configured', () => {
    expect(judgeConfidence(0.5, { continue: 0.5, escalate: 0.5 })).toBe('continue');
    expect(judgeConfidence(0.49, { continue: 0.5, escalate: 0.5 })).toBe('escalate');
  });
});
