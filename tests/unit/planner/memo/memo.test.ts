import { describe, expect, it } from 'vitest';
import { memoKey } from '#planner/memo/memo.ts';

const parts = {
  kind: 'build_roadmap',
  version: 1,
  inputs: { edges: [{ from: 'a', to: 'b' }], preference: null },
  policy: { talkativeness: 0.5 },
  scope: { runId: 'run_1', turn: 1 },
};

describe('the key of a result', () => {
  it('is a SHA-256 that the order of keys, and keys without a value, do not change', () => {
    expect(memoKey(parts)).toMatch(/^[0-9a-f]{64}$/);
    const turned = {
      scope: { turn: 1, runId: 'run_1', never: undefined },
      policy: { talkativeness: 0.5 },
      inputs: { preference: null, edges: [{ to: 'b', from: 'a' }] },
      version: 1,
      kind: 'build_roadmap',
    };
    expect(memoKey(turned)).toBe(memoKey(parts));
  });

  it.each([
    ['the kind', { kind: 'build_outline' }],
    ['the revision', { version: 2 }],
    ['a revision that is a name', { version: '1' }],
    ['an input', { inputs: { edges: [], preference: null } }],
    ['the order of a list', { inputs: { edges: ['b', 'a'] } }],
    ['the policy', { policy: { talkativeness: 0.6 } }],
    ['the scope', { scope: { runId: 'run_1', turn: 2 } }],
  ])('changes with %s', (_, change) => {
    expect(memoKey({ ...parts, ...change })).not.toBe(memoKey(parts));
  });

  it('tells apart parts that would read the same side by side', () => {
    expect(memoKey({ ...parts, kind: 'a', version: 'bc' })).not.toBe(
      memoKey({ ...parts, kind: 'ab', version: 'c' }),
    );
  });
});
