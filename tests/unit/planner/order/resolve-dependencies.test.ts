import { describe, expect, it } from 'vitest';
import type { PlanOutline } from '#domain/planning/outline.ts';
import { resolveDependencies } from '#planner/tools/resolve-dependencies.ts';
import { deskOf, flatOutline, node, outlineOf, phase, read, task, write } from './outlines.ts';

type More = Parameters<typeof deskOf>[1];

async function resolve(outline: PlanOutline, more: More = {}, input = {}) {
  const outcome = await resolveDependencies.execute(input, deskOf(outline, more));
  const nodes = (outcome.changes?.outline ?? outline).nodes;
  return {
    ...outcome,
    after: Object.fromEntries(
      nodes.flatMap(({ id, after }) =>
        after.length === 0
          ? []
          : [[id, after.map((one) => `${one.type}${one.lag_minutes || ''} ${one.id}`)]],
      ),
    ),
    nodes,
  };
}

const given = (edges: object[]) => ({
  edges: edges.map((one) => ({ type: 'FS', lag_minutes: 0, remove: false, ...one })),
});

describe('resolve_dependencies', () => {
  it('changes nothing of a plain plan', async () => {
    const outline = flatOutline({
      title: 'Plain',
      steps: [write('1'), write('2', { after: ['1'] }), write('3')],
    });
    const { result, changes, adaptations } = await resolve(outline);
    expect(result.ok).toBe(true);
    expect(changes).toEqual({});
    expect(adaptations).toEqual([]);
  });

  it('takes titles for ids, and takes out what waits for itself or its whole', async () => {
    const { after, result } = await resolve(
      outlineOf([
        phase('p'),
        task('a', { title: 'Write it' }),
        task('b', { parent: 'p', after: ['Write it', 'b', 'p'] }),
      ]),
    );
    expect(result.ok).toBe(true);
    expect(after).toEqual({ b: ['FS a'] });
  });

  it('fails with the names of those that wait for each other', async () => {
    const { result, violations, changes } = await resolve(
      outlineOf([
        task('a', { title: 'Hen', after: ['b'] }),
        task('b', { title: 'Egg', after: ['a'] }),
      ]),
    );
    expect(result).toMatchObject({ ok: false, confidence: 0 });
    expect(result.explanations[0]).toMatch(/“Hen” waits for “Egg” as was said/);
    expect(result.explanations[0]).toMatch(/“Egg” waits for “Hen” as was said/);
    expect(violations).toMatchObject([{ code: 'cycle', blocking: true }]);
    expect(changes).toBeUndefined();
  });

  it('fails for a part that is not there', async () => {
    const { result } = await resolve(outlineOf([task('a', { after: ['the moon landing'] })]));
    expect(result.ok).toBe(false);
    expect(result.explanations[0]).toMatch(/no part of the plan/);
  });

  describe('with edges of a model', () => {
    it('adds and takes away', async () => {
      const { after, adaptations } = await resolve(
        outlineOf([task('a'), task('b', { after: ['a'] }), task('c')]),
        {},
        given([
          { from: 'a', to: 'b', remove: true },
          { from: 'Part b', to: 'c', type: 'SS', lag_minutes: 30 },
        ]),
      );
      expect(after).toEqual({ c: ['SS30 b'] });
      expect(adaptations?.map(({ what, introduced_by }) => `${what} ${introduced_by}`)).toEqual([
        'unlinked ai_adaptation',
        'linked ai_adaptation',
      ]);
    });

    it('refuses nodes that are not there, so that the model can mend it', async () => {
      const { result, changes } = await resolve(
        outlineOf([task('a')]),
        {},
        given([{ from: 'a', to: 'zz' }]),
      );
      expect(result).toMatchObject({ ok: false, explanations: ['There is no node “zz”.'] });
      expect(changes).toBeUndefined();
    });

    it('takes a call without any argument', () => {
      const { prepare } = resolveDependencies;
      expect(prepare({})).toHaveProperty('input');
      expect(prepare({ edges: null })).toHaveProperty('input');
      expect(prepare({ edges: [{ from: 'a' }] })).toHaveProperty('problems');
    });
  });

  it('turns an edge round, on the word of the person who asked for it', async () => {
    const { after, adaptations } = await resolve(
      outlineOf([task('a'), task('b', { after: ['a'] })]),
      { state: { change: { feedback: 'as the model read it', gate: 'roadmap' } } },
      given([{ from: 'b', to: 'a' }]),
    );
    expect(after).toEqual({ a: ['FS b'] });
    expect(adaptations?.map(({ introduced_by }) => introduced_by)).toEqual([
      'user_feedback',
      'user_feedback',
    ]);
  });

  it('lets nodes run beside each other, steps included', async () => {
    const flat = outlineOf([
      node('1', { steps: [write('1')] }),
      node('2', { steps: [write('2', { after: ['1'] })], after: ['1'] }),
    ]);
    const { nodes } = await resolve(flat, {}, given([{ from: '1', to: '2', remove: true }]));
    expect(nodes.at(-1)).toMatchObject({ after: [], steps: [{ id: '2' }] });
    expect(nodes.at(-1)?.steps[0]).not.toHaveProperty('after');
  });

  it('fails where a step needs what another gives', async () => {
    const bound = outlineOf([
      node('1', { title: 'Read it', steps: [read('1')] }),
      node('2', {
        title: 'Copy it',
        steps: [write('2', { args: { path: 'x', content: { $from: '1', path: '/content' } } })],
      }),
    ]);
    const { result } = await resolve(bound, {}, given([{ from: '2', to: '1' }]));
    expect(result.explanations[0]).toMatch(/“Copy it” waits for “Read it” for what it gives/);
  });

  it('reads no words: feedback alone changes nothing', async () => {
    const outline = outlineOf([task('a'), task('b', { after: ['a'] })]);
    const change = { feedback: 'do b before a', gate: 'roadmap' as const };
    const { changes, ends } = await resolve(outline, { request: 'b first', state: { change } });
    expect(changes).toEqual({});
    expect(ends).toBeUndefined();
  });
});
