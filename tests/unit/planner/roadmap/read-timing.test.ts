import { describe, expect, it } from 'vitest';
import { createNodeFinder } from '#planner/roadmap/find-node.ts';
import { indexOutline } from '#planner/roadmap/outline-index.ts';
import { readTiming } from '#planner/roadmap/read-timing.ts';
import { node, outlineOf, phase, sayEdges } from './outlines.ts';

const outline = outlineOf([
  phase('p1', { title: 'Design' }),
  phase('p2', { title: 'Build' }),
  node('1', { title: 'Kick-off meeting', parent: 'p1' }),
  node('2', { title: 'Review the draft', parent: 'p1' }),
  node('3', { title: 'Write the budget', parent: 'p2' }),
  node('4', { title: 'Review the budget', parent: 'p2' }),
  node('5', { title: 'Launch party' }),
  node('6', { title: 'Send invitations' }),
  node('7', { title: 'Plan and test the backup', parent: 'p2' }),
  node('8', { title: 'Sign off', parent: 'p1' }),
  node('9', { title: 'Sign off', parent: 'p2' }),
]);
const finder = createNodeFinder(indexOutline(outline));

function read(words: string, subject = '6') {
  const place = finder.index.places.get(subject) ?? -1;
  const reading = readTiming(words, place, finder);
  return reading.kind === 'read' ? sayEdges(reading.links) : reading.text;
}

describe('words about order', () => {
  it.each([
    ['after the kick-off meeting', '1 → 6'],
    ['two days after kickoff', '1 FS+2880 → 6'],
    ['right after step 4', '4 → 6'],
    ['only after step 4', '4 → 6'],
    ['once Design is complete', 'p1 → 6'],
    ['as soon as the launch party is over', '5 → 6'],
    ['depends on the budget review', '4 → 6'],
    ['must wait for #3', '3 → 6'],
    ['after phase 2', 'p2 → 6'],
    ['after the second phase', 'p2 → 6'],
    ['the day after the kickoff', '1 FS+1440 → 6'],
    ['a day and a half after Design starts', 'p1 SS+2160 → 6'],
    ['1h30 after the end of Design', 'p1 FS+90 → 6'],
    ['1.5 hours after 3', '3 FS+90 → 6'],
    ['twenty-five minutes after 3', '3 FS+25 → 6'],
    ['2 hours 30 minutes after 3', '3 FS+150 → 6'],
    ['no earlier than 2 days after Design', 'p1 FS+2880 → 6'],
    ['cannot start earlier than two hours after 3 starts', '3 SS+120 → 6'],
    ['two hours into Build', 'p2 SS+120 → 6'],
    ['start together with step 3', '3 SS → 6'],
    ['starts with step 3', '3 SS → 6'],
    ['in parallel with Build', 'p2 SS → 6'],
    ['while Build runs', 'p2 SS → 6'],
    ['finish together with step 4', '4 FF → 6'],
    ['ends 1 hour after step 3 starts', '3 SF+60 → 6'],
    ['finishes a day after Build ends', 'p2 FF+1440 → 6'],
  ])('“%s” waits: %s', (words, edge) => {
    expect(read(words)).toEqual([edge]);
  });

  it.each([
    ['before the launch party', '6 → 5'],
    ['a week before the launch party', '6 FS+10080 → 5'],
    ['by the launch party', '6 → 5'],
    ['no later than the launch party', '6 → 5'],
    ['must finish before Design ends', '6 FF → p1'],
    ['must finish two days before Design ends', '6 FF+2880 → p1'],
    ['must start before Design ends', '6 SF → p1'],
    ['must start 30 minutes before the launch party ends', '6 SF+30 → 5'],
    ['starts a week before the launch party', '6 SS+10080 → 5'],
    ['must start before Build starts', '6 SS → p2'],
    ['is needed for Build', '6 → p2'],
  ])('“%s” makes the other wait: %s', (words, edge) => {
    expect(read(words)).toEqual([edge]);
  });

  it.each([
    ['30 minutes before the launch party ends', '5 FS-30 → 6'],
    ['cannot end before Build starts', 'p2 SF → 6'],
    ['cannot end before Build ends', 'p2 FF → 6'],
    ['cannot start before step 3 starts', '3 SS → 6'],
    ['must not start before Build', 'p2 → 6'],
    ['not before Build', 'p2 → 6'],
    ['not until the kickoff is done', '1 → 6'],
    ['cannot start two days before Build ends', 'p2 FS-2880 → 6'],
  ])('“%s” bounds the beginning from below: %s', (words, edge) => {
    expect(read(words)).toEqual([edge]);
  });

  it('takes several parts, and several demands', () => {
    expect(read('once steps 2 and 3 are done')).toEqual(['2 → 6', '3 → 6']);
    expect(read('after steps 2-4')).toEqual(['2 → 6', '3 → 6', '4 → 6']);
    expect(read('after Design, Build and the launch party')).toEqual(['p1 → 6', 'p2 → 6', '5 → 6']);
    expect(read('two days after Design and before the launch party')).toEqual([
      'p1 FS+2880 → 6',
      '6 → 5',
    ]);
    expect(read('after Plan and test the backup')).toEqual(['7 → 6']);
  });

  it('knows the place of a part among those beside it', () => {
    expect(read('right after', '2')).toEqual(['1 → 2']);
    expect(read('then', '2')).toEqual(['1 → 2']);
    expect(read('two days later', '2')).toEqual(['1 FS+2880 → 2']);
    expect(read('after the previous step', '4')).toEqual(['3 → 4']);
    expect(read('last', '2')).toEqual(['1 → 2', '8 → 2']);
    expect(read('before everything else', '1')).toEqual(['1 → 2', '1 → 8']);
    expect(read('any time')).toEqual([]);
    expect(read('then', 'p1')).toMatch(/nothing stands before/);
  });

  it('asks which part is meant when the words fit several or none', () => {
    expect(read('after the review')).toBe(
      '“after the review” fits “Review the draft” (2) and “Review the budget” (4). Which one is meant?',
    );
    expect(read('after the moon landing')).toMatch(/names no other part of the plan/);
    expect(read('after Sign off')).toMatch(/“Sign off” \(8\) and “Sign off” \(9\)/);
  });

  it('takes the part beside the one that speaks where two have the very same title', () => {
    expect(read('after Sign off', '3')).toEqual(['9 → 3']);
  });

  it('never means the part that speaks, what it is in, or its parts', () => {
    expect(read('after the review', '4')).toEqual(['2 → 4']);
    expect(read('after Build', '3')).toMatch(/names no other part/);
    expect(read('after step 6')).toMatch(/names no other part/);
  });

  it('reads over a slip, and not over two different words', () => {
    expect(read('after the lauch party')).toEqual(['5 → 6']);
    expect(read('after the lunch breaks')).toMatch(/names no other part/);
  });

  it('says what it cannot hold', () => {
    expect(read('at most two days after kickoff')).toMatch(/sets a latest time/);
    expect(read('within two days of kickoff')).toMatch(/sets a latest time/);
    expect(read('two working days after kickoff')).toMatch(/counts working days/);
    expect(read('13 months after kickoff')).toMatch(/longer than a year/);
    expect(read('sometime around noon')).toMatch(/says no order I can read/);
    expect(read('')).toMatch(/says no order/);
  });

  it('takes a wait of a year, the longest there is', () => {
    expect(read('a year after kickoff')).toEqual(['1 FS+525600 → 6']);
  });
});
