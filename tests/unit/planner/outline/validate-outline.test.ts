import { describe, expect, it } from 'vitest';
import { PatternType } from '#domain/plan/pattern.ts';
import { scoreRules, validateOutline } from '#planner/outline/validate-outline.ts';
import { runInTurn } from '../../../setup/watch-loop.ts';
import { changed, nodeOf, outlineOf, type Sketch, sound, stepOf } from './outlines.ts';

const weekly = {
  rrule: 'FREQ=WEEKLY',
  starts_at: '2026-05-04T09:00:00Z',
  timezone: 'UTC',
  until: null,
};

function codesOf(sketches: Sketch[], pattern = {}): string[] {
  return validateOutline(outlineOf(sketches, pattern)).map(({ code, node }) => `${code} ${node}`);
}

describe('the structure axis', () => {
  it('finds nothing in a sound outline of two phases', () => {
    expect(codesOf(sound)).toEqual([]);
  });

  it('finds nothing in a flat plan, whichever pattern its words made somebody guess', () => {
    const flat = [
      { id: 'g', structure: 'goal' as const },
      { id: '1', parent: 'g', steps: ['1'] },
    ];
    for (const pattern_type of PatternType.options)
      expect(codesOf(flat, { pattern_type })).toEqual([]);
  });

  it.each<[string, Sketch[], string[]]>([
    [
      'an outline in which nothing does anything',
      [{ id: 'g', structure: 'goal' }],
      ['no_work null'],
    ],
    ['no outline at all', [], ['no_work null']],
    ['a task at level 1', [{ id: '1', steps: ['1'] }], ['l1_structure 1']],
    [
      'a second goal',
      [...sound, { id: 'h', structure: 'goal' }, { id: '3', parent: 'h', steps: ['3'] }],
      ['l1_structure h'],
    ],
    [
      'a parent that does not exist',
      changed('2', { parent: 'nowhere' }),
      ['orphan 2', 'empty_phase q'],
    ],
    [
      'nodes that are parts of each other',
      [...sound, { id: 'a', parent: 'b' }, { id: 'b', parent: 'a', steps: ['a'] }],
      ['unreachable a'],
    ],
    [
      'two nodes of one id',
      [...sound, { id: '1', parent: 'p', steps: ['3'] }],
      ['duplicate_node 1'],
    ],
    ['two steps of one id', changed('2', { steps: ['1'] }), ['duplicate_step 2']],
    [
      'a phase under a task',
      changed('q', { parent: '1', after: [] }),
      ['misplaced_steps 1', 'structure_mismatch q', 'cycle 1'],
    ],
    ['parts of a checkpoint', changed('p', { structure: 'checkpoint' }), ['structure_mismatch p']],
    [
      'a phase with steps',
      [...sound, { id: 'r', parent: 'g', structure: 'phase', steps: ['3'] }],
      ['misplaced_steps r'],
    ],
    [
      'a phase in which nothing is done',
      [...sound, { id: 'r', parent: 'g', structure: 'phase' }],
      ['empty_phase r'],
    ],
    ['a task without a step', [...sound, { id: '3', parent: 'p' }], ['leaf_without_work 3']],
    [
      'an empty phase once, and not each empty part of it',
      [...sound, { id: 'r', parent: 'g', structure: 'phase' }, { id: '3', parent: 'r' }],
      ['empty_phase r'],
    ],
  ])('finds %s', (_, sketches, codes) => {
    expect(codesOf(sketches)).toEqual(codes);
  });

  it('lets a milestone stand without work', () => {
    expect(codesOf([...sound, { id: 'm', parent: 'p', structure: 'milestone' }])).toEqual([]);
  });

  it('finds a level that is not the depth', () => {
    const outline = outlineOf(sound);
    const nodes = outline.nodes.map((node) => (node.id === '2' ? { ...node, level: 5 } : node));
    expect(validateOutline({ ...outline, nodes }).map(({ code }) => code)).toEqual(['level_gap']);
  });

  it.each([
    [5, []],
    [6, ['too_deep false']],
    [9, ['too_deep false']],
    [10, ['too_deep true']],
  ])('of %i levels in a project', (levels, expected) => {
    const chain = Array.from({ length: levels - 2 }, (_, index) => ({
      id: `c${index}`,
      parent: index === 0 ? 'p' : `c${index - 1}`,
      ...(index === levels - 3 ? { steps: ['last'] } : {}),
    }));
    const found = validateOutline(outlineOf([...sound, ...chain]));
    expect(found.map(({ code, blocking }) => `${code} ${blocking}`)).toEqual(expected);
  });
});

describe('precedence', () => {
  it.each<[string, Sketch[], string[]]>([
    ['a node that waits for itself', changed('1', { after: ['1'] }), ['cycle 1', 'unreachable 2']],
    [
      'two that wait for each other, and what can never begin behind them',
      [...changed('1', { after: ['2'] }), { id: '3', parent: 'q', steps: ['3'], after: ['2'] }],
      ['cycle g', 'unreachable 3'],
    ],
    [
      'a node that waits for its own phase',
      changed('1', { after: ['p'] }),
      ['cycle p', 'unreachable 2'],
    ],
    ['a dependency on nothing', changed('1', { after: ['9'] }), ['unknown_dependency 1']],
    [
      'a step that waits for a step that does not exist',
      changed('1', { steps: [stepOf('1', { after: ['9'] })] }),
      ['unknown_dependency 1'],
    ],
    [
      'a value from a step that does not exist',
      changed('1', { steps: [stepOf('1', { args: { x: { $from: '9', path: '' } } })] }),
      ['unknown_reference 1'],
    ],
    [
      'steps of one node that wait for each other',
      changed('1', { steps: [stepOf('1', { after: ['1b'] }), stepOf('1b', { after: ['1'] })] }),
      ['cycle 1', 'unreachable 2'],
    ],
    [
      'a value that is needed before it is there',
      changed('1', { steps: [stepOf('1', { args: { x: { $from: '2', path: '' } } })] }),
      ['cycle g'],
    ],
    [
      'a deadline before the start',
      changed('1', { not_before: '2026-05-05T10:00:00Z', deadline: '2026-05-05T09:59:00Z' }),
      ['deadline_before_start 1'],
    ],
  ])('finds %s', (_, sketches, codes) => {
    const found = codesOf(sketches);
    // Any node may report a cycle across levels.
    expect(found.map((code) => code.replace(/^cycle .*/, 'cycle'))).toEqual(
      codes.map((code) => code.replace(/^cycle .*/, 'cycle')),
    );
  });

  it('finds a circle between phases that only their tasks close', () => {
    expect(codesOf(changed('1', { after: ['2'] })).some((code) => code.startsWith('cycle'))).toBe(
      true,
    );
  });

  it('takes nodes that start together for no circle', () => {
    const outline = outlineOf(sound);
    const nodes = [
      ...outline.nodes.filter(({ id }) => id !== '2'),
      {
        ...nodeOf({ id: '2', parent: 'p', steps: ['2'] }),
        level: 3,
        after: [{ id: '1', type: 'SS' as const, lag_minutes: 0 }],
      },
      { ...nodeOf({ id: '3', parent: 'q', steps: ['3'] }), level: 3 },
    ];
    expect(validateOutline({ ...outline, nodes })).toEqual([]);
  });
});

describe('the rhythm axis', () => {
  it.each<[string, Partial<Sketch>, string[]]>([
    ['a rule on what is marked as done once', { recurs: weekly }, ['rhythm_mismatch 1']],
    ['recurring work without a rule', { rhythm: 'recurring' }, ['recurrence_without_rule 1']],
    [
      'a rule that cannot be read',
      { rhythm: 'recurring', recurs: { ...weekly, rrule: 'FREQ=OFTEN' } },
      ['bad_recurrence 1'],
    ],
    [
      'a zone that does not exist',
      { rhythm: 'recurring', recurs: { ...weekly, timezone: 'Mars/Olympus' } },
      ['bad_recurrence 1'],
    ],
    [
      'an end before the beginning',
      { rhythm: 'recurring', recurs: { ...weekly, until: '2026-05-04T08:59:00Z' } },
      ['bad_recurrence 1'],
    ],
    [
      'an amount on what is done once',
      { target: { amount: 5, unit: 'pages' } },
      ['rhythm_mismatch 1'],
    ],
    ['adding up to nobody knows what', { rhythm: 'cumulative' }, ['cumulative_without_target 1']],
  ])('finds %s', (_, change, codes) => {
    const found = codesOf(changed('1', change), { pattern_type: 'hybrid_project_cycle' });
    expect(found.filter((code) => !code.startsWith('pattern_mismatch'))).toEqual(codes);
  });

  it('takes the rule of a phase for its tasks, and finds a second rule beneath it', () => {
    const phase = changed('p', { rhythm: 'recurring', recurs: weekly });
    const marked = phase.map((node) =>
      node.id === '1' ? { ...node, rhythm: 'recurring' as const } : node,
    );
    expect(codesOf(marked, { pattern_type: 'recurring_cycle' })).toEqual([]);
    const twice = marked.map((node) => (node.id === '1' ? { ...node, recurs: weekly } : node));
    expect(codesOf(twice, { pattern_type: 'recurring_cycle' })).toEqual(['nested_recurrence 1']);
  });
});

describe('patterns', () => {
  it('blocks a cycle in which nothing comes again', () => {
    const [violation, ...others] = validateOutline(
      outlineOf(sound, { pattern_type: 'recurring_cycle' }),
    );
    expect(violation).toMatchObject({ code: 'pattern_mismatch', blocking: true });
    expect(others).toEqual([]);
  });

  it('takes a step with a rule of its own for something that comes again', () => {
    const reminder = stepOf('1', {
      tool: 'reminder',
      operation: 'set',
      args: { rrule: 'FREQ=DAILY' },
    });
    expect(
      codesOf(changed('1', { steps: [reminder] }), { pattern_type: 'recurring_cycle' }),
    ).toEqual([]);
  });

  it('only doubts a project in which something comes again', () => {
    const [violation] = validateOutline(
      outlineOf(changed('1', { rhythm: 'recurring', recurs: weekly })),
    );
    expect(violation).toMatchObject({ code: 'pattern_mismatch', node: '1', blocking: false });
  });

  it('only doubts a flat plan of which somebody was sure that it recurs', () => {
    const flat = outlineOf(
      [
        { id: 'g', structure: 'goal' },
        { id: '1', parent: 'g', steps: ['1'] },
      ],
      { pattern_type: 'recurring_cycle', confidence: 0.9 },
    );
    expect(validateOutline(flat).map(({ blocking }) => blocking)).toEqual([false]);
  });

  it('wants a look between the phases of a transformation', () => {
    expect(codesOf(sound, { pattern_type: 'strategic_transformation' })).toEqual([
      'pattern_mismatch null',
      'phase_lacks p',
      'phase_lacks q',
    ]);
  });

  it('lets a transformation have seven goals and no eighth', () => {
    const goals = (count: number) =>
      Array.from({ length: count }, (_, index): Sketch[] => [
        { id: `g${index}`, structure: 'goal' },
        { id: `p${index}`, parent: `g${index}`, structure: 'phase' },
        { id: `m${index}`, parent: `p${index}`, structure: 'milestone' },
        { id: `t${index}`, parent: `p${index}`, steps: [`s${index}`] },
      ]).flat();
    const pattern = { pattern_type: 'strategic_transformation' as const };
    expect(codesOf(goals(7), pattern)).toEqual([]);
    expect(codesOf(goals(8), pattern)).toEqual(['l1_structure g7']);
  });

  it('holds a proposed pattern to the rules of the one it comes from', () => {
    const pattern = {
      pattern_type: 'proposed:tidal_work',
      source_pattern: 'recurring_cycle' as const,
      rfc: 'It follows the tide.',
    };
    expect(codesOf(sound, pattern)).toEqual(['pattern_mismatch null']);
  });
});

describe('the rule score', () => {
  const violation = (blocking: boolean) => ({ code: 'x', node: null, text: 'x', blocking });

  it('is 1 without violations and falls with each', () => {
    expect(scoreRules([], 3)).toBe(1);
    expect(scoreRules([violation(true)], 3)).toBeCloseTo(2 / 3);
    expect(scoreRules([violation(false)], 3)).toBeCloseTo(10 / 11);
  });

  it('counts what blocks in a large outline as in a small one, and doubts by their share', () => {
    expect(scoreRules([violation(true)], 5000)).toBeCloseTo(2 / 3);
    expect(scoreRules([violation(false)], 5000)).toBeGreaterThan(0.999);
  });
});

describe('large outlines', () => {
  it('finds nothing wrong in a chain of 4,999 tasks, and the circle when its ends are joined', () => {
    const chain = Array.from({ length: 4999 }, (_, index): Sketch => {
      const after = index === 0 ? [] : [String(index - 1)];
      return { id: String(index), parent: 'g', steps: [String(index)], after };
    });
    const goal: Sketch = { id: 'g', structure: 'goal' };
    expect(runInTurn(() => codesOf([goal, ...chain]))).toEqual([]);
    const joined = chain.map((node) => (node.id === '0' ? { ...node, after: ['4998'] } : node));
    expect(runInTurn(() => codesOf([goal, ...joined]))).toEqual(['cycle 0']);
  }, 60_000);
});
