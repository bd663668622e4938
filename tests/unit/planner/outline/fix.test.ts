import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PlanOutline } from '#domain/planning/outline.ts';
import { applyFixes, suggestFixes } from '#planner/outline/fix.ts';
import { validateOutline } from '#planner/outline/validate-outline.ts';
import { rounds } from '../../../rounds.ts';
import { anyOutline, changed, outlineOf, type Sketch, sound } from './outlines.ts';

async function mend(outline: PlanOutline) {
  const fixes = await suggestFixes(outline, validateOutline(outline));
  return { fixes, ...applyFixes(outline, fixes) };
}

function mendSketch(sketches: Sketch[], pattern = {}) {
  return mend(outlineOf(sketches, pattern));
}

function stepsOf({ nodes }: PlanOutline): string[] {
  return nodes
    .flatMap(({ steps }) =>
      steps.map(({ description, args }) => `${description} ${JSON.stringify(args)}`),
    )
    .sort();
}

function shapeOf({ nodes }: PlanOutline): string[] {
  return nodes.map(({ id, parent, structure, after }) =>
    [`${structure} ${id} in ${parent}`, ...after.map(({ id: on }) => on)].join(' after '),
  );
}

const goal: Sketch = { id: 'g', structure: 'goal' };
const phaseIn = (id: string, parent: string): Sketch => ({ id, parent, structure: 'phase' });
const inGoal = (id: string, ...after: string[]): Sketch => ({
  ...{ id, parent: 'g', steps: [id] },
  ...(after.length === 0 ? {} : { after }),
});

describe('suggested fixes', () => {
  it('leave nothing that blocks and could be mended, lose no step, and fit the contract', async () => {
    await fc.assert(
      fc.asyncProperty(anyOutline, async (outline) => {
        const { outline: mended } = await mend(outline);
        const open = validateOutline(mended).filter(({ blocking }) => blocking);
        expect(await suggestFixes(mended, open)).toEqual([]);
        expect(stepsOf(mended)).toEqual(stepsOf(outline));
        expect(PlanOutline.parse(mended)).toEqual(mended);
      }),
      { numRuns: rounds(300) },
    );
  }, 60_000);

  it('leave only what no machine can settle', async () => {
    const settled = new Set<string>();
    await fc.assert(
      fc.asyncProperty(anyOutline, async (outline) => {
        const left = validateOutline((await mend(outline)).outline).filter(
          ({ blocking }) => blocking,
        );
        for (const { code } of left) settled.add(code);
      }),
      { numRuns: rounds(200) },
    );
    const beyond = ['no_work', 'cycle', 'unreachable', 'unknown_reference', 'pattern_mismatch'];
    expect([...settled].filter((code) => !beyond.includes(code))).toEqual([]);
  }, 60_000);

  it('of a sound outline are none, and applying none changes nothing', async () => {
    const outline = outlineOf(sound);
    expect(await mend(outline)).toEqual({ fixes: [], outline, adaptations: [] });
  });

  it('put a goal over phases that stand at level 1', async () => {
    const { outline, adaptations } = await mendSketch(
      sound.slice(1).map((node) => (node.parent === 'g' ? { ...node, parent: null } : node)),
    );
    expect(shapeOf(outline)).toEqual([
      'goal goal in null',
      'phase p in goal',
      'task 1 in p',
      'phase q in goal after p',
      'task 2 in q after 1',
    ]);
    expect(outline.nodes.map(({ level }) => level)).toEqual([1, 2, 3, 2, 3]);
    expect(adaptations[0]).toMatchObject({
      what: 'added',
      node: 'goal',
      introduced_by: 'ai_adaptation',
    });
  });

  it.each<[string, Sketch[], string[]]>([
    [
      'make a second goal a phase of the first',
      [...sound, { id: 'h', structure: 'goal' }, { id: '3', parent: 'h', steps: ['3'] }],
      ['phase h in g', 'task 3 in h'],
    ],
    [
      'leave alone what goes on behind a circle',
      [goal, inGoal('x', 'b'), inGoal('a', 'b'), inGoal('b', 'a')],
      ['task x in g after b'],
    ],
    [
      'keep the order around an empty phase that is left out',
      [
        ...[goal, phaseIn('p', 'g'), { id: '1', parent: 'p', steps: ['1'] }],
        { id: 'e', parent: 'g', structure: 'phase', after: ['p'] },
        { id: 'q', parent: 'g', structure: 'phase', after: ['e'] },
        { id: '2', parent: 'q', steps: ['2'] },
      ],
      ['phase q in g after p'],
    ],
    [
      'set what lies too deep beside what it was a part of, in the same order',
      [
        ...[goal, phaseIn('a', 'g'), phaseIn('b', 'a'), phaseIn('c', 'b')],
        { id: '0', parent: 'c', steps: ['0'] },
        { id: 'd', parent: 'c', structure: 'phase', after: ['0'] },
        { id: '1', parent: 'd', steps: ['1'] },
        { id: '2', parent: 'd', steps: ['2'] },
        { id: '3', parent: 'c', steps: ['3'], after: ['d'] },
      ],
      [
        'task 0 in c',
        'milestone d in c after 0 after 1 after 2',
        'task 1 in c after 0',
        'task 2 in c after 0',
        'task 3 in c after d',
      ],
    ],
    [
      'put the steps of a node with parts into a task of their own',
      changed('p', { steps: ['3'] }),
      ['task p-steps in p'],
    ],
  ])('%s', async (_, sketches, lines) => {
    const { outline } = await mendSketch(sketches);
    expect(shapeOf(outline)).toEqual(expect.arrayContaining(lines));
  });

  it('give later nodes and steps ids of their own', async () => {
    const { outline } = await mendSketch([...sound, { id: '1', parent: 'p', steps: ['1'] }]);
    const last = outline.nodes.at(-1);
    expect([last?.id, last?.steps[0]?.id]).toEqual(['1-2', '1-2']);
  });

  it('break a circle at one edge, and keep the rest of the order', async () => {
    const tasks = [inGoal('a', 'c'), inGoal('b', 'a'), inGoal('c', 'b'), inGoal('d', 'c')];
    const { outline, adaptations } = await mendSketch([goal, ...tasks]);
    expect(shapeOf(outline).slice(1)).toEqual([
      'task a in g',
      'task b in g after a',
      'task c in g after b',
      'task d in g after c',
    ]);
    expect(adaptations).toMatchObject([{ what: 'unlinked', node: 'c → a' }]);
  });

  it('add the lags of both edges when what stood between is left out', async () => {
    const outline = outlineOf([...sound, { id: 'e', parent: 'g', structure: 'phase' }]);
    const nodes = outline.nodes.map((node) => {
      if (node.id === 'e')
        return { ...node, after: [{ id: 'p', type: 'FS' as const, lag_minutes: 30 }] };
      if (node.id !== 'q') return node;
      return { ...node, after: [{ id: 'e', type: 'FF' as const, lag_minutes: 12 }] };
    });
    const { outline: mended } = await mend({ ...outline, nodes });
    expect(mended.nodes.find(({ id }) => id === 'q')?.after).toEqual([
      { id: 'p', type: 'FF', lag_minutes: 42 },
    ]);
  });

  it.each<[string, Sketch[], object, string]>([
    [
      'nobody does something',
      [...sound, { id: '3', parent: 'p', title: 'Ask the neighbours' }],
      { id: '3', structure: 'milestone' },
      'Nothing in this plan does “Ask the neighbours”: it has no step.',
    ],
    [
      'something happens once, for nobody said how often',
      changed('1', { title: 'Water the plants', rhythm: 'recurring' }),
      { id: '1', rhythm: 'one_off' },
      '“Water the plants” happens once: when it repeats was not said.',
    ],
  ])('say on the card that %s', async (_, sketches, node, assumption) => {
    const { outline } = await mendSketch(sketches, { pattern_type: 'milestone_project' });
    expect(outline.nodes).toContainEqual(expect.objectContaining(node));
    expect(outline.assumptions).toEqual([assumption]);
  });

  it('choose the pattern that an outline follows, and the subtype falls with the pattern', async () => {
    const { outline, adaptations } = await mendSketch(sound, {
      pattern_type: 'recurring_cycle',
      subtype: 'weekly_review',
      confidence: 0.9,
    });
    expect(outline.pattern).toEqual({
      pattern_type: 'milestone_project',
      introduced_by: 'ai_adaptation',
      confidence: 0.9,
    });
    expect(adaptations).toMatchObject([{ what: 'changed', node: 'pattern' }]);
  });

  it('take a flat plan in which nothing comes again for a project', async () => {
    const cycle = { pattern_type: 'recurring_cycle', confidence: 0.9 };
    const { outline } = await mendSketch([goal, inGoal('1')], cycle);
    expect(outline.pattern.pattern_type).toBe('milestone_project');
  });

  it('never overrule the pattern that a person chose', async () => {
    const pattern = { pattern_type: 'recurring_cycle', introduced_by: 'user_feedback' } as const;
    expect((await mendSketch(sound, pattern)).fixes).toEqual([]);
  });

  it('close each phase of a transformation with a milestone', async () => {
    const { outline } = await mendSketch(sound, {
      pattern_type: 'strategic_transformation',
      introduced_by: 'user_feedback',
    });
    expect(shapeOf(outline).filter((line) => line.startsWith('milestone'))).toEqual([
      'milestone p-done in p after 1',
      'milestone q-done in q after 2',
    ]);
  });

  it('mend a ring of 4,999 tasks and as many orphans without getting lost', async () => {
    const ring = Array.from({ length: 4999 }, (_, index): Sketch => {
      const after = [String((index + 4998) % 4999)];
      return { id: String(index), parent: 'nowhere', steps: [String(index)], after };
    });
    const { outline, fixes } = await mendSketch([goal, ...ring]);
    expect(validateOutline(outline)).toEqual([]);
    expect(fixes).toHaveLength(5000);
  }, 60_000);
});
