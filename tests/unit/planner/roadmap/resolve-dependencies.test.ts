import { describe, expect, it } from 'vitest';
import type { PlanOutline } from '#contracts/planning/outline.ts';
import { defaultPolicy } from '#contracts/policy.ts';
import { fromSchema } from '#planner/agent/agent-tool.ts';
import { resolveDependencies } from '#planner/tools/resolve-dependencies.ts';
import { deskOf, flatOutline, node, outlineOf, phase, read, task, write } from './outlines.ts';

type More = Parameters<typeof deskOf>[1];

async function resolve(outline: PlanOutline, more: More = {}, input = {}) {
  const outcome = await resolveDependencies.run(input, deskOf(outline, more));
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

const change = (feedback: string): More => ({
  state: { change: { feedback, gate: 'roadmap' } },
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

  it('moves timing in words into precedence, and writes down why', async () => {
    const { nodes, after, adaptations } = await resolve(
      outlineOf([
        task('a', { title: 'Kick-off' }),
        task('b', { timing: 'two days after kickoff' }),
      ]),
    );
    expect(after).toEqual({ b: ['FS2880 a'] });
    expect(nodes.find(({ id }) => id === 'b')).not.toHaveProperty('timing');
    expect(adaptations).toEqual([
      { what: 'linked', node: 'a → b', introduced_by: 'system', why: '“two days after kickoff”' },
    ]);
  });

  it('takes a date in place of an order for what it is', async () => {
    const { nodes, after } = await resolve(
      outlineOf([
        task('a', { timing: 'on 5 March 2026 at 10:00' }),
        task('b', { timing: 'by 20 March 2026 at 18:00' }),
      ]),
    );
    expect(after).toEqual({});
    expect(nodes.find(({ id }) => id === 'a')?.not_before).toBe('2026-03-05T10:00:00+01:00');
    expect(nodes.find(({ id }) => id === 'b')?.deadline).toBe('2026-03-20T18:00:00+01:00');
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
        task('b', { title: 'Egg', timing: 'after the hen' }),
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

  describe('of words that fit two parts', () => {
    const outline = outlineOf([
      task('a', { title: 'Review the draft' }),
      task('b', { title: 'Review the budget' }),
      task('c', { title: 'Send it', timing: 'a day after the review' }),
    ]);

    it('asks a person, and goes on with what they answer', async () => {
      const asked = await resolve(outline);
      expect(asked.ends).toBe('needs_clarification');
      expect(asked.result.ok).toBe(false);
      expect(asked.changes?.pause).toMatchObject({ kind: 'questions', resume: 'DRAFT_ROADMAP' });
      expect(asked.changes?.questions_asked).toBe(1);
      expect(asked.changes?.result).toMatchObject({
        kind: 'question',
        questions: [
          'About “Send it”: “a day after the review” fits “Review the draft” (a) and “Review the budget” (b). Which one is meant?',
        ],
      });
      const offered = asked.changes?.offered ?? [];
      for (const answer of ['b', 'the budget', 'Review the budget.', 'a day after b']) {
        const next = await resolve(outline, { request: answer, state: { offered } });
        expect(next.after).toEqual({ c: ['FS1440 b'] });
        expect(next.changes?.offered).toEqual([]);
      }
    });

    it('asks nobody who wants no questions, and notes what does not hold', async () => {
      const policy = { ...defaultPolicy, probing_depth: 0 };
      const { ends, result, nodes, changes, violations } = await resolve(outline, { policy });
      expect(ends).toBeUndefined();
      expect(result.ok).toBe(true);
      expect(nodes.find(({ id }) => id === 'c')).not.toHaveProperty('timing');
      expect(changes?.outline?.assumptions).toEqual([
        '“Send it” does not wait: “a day after the review” could not be read.',
      ]);
      expect(violations).toMatchObject([{ code: 'unclear_order', blocking: false }]);
    });

    it('asks no more than is allowed', async () => {
      const twice = outlineOf([
        ...outline.nodes.slice(1),
        task('d', { timing: 'after the review' }),
        task('e', { timing: 'after the review' }),
      ]);
      const policy = { ...defaultPolicy, probing_depth: 2 };
      const { changes } = await resolve(twice, { policy });
      expect(changes?.result).toHaveProperty('questions.length', 2);
      const last = await resolve(twice, { policy, state: { questions_asked: 1 } });
      expect(last.changes?.result).toHaveProperty('questions.length', 1);
      const none = await resolve(twice, { policy, state: { questions_asked: 2 } });
      expect(none.ends).toBeUndefined();
    });
  });

  describe('with edges of a model', () => {
    const given = (edges: object[]) => ({
      edges: edges.map((one) => ({ type: 'FS', lag_minutes: 0, remove: false, ...one })),
    });

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

    it('shows every key as required, and takes a call without any', () => {
      const { parameters, check } = fromSchema(resolveDependencies.input);
      expect(parameters.required).toEqual(['edges']);
      expect(check({})).toEqual([]);
      expect(check({ edges: null })).toEqual([]);
      expect(check({ edges: [{ from: 'a' }] })).not.toEqual([]);
    });
  });

  describe('of a wish about the order', () => {
    const outline = outlineOf([
      task('a'),
      task('b', { after: ['a'] }),
      task('c', { after: ['b'] }),
    ]);

    it('turns an edge round', async () => {
      const { after, adaptations, changes } = await resolve(
        outlineOf([task('a'), task('b', { after: ['a'] })]),
        change('do part b before part a'),
      );
      expect(after).toEqual({ a: ['FS b'] });
      expect(adaptations?.every(({ introduced_by }) => introduced_by === 'user_feedback')).toBe(
        true,
      );
      expect(changes?.change).toBeNull();
    });

    it('lets parts run beside each other, steps included', async () => {
      const flat = outlineOf([
        node('1', { steps: [write('1')] }),
        node('2', { steps: [write('2', { after: ['1'] })], after: ['1'] }),
      ]);
      const { nodes } = await resolve(flat, change('steps 1 and 2 in parallel'));
      expect(nodes.at(-1)).toMatchObject({ after: [], steps: [{ id: '2' }] });
      expect(nodes.at(-1)?.steps[0]).not.toHaveProperty('after');
    });

    it('lets two parts change places once, though it is tried again', async () => {
      const first = await resolve(outline, change('swap a and c'));
      expect(first.after).toEqual({ a: ['FS b'], b: ['FS c'] });
      expect(first.changes?.change).toBeNull();
    });

    it('leaves to others what is not about parts', async () => {
      const { changes } = await resolve(outline, change('swap a and c; one after another'));
      expect(changes?.change).toEqual({ feedback: 'one after another', gate: 'roadmap' });
    });

    it('fails where a step needs what another gives', async () => {
      const bound = outlineOf([
        node('1', { title: 'Read it', steps: [read('1')] }),
        node('2', {
          title: 'Copy it',
          steps: [write('2', { args: { path: 'x', content: { $from: '1', path: '/content' } } })],
        }),
      ]);
      const { result } = await resolve(bound, change('Copy it before Read it'));
      expect(result.explanations[0]).toMatch(/“Copy it” waits for “Read it” for what it gives/);
    });

    it.each(['do the party before a', 'make it nicer'])(
      'asks about “%s”, and reads the answer as the wish',
      async (feedback) => {
        const asked = await resolve(outline, change(`${feedback}; one after another`));
        expect(asked.ends).toBe('needs_clarification');
        expect(asked.changes?.result).toMatchObject({ kind: 'question' });
        const offered = asked.changes?.offered ?? [];
        const next = await resolve(outline, { request: 'c before a', state: { offered } });
        expect(next.result.ok).toBe(false); // a → b → c was said
        const free = await resolve(outline, { request: 'swap a and c', state: { offered } });
        expect(free.after).toEqual({ a: ['FS b'], b: ['FS c'] });
        expect(free.changes).toMatchObject({
          offered: [],
          change: { feedback: 'one after another', gate: 'roadmap' },
        });
      },
    );
  });
});
