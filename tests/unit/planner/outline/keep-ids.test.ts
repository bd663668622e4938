import { describe, expect, it } from 'vitest';
import { compareOutlines } from '#planner/outline/compare-outlines.ts';
import { keepIds } from '#planner/outline/keep-ids.ts';
import { nodeOf, type Sketch, stepOf } from './outlines.ts';

const write = (path: string) => ({ tool: 'workspace', operation: 'write', args: { path } });
const previous: Sketch[] = [
  { id: 'g', structure: 'goal' },
  { id: '1', parent: 'g', title: 'Write a', steps: [stepOf('1', write('a'))] },
  { id: '2', parent: 'g', title: 'Write b', after: ['1'], steps: [stepOf('2', write('b'))] },
];
const keep = (next: Sketch[]) => keepIds(previous.map(nodeOf), next.map(nodeOf));

describe('ids over drafts', () => {
  it('stay as they are when nothing is numbered anew', () => {
    expect(keep(previous)).toEqual(previous.map(nodeOf));
  });

  it('come back to what did not change, with every reference to it', () => {
    const next = keep([
      { id: 'g', structure: 'goal' },
      { id: '1', parent: 'g', title: 'Write new', steps: [stepOf('1', write('new'))] },
      { id: '2', parent: 'g', title: 'Write a', after: ['1'], steps: [stepOf('2', write('a'))] },
      {
        id: '3',
        parent: 'g',
        title: 'Write b again',
        after: ['2'],
        steps: [
          stepOf('3', { ...write('b'), after: ['2'] }),
          stepOf('4', { args: { value: { $from: '2', path: '/text' } } }),
        ],
      },
    ]);
    expect(next.map(({ id }) => id)).toEqual(['g', '1-2', '1', '3']);
    expect(next[2]?.after.map(({ id }) => id)).toEqual(['1-2']);
    expect(next[3]?.after.map(({ id }) => id)).toEqual(['1']);
    const [b, reader] = next[3]?.steps ?? [];
    expect(b).toMatchObject({ id: '2', after: [{ id: '1' }] });
    expect(reader?.args).toEqual({ value: { $from: '1', path: '/text' } });
  });

  it('of a node whose work changed under its old id stay', () => {
    const [, , second] = keep([
      ...previous.slice(0, 2),
      { id: '2', parent: 'g', title: 'Write c', after: ['1'], steps: [stepOf('2', write('c'))] },
    ]);
    expect(second?.id).toBe('2');
  });
});

describe('what a new outline changes', () => {
  it('is told node by node and edge by edge, with who wanted it and why', () => {
    const next: Sketch[] = [
      { id: 'g', structure: 'goal' },
      { id: '2', parent: '3', title: 'Write b', after: ['3'], steps: [stepOf('2', write('b'))] },
      { id: '3', parent: 'g', title: 'Ask', steps: [stepOf('3')] },
    ];
    const reason = { introduced_by: 'user_feedback', why: 'ask before b' } as const;
    const found = compareOutlines(previous.map(nodeOf), next.map(nodeOf), reason);
    expect(found.map(({ what, node }) => `${what} ${node}`)).toEqual([
      'removed 1',
      'moved 2',
      'unlinked 1 → 2',
      'linked 3 → 2',
      'added 3',
    ]);
    expect(found[0]).toMatchObject(reason);
  });

  it('is nothing when nothing changed', () => {
    const nodes = previous.map(nodeOf);
    expect(compareOutlines(nodes, nodes, { introduced_by: 'system', why: 'x' })).toEqual([]);
  });

  it('is cut off with the number of what is left', () => {
    const many = Array.from({ length: 250 }, (_, index) => nodeOf({ id: `n${index}` }));
    const found = compareOutlines([], many, { introduced_by: 'system', why: 'x' });
    expect(found).toHaveLength(201);
    expect(found.at(-1)?.node).toBe('and 50 more changes');
  });
});
