import { describe, expect, it } from 'vitest';
import { PatternSpec } from '#domain/plan/pattern.ts';
import type { PlanningState } from '#domain/planning/state.ts';
import type { WrittenOutline } from '#planner/outline/written-outline.ts';
import { generateNodes } from '#planner/tools/generate-nodes.ts';
import { validateGrammar } from '#planner/tools/validate-grammar.ts';
import { follow, makeDesk } from './tool-context.ts';

type Node = WrittenOutline['nodes'][number];
type Step = Node['steps'][number];

const pattern = PatternSpec.parse({ pattern_type: 'milestone_project', confidence: 0.9 });

function stepOf(id: string, more: Partial<Step> = {}): Step {
  return {
    id,
    description: `Write ${id}`,
    tool: 'workspace',
    operation: 'write',
    args: { path: `${id}.txt`, content: id },
    after: [],
    ...more,
  };
}

function nodeOf(id: string, more: Partial<Node> = {}): Node {
  return {
    id,
    parent: 'g',
    title: `Do ${id}`,
    structure: 'task',
    rhythm: 'one_off',
    after: [],
    duration_minutes: null,
    not_before: null,
    deadline: null,
    recurs: null,
    target: null,
    steps: [stepOf(id)],
    ...more,
  };
}

const goal = nodeOf('g', { parent: null, structure: 'goal', steps: [] });

function written(nodes: Node[], more: Partial<WrittenOutline> = {}): WrittenOutline {
  return {
    title: 'Write files',
    summary: 'The files are there.',
    nodes,
    risks: [],
    assumptions: [],
    confidence: 0.8,
    ...more,
  };
}

function deskWith(state: Partial<PlanningState> = {}, level = 3) {
  const toolContext = makeDesk({ state: { stage: 'DRAFT_OUTLINE', pattern, ...state } });
  return { ...toolContext, modes: { ...toolContext.modes, reasoning_level: level } };
}

const run = (nodes: Node[], toolContext = deskWith(), more: Partial<WrittenOutline> = {}) =>
  generateNodes.execute(written(nodes, more), toolContext);

describe('a written outline', () => {
  it('becomes an outline with levels, the session’s pattern and steps from the manifest', async () => {
    const { result, changes, ends, self, heuristics } = await run([
      goal,
      nodeOf('p', { structure: 'phase', steps: [] }),
      nodeOf('1', { parent: 'p' }),
      nodeOf('2', { parent: 'p', after: ['1', { id: '1', type: 'SS', lag_minutes: 5 }] }),
    ]);
    expect(result).toMatchObject({ ok: true, confidence: 0.8 });
    expect([ends, self]).toEqual(['drafted', 0.8]);
    expect(heuristics).toBe(1);
    expect(changes?.outline?.pattern).toBe(pattern);
    expect(changes?.outline?.nodes).toMatchObject([
      { id: 'g', level: 1, origin: 'system' },
      { id: 'p', level: 2 },
      {
        id: '1',
        level: 3,
        steps: [{ tool: 'workspace', args: { path: '1.txt' } }],
      },
      {
        id: '2',
        after: [
          { id: '1', type: 'FS', lag_minutes: 0 },
          { id: '1', type: 'SS', lag_minutes: 5 },
        ],
      },
    ]);
    expect(() => follow(deskWith(), changes)).not.toThrow();
  });

  it('gets its title as the goal when it comes as tasks alone', async () => {
    const { changes } = await run([nodeOf('1', { parent: null })]);
    expect(changes?.outline?.nodes.map(({ id, parent }) => [id, parent])).toEqual([
      ['goal', null],
      ['1', 'goal'],
    ]);
  });

  it('takes full operation names, and waiting said of steps where nodes were meant', async () => {
    const { changes } = await run([
      goal,
      nodeOf('a', { steps: [stepOf('1', { operation: 'workspace_write' })] }),
      nodeOf('b', { after: ['1'], steps: [stepOf('2', { after: ['1'] })] }),
    ]);
    const last = changes?.outline?.nodes.at(-1);
    expect(last?.after).toEqual([{ id: 'a', type: 'FS', lag_minutes: 0 }]);
    expect(last?.steps[0]).not.toHaveProperty('after');
  });

  it('reads moments in the person’s zone, and rules as RFC 5545 has them', async () => {
    const recurs = {
      rrule: 'rrule:freq=daily',
      starts_at: null,
      timezone: null,
      until: '2026-06-01',
    };
    const { changes } = await run(
      [goal, nodeOf('1', { not_before: '2026-05-05T09:00', rhythm: 'recurring', recurs })],
      deskWith({ timezone: 'Europe/Berlin' }),
    );
    expect(changes?.outline?.nodes[1]).toMatchObject({
      not_before: '2026-05-05T07:00:00.000Z',
      recurs: {
        rrule: 'FREQ=DAILY',
        starts_at: '2026-05-05T10:00:00.000Z',
        timezone: 'Europe/Berlin',
        until: '2026-06-01T22:00:00.000Z',
      },
    });
  });

  it.each<[string, Node[], string]>([
    ['no nodes', [], 'no nodes'],
    ['no steps', [goal], 'no steps'],
    [
      'an operation that does not exist',
      [goal, nodeOf('1', { steps: [stepOf('1', { operation: 'fly' })] })],
      'no operation workspace_fly',
    ],
    [
      'arguments that do not fit',
      [goal, nodeOf('1', { steps: [stepOf('1', { args: '{"path":"a"}' })] })],
      '"content" is missing',
    ],
    [
      'arguments that are no JSON',
      [goal, nodeOf('1', { steps: [stepOf('1', { args: '{path}' })] })],
      'not a JSON object',
    ],
    [
      'a value from a step that does not exist',
      [
        goal,
        nodeOf('1', {
          steps: [stepOf('1', { args: '{"path":"a","content":{"$from":"9","path":""}}' })],
        }),
      ],
      'refers to step 9',
    ],
    [
      'two steps of one id',
      [goal, nodeOf('1'), nodeOf('2', { steps: [stepOf('1')] })],
      'Two steps have the id 1',
    ],
    ['a moment that is none', [goal, nodeOf('1', { deadline: 'soon' })], 'not a moment'],
    [
      'a rule that is none',
      [
        goal,
        nodeOf('1', { recurs: { rrule: 'OFTEN', starts_at: null, timezone: null, until: null } }),
      ],
      'not part of a recurrence rule',
    ],
    ['a node without a title', [goal, nodeOf('1', { title: ' ' })], 'Node 1: title'],
  ])('is refused with %s', async (_, nodes, reason) => {
    const { result, changes, ends } = await run(nodes);
    expect(result).toMatchObject({ ok: false, confidence: 0 });
    expect(result.explanations.join(' ')).toContain(reason);
    expect([changes, ends]).toEqual([undefined, undefined]);
  });

  it('that is readable but not sound is left to the grammar', async () => {
    const { changes } = await run([goal, nodeOf('1', { parent: 'nowhere', after: ['9'] })]);
    const checked = await validateGrammar.execute({}, follow(deskWith(), changes));
    expect(checked.violations?.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['orphan', 'unknown_dependency']),
    );
  });
});

describe('granularity', () => {
  const deep = [
    goal,
    nodeOf('p', { structure: 'phase', steps: [] }),
    nodeOf('q', { parent: 'p', structure: 'phase', steps: [] }),
    nodeOf('t', { parent: 'q', steps: [] }),
    nodeOf('1', { parent: 't' }),
    nodeOf('2', { parent: 't', after: ['1'] }),
  ];

  it.each([
    [0, 2],
    [1, 2],
    [2, 3],
    [3, 4],
    [6, 4],
    [7, 5],
    [10, 5],
  ])('of level %i lets an outline of five levels have %i', async (level, levels) => {
    const { changes, adaptations } = await run(deep, deskWith({}, level));
    const nodes = changes?.outline?.nodes ?? [];
    expect(Math.max(...nodes.map((node) => node.level))).toBe(levels);
    expect(nodes.flatMap(({ steps }) => steps.map(({ id }) => id))).toEqual(['1', '2']);
    expect(adaptations?.length).toBe(levels === 5 ? 0 : 1);
  });

  it('leaves an outline as deep as it was when it is changed', async () => {
    const first = await run(deep, deskWith({}, 10));
    const toolContext = deskWith(
      { outline: first.changes?.outline ?? null, hints: ['Fewer risks.'] },
      0,
    );
    const { changes } = await run(deep, toolContext);
    expect(Math.max(...(changes?.outline?.nodes ?? []).map(({ level }) => level))).toBe(5);
  });
});

describe('an outline that is drafted anew', () => {
  it('keeps the ids and origins of what did not change, and tells what did and for whom', async () => {
    const first = await run([goal, nodeOf('1'), nodeOf('2', { after: ['1'] })]);
    const change = { feedback: 'also write c', gate: 'outline' as const };
    const toolContext = deskWith({ outline: first.changes?.outline ?? null, change });
    const { changes, adaptations } = await run(
      [
        goal,
        nodeOf('1', { title: 'Do c', steps: [stepOf('c')] }),
        nodeOf('2', { title: 'Do 1', steps: [stepOf('x', { args: stepOf('1').args })] }),
        nodeOf('3', {
          title: 'Do 2',
          after: ['2'],
          steps: [stepOf('y', { args: stepOf('2').args })],
        }),
      ],
      toolContext,
    );
    expect(changes?.outline?.nodes.map(({ id, origin }) => [id, origin])).toEqual([
      ['g', 'system'],
      ['1-2', 'user_feedback'],
      ['1', 'system'],
      ['2', 'system'],
    ]);
    expect(changes?.outline?.nodes[3]?.after.map(({ id }) => id)).toEqual(['1']);
    expect(changes?.outline?.nodes.flatMap(({ steps }) => steps.map(({ id }) => id))).toEqual([
      'c',
      '1',
      '2',
    ]);
    expect(adaptations).toContainEqual({
      what: 'added',
      node: '1-2',
      introduced_by: 'user_feedback',
      why: 'also write c',
    });
  });
});

describe('the pattern behind an outline', () => {
  const proposed = PatternSpec.parse({
    pattern_type: 'milestone_project',
    subtype: 'proposed:sea_trial',
    source_pattern: 'milestone_project',
    rfc: 'None fits.',
  });
  const rfc = { text: 'None fits.', proposes: 'proposed:sea_trial', by: 'ana' };

  it('is not used while it waits for a person', async () => {
    const toolContext = deskWith({ pattern: proposed, rfc: { ...rfc, status: 'open' } });
    const { result } = await run([goal, nodeOf('1')], toolContext);
    expect(result.ok).toBe(false);
    expect(result.explanations[0]).toContain('waits for a person');
  });

  it('is used once it was approved', async () => {
    const toolContext = deskWith({ pattern: proposed, rfc: { ...rfc, status: 'approved' } });
    const { changes } = await run([goal, nodeOf('1')], toolContext);
    expect(changes?.outline?.pattern).toEqual(proposed);
  });

  it('falls back to the known one once it was rejected', async () => {
    const toolContext = deskWith({ pattern: proposed, rfc: { ...rfc, status: 'rejected' } });
    const { changes } = await run([goal, nodeOf('1')], toolContext);
    expect(changes?.pattern).toEqual({
      pattern_type: 'milestone_project',
      introduced_by: 'system',
    });
    expect(changes?.outline?.pattern).toEqual(changes?.pattern);
  });
});
