import { describe, expect, it } from 'vitest';
import { PatternType } from '#domain/planning/pattern.ts';
import {
  agreement,
  choosePattern,
  findPattern,
  findSubtype,
  scoreOutline,
  scoreRequest,
} from '#planner/patterns/match.ts';
import { patternRules } from '#planner/patterns/rules.ts';
import { outlineOf, sound } from '../grammar/outlines.ts';

describe('the pattern that a request speaks for', () => {
  it.each([
    [
      'Create notes/standup.md saying Standup at 9:30, then move it to archive/',
      'milestone_project',
    ],
    ['Delete every file in inbox', 'milestone_project'],
    ['Write strategy.md and transform data.csv', 'milestone_project'],
    ['Remind me every Monday at 9 to water the plants', 'recurring_cycle'],
    ['Set up a morning routine that I follow every day', 'recurring_cycle'],
    ['Remind me every Monday of the release', 'recurring_cycle'],
    ['Help me learn Spanish, 20 words a day', 'progressive_accumulation_arc'],
    ['Save up 3000 euros for a bicycle', 'progressive_accumulation_arc'],
    ['Run the website project with weekly reviews in sprints', 'hybrid_project_cycle'],
    ['Launch the project, and every Friday send a status to the board', 'hybrid_project_cycle'],
    ['Plan the digital transformation of the sales department', 'strategic_transformation'],
  ])('%s: %s', (request, pattern) => {
    expect(choosePattern(request).pattern_type).toBe(pattern);
  });

  it('comes with a subtype and a variant only where words say so', () => {
    expect(choosePattern('Do a weekly review every Friday')).toEqual({
      pattern_type: 'recurring_cycle',
      subtype: 'weekly_review',
      variant: 'fixed_days',
      introduced_by: 'system',
    });
    expect(choosePattern('Create a.txt')).toEqual({
      pattern_type: 'milestone_project',
      introduced_by: 'system',
    });
  });

  it('is scored for all five, best first, and no word speaks for any in an empty request', () => {
    expect(scoreRequest('')).toEqual(
      PatternType.options.map((pattern_type) => ({ pattern_type, score: 0 })),
    );
    expect(scoreRequest('every day, every week')[0]?.pattern_type).toBe('recurring_cycle');
  });

  it('agrees fully with the best, less with another, and doubts nothing where words say nothing', () => {
    const request = 'Water the plants every Monday';
    expect(agreement(request, 'recurring_cycle')).toBe(1);
    expect(agreement(request, 'strategic_transformation')).toBeCloseTo(0.4);
    expect(agreement('Create a.txt', 'strategic_transformation')).toBe(0.85);
  });
});

describe('the pattern that an outline follows', () => {
  it('is a project for phases of work that is done once', () => {
    expect(scoreOutline(outlineOf(sound))[0]).toEqual({
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
    const { needs, rhythms, below, top, depth, hints, subtypes, variants } = patternRules[type];
    expect(top.structures).toEqual(['goal']);
    expect(depth).toBeGreaterThanOrEqual(4);
    for (const need of needs) {
      if (need.axis === 'rhythm') expect(rhythms).toEqual(expect.arrayContaining(need.any));
      else expect(below).toEqual(expect.arrayContaining(need.any));
    }
    const words = [
      hints.strong,
      hints.weak,
      ...[subtypes, variants].flatMap((named) => Object.values(named).map((one) => one.hints)),
    ].flat();
    expect(words.filter((word) => word !== word.toLowerCase())).toEqual([]);
  });
});
