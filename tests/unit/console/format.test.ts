import { describe, expect, it } from 'vitest';
import {
  formatDuration,
  formatJson,
  wrapText,
} from '../../../adapters/console/page/plan/format.ts';
import { drawPath } from '../../../adapters/console/page/plan/graph-shape.ts';
import { shareCounts } from '../../../adapters/console/page/plan/statuses.ts';
import { makeFacts } from '../../fixtures/plans.ts';

const noSteps = makeFacts({}, []).plan.counts;

describe('what the page writes', () => {
  it.each([
    [false, 'false'],
    ['false', '"false"'],
    [1, '1'],
    ['1', '"1"'],
    ['[]', '"[]"'],
    ['plain', 'plain'],
  ])('the output %j is %s', (output, words) => {
    expect(formatJson(output)).toBe(words);
  });

  it.each([
    [13, '13 ms'],
    [1000, '1 s'],
    [3620, '3.6 s'],
    [42_000, '42 s'],
    [90_000, '1 min 30 s'],
    [7_800_000, '2 h 10 min'],
  ])('%i ms is %s', (ms, words) => {
    expect(formatDuration(ms)).toBe(words);
  });

  it('breaks text between words and paths after a slash, and says that it was cut', () => {
    expect(wrapText('Join the drafts into newsletter/spring.md', 27, 2)).toEqual([
      'Join the drafts into',
      'newsletter/spring.md',
    ]);
    expect(wrapText('published/somewhere/else/far.md', 27, 2)).toEqual([
      'published/somewhere/else/',
      'far.md',
    ]);
    expect(wrapText('one two three four', 9, 1)).toEqual(['one two…']);
    expect(wrapText('', 9, 2)).toEqual([]);
  });

  it('divides the progress bar among the statuses that occur', () => {
    const shares = shareCounts({ ...noSteps, succeeded: 3, pending: 1 });
    expect(shares).toEqual([
      { status: 'succeeded', count: 3, from: 0, width: 75 },
      { status: 'pending', count: 1, from: 75, width: 25 },
    ]);
    expect(shareCounts(noSteps)).toEqual([]);
  });

  it('draws an edge through its corners without leaving its ends', () => {
    const path = drawPath([
      { x: 0, y: 0 },
      { x: 0, y: 20 },
      { x: 30, y: 20 },
    ]);
    expect(path).toBe('M0,0L0,12Q0,20 8,20L30,20');
    expect(drawPath([])).toBe('');
  });
});
