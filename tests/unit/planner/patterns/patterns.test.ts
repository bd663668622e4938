import { describe, expect, it } from 'vitest';
import { PatternType } from '#domain/plan/pattern.ts';
import type { Rhythm } from '#domain/planning/outline.ts';
import { type Features, patternOf, rankPatterns, readFeatures } from '#planner/patterns/fit.ts';
import { findPattern, findSubtype } from '#planner/patterns/read-pattern.ts';
import { patternRules } from '#planner/patterns/rules.ts';
import { outlineOf, sound } from '../outline/outlines.ts';

describe('the pattern that fits the shape of the work', () => {
  const work = (phase: number, ...rhythms: Rhythm[]): Features => ({
    structures: { goal: 1, phase, milestone: 0, task: 2, checkpoint: phase },
    rhythms: new Set(rhythms),
    flat: phase === 0,
  });

  it.each([
    ['work that is done once', work(0, 'one_off'), 'milestone_project'],
    ['work in phases', work(2, 'one_off'), 'milestone_project'],
    ['work that comes again', work(0, 'recurring'), 'recurring_cycle'],
    ['work that adds up', work(0, 'cumulative'), 'progressive_accumulation_arc'],
    ['phases that come again', work(2, 'recurring'), 'recurring_cycle'],
  ] as const)('%s: %s', (_, features, pattern) => {
    expect(patternOf(features)).toEqual({ pattern_type: pattern, introduced_by: 'system' });
  });

  it('is a project for an outline of phases that are done once', () => {
    expect(rankPatterns(readFeatures(outlineOf(sound)))[0]).toEqual({
      pattern_type: 'milestone_project',
      score: 1,
    });
  });
});

describe('names that are nearly right', () => {
  it.each([
    ['milestone_project', 'milestone_project'],
    ['Milestone Project', 'milestone_project'],
    ['recuring-cycle', 'recurring_cycle'],
    ['hybrid project', 'hybrid_project_cycle'],
    ['strategic', 'strategic_transformation'],
    ['waterfall', null],
    ['', null],
    ['x'.repeat(100_000), null],
  ])('%s: %s', (name, pattern) => {
    expect(findPattern(name)).toBe(pattern);
  });

  it('are found among the subtypes of the pattern only', () => {
    expect(findSubtype('recurring_cycle', 'Weekly Reviews')).toBe('weekly_review');
    expect(findSubtype('milestone_project', 'weekly_review')).toBe(null);
  });
});

describe('the rules of each pattern', () => {
  it.each(PatternType.options)('%s can be met: what it needs, it allows', (type) => {
    const { needs, rhythms, below, top, depth } = patternRules[type];
    expect(top.structures).toEqual(['goal']);
    expect(depth).toBeGreaterThanOrEqual(4);
    for (const need of needs) {
      if (need.axis === 'rhythm') expect(rhythms).toEqual(expect.arrayContaining(need.any));
      else expect(below).toEqual(expect.arrayContaining(need.any));
    }
  });
});
