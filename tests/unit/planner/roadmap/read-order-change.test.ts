import { describe, expect, it } from 'vitest';
import { createNodeFinder } from '#planner/roadmap/find-node.ts';
import { indexOutline } from '#planner/roadmap/outline-index.ts';
import { type OrderChange, readOrderChange } from '#planner/roadmap/read-order-change.ts';
import { node, outlineOf, sayEdges } from './outlines.ts';

const outline = outlineOf([
  node('1', { title: 'Write the report' }),
  node('2', { title: 'Collect the figures' }),
  node('3', { title: 'Ask Ana' }),
  node('4', { title: 'Post the report' }),
]);
const finder = createNodeFinder(indexOutline(outline));

function say(change: OrderChange): string {
  switch (change.kind) {
    case 'link':
      return sayEdges(change.links).join(', ');
    case 'unlink':
      return `free ${change.nodes.join(' ')}`;
    case 'free':
      return `${change.node} without ${change.from.join(' ')}`;
    case 'swap':
      return `swap ${change.nodes.join(' ')}`;
    default:
      return change satisfies never;
  }
}

function read(feedback: string) {
  const { changes, rest, unclear } = readOrderChange(feedback, finder);
  return { changes: changes.map(say), rest, unclear };
}

describe('a wish about the order', () => {
  it.each([
    ['do step 2 before step 1', '2 → 1'],
    ['please collect the figures before writing the report', '2 → 1'],
    ['Ask Ana should come after posting the report', '4 → 3'],
    ['run step 4 two days after step 1', '1 FS+2880 → 4'],
    ['Ask Ana must start together with step 2', '2 SS → 3'],
    ['let step 4 wait for Ask Ana', '3 → 4'],
    ['step 4 should only run after 3', '3 → 4'],
    ['move Ask Ana behind step 4', '4 → 3'],
    ['Ask Ana first', '3 → 1, 3 → 2, 3 → 4'],
    ['start with step 3', '3 → 1, 3 → 2, 3 → 4'],
    ['first ask Ana', '3 → 1, 3 → 2, 3 → 4'],
    ['move step 1 to the end', '2 → 1, 3 → 1, 4 → 1'],
    ['Ask Ana last', '1 → 3, 2 → 3, 4 → 3'],
    ['finish with step 3', '1 → 3, 2 → 3, 4 → 3'],
    ['steps 1 and 2 in parallel', 'free 1 2'],
    ['run step 1 and step 2 at the same time', 'free 1 2'],
    ['step 1 can run in parallel with step 2', 'free 1 2'],
    ['swap steps 1 and 2', 'swap 1 2'],
    ['switch Ask Ana with step 1', 'swap 3 1'],
    ["step 4 doesn't have to wait for Ask Ana", '4 without 3'],
    ['step 4 must not wait until steps 1 and 2 are done', '4 without 1 2'],
  ])('“%s” is %s', (feedback, change) => {
    expect(read(feedback)).toEqual({ changes: [change], rest: [], unclear: [] });
  });

  it('is read clause by clause, and the rest is left for others', () => {
    expect(read('swap 1 and 2; be more careful. Ask Ana last')).toEqual({
      changes: ['swap 1 2', '1 → 3, 2 → 3, 4 → 3'],
      rest: ['be more careful'],
      unclear: [],
    });
  });

  it('becomes a question where its parts cannot be told', () => {
    expect(read('do the report before Ask Ana').unclear[0]).toMatch(
      /“the report” fits “Write the report” \(1\) and “Post the report” \(4\)/,
    );
    expect(read('swap step 1 and the parade').unclear[0]).toMatch(/the parade/);
    expect(read('swap steps 1, 2 and 3').unclear[0]).toMatch(/two parts/);
    expect(read('step 9 last').unclear[0]).toMatch(/step 9/);
  });

  it('is read past a long run of blanks', () => {
    expect(read(`swap 1${' '.repeat(4000)}and\t\t2`).changes).toEqual(['swap 1 2']);
  });

  it('does not take a wish about everything for one about a part', () => {
    expect(read('run everything in parallel')).toEqual({
      changes: [],
      rest: ['run everything in parallel'],
      unclear: [],
    });
    expect(read('one after another').changes).toEqual([]);
  });
});
