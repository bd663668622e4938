import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PlanDraft, type Series } from '#domain/plan/plan.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import type { PlanOutline } from '#domain/planning/outline.ts';
import type { Roadmap, RoadmapEdge } from '#domain/planning/roadmap.ts';
import { type Schedule, type ScheduleBlock, StrategyProfile } from '#domain/planning/schedule.ts';
import { draftPlan } from '#planner/draft/draft-plan.ts';
import { outlineOfDraft } from '#planner/outline/outline-of-draft.ts';
import { createBuildRoadmap } from '#planner/tools/build-roadmap.ts';
import {
  deskOf,
  edge,
  flatOutline,
  node,
  outlineOf,
  phase,
  read,
  task,
  write,
} from '../order/outlines.ts';

async function roadmapOf(outline: PlanOutline): Promise<Roadmap> {
  const { changes } = await createBuildRoadmap({ guarded: [] }).execute({}, deskOf(outline));
  if (!changes?.roadmap) throw new Error('There is no roadmap.');
  return changes.roadmap;
}

async function draft(
  outline: PlanOutline,
  options: Parameters<typeof draftPlan>[3] = {},
  schedule: Schedule | null = null,
  more: RoadmapEdge[] = [],
) {
  const roadmap = await roadmapOf(outline);
  const plan = draftPlan(
    outline,
    { ...roadmap, edges: [...roadmap.edges, ...more] },
    schedule,
    options,
  );
  expect(() => PlanDraft.parse(plan)).not.toThrow();
  const after: Record<string, string[]> = Object.fromEntries(
    plan.steps.map((step) => [
      step.id,
      (step.after ?? []).map((one) =>
        typeof one === 'string' ? one : `${one.type}${one.lag_minutes || ''} ${one.id}`,
      ),
    ]),
  );
  return { plan, after };
}

function scheduleOf(blocks: (Partial<ScheduleBlock> & { node: string })[]): Schedule {
  return {
    timezone: 'Europe/Berlin',
    profile: StrategyProfile.parse({}),
    blocks: blocks.map((block) => ({
      starts_at: '2026-03-05T08:00:00Z',
      ends_at: '2026-03-05T09:00:00Z',
      fixed: false,
      person: null,
      holds: true,
      ...block,
    })),
    starts_at: '2026-03-05T08:00:00Z',
    ends_at: null,
  };
}

/** Mostly plain edges, some typed; references to earlier outputs. */
const drafts = fc
  .array(
    fc.record({
      reads: fc.boolean(),
      after: fc.uniqueArray(fc.nat(30), { maxLength: 4 }),
      typed: fc.constantFrom('FS', 'SS', 'FF', 'SF'),
      lag: fc.integer({ min: -30, max: 30 }),
      takes: fc.option(fc.nat(30)),
      start: fc.option(fc.constant('2026-03-05T09:00:00+01:00')),
      minutes: fc.option(fc.integer({ min: 0, max: 600 })),
    }),
    { minLength: 1, maxLength: 30 },
  )
  .map((rows): StepDraft[] =>
    rows.map(({ reads, after, typed, lag, takes, start, minutes }, at) => {
      const before = after.filter((other) => other < at).map((other) => `s${other}`);
      const source = takes !== null && takes < at ? { $from: `s${takes}`, path: '/content' } : 'x';
      const [first, ...others] = before;
      const plain = typed === 'FS' && lag === 0;
      const words =
        first === undefined || plain
          ? before
          : // A lead on a step whose output is used is impossible.
            [
              {
                id: first,
                type: typed,
                lag_minutes: typed === 'FS' ? Math.abs(lag) : lag,
              } as const,
              ...others,
            ];
      return {
        ...(reads ? read(`s${at}`) : write(`s${at}`, { args: { path: 'x', content: source } })),
        ...(words.length === 0 ? {} : { after: words }),
        ...(start === null ? {} : { not_before: start }),
        ...(minutes === null ? {} : { duration_minutes: minutes }),
      };
    }),
  );

const milestones = { pattern_type: 'milestone_project', introduced_by: 'system' } as const;
const weekly: Series = {
  id: 'weekly',
  title: 'Weekly review',
  rrule: 'FREQ=WEEKLY;BYDAY=MO',
  starts_at: '2026-03-02T09:00:00+01:00',
  timezone: 'Europe/Berlin',
  until: null,
  steps: [read('w1'), write('w2', { after: ['w1'] })],
};

describe('a plan out of a flat outline', () => {
  it('is the plan it was made of, when steps are tasks that say what they wait for', async () => {
    await fc.assert(
      fc.asyncProperty(drafts, async (steps) => {
        const { plan } = await draft(flatOutline({ title: 'A plan', steps }));
        expect(plan.steps).toEqual(steps);
      }),
    );
  });

  it('is the same when the steps themselves say it', async () => {
    await fc.assert(
      fc.asyncProperty(drafts, async (steps) => {
        const outline = outlineOf(steps.map((step) => node(step.id ?? '', { steps: [step] })));
        const { plan } = await draft(outline);
        expect(plan.steps).toEqual(steps);
      }),
    );
  });

  it('is the same by way of the outline that planners make of a draft, series included', async () => {
    const series = fc.constantFrom<PlanDraft['series']>(undefined, [weekly]);
    await fc.assert(
      fc.asyncProperty(drafts, series, async (steps, repeated) => {
        const whole = { title: 'A plan', summary: 'It is done.', steps };
        const given: PlanDraft = repeated === undefined ? whole : { ...whole, series: repeated };
        const { plan } = await draft(outlineOfDraft(given, milestones));
        const { context: _, ...rest } = plan;
        expect(rest).toEqual(given);
      }),
    );
  });

  it('carries title, sentence, pattern, risks and assumptions, and nothing else', async () => {
    const outline = outlineOf([task('1')], {
      risks: [{ text: 'It breaks.', sign: 'A noise.' }],
      assumptions: ['09:00 is meant.', 'It breaks.'],
    });
    const { plan } = await draft(outline);
    expect(plan).toEqual({
      title: 'A plan',
      summary: 'It is done.',
      steps: [write('1')],
      context: { tool_outputs: {}, notes: '', artifacts: [], pattern: outline.pattern },
      risks: [{ text: 'It breaks.', sign: 'A noise.' }, { text: '09:00 is meant.' }],
    });
  });

  it('keeps the context that was found out', async () => {
    const words = await draft(outlineOf([task('1')], { context: 'Ana likes tea.' }));
    expect(words.plan.context).toMatchObject({ notes: 'Ana likes tea.' });
    const found = { tool_outputs: {}, notes: 'x', artifacts: [{ id: 'a', name: 'b', size: 1 }] };
    const whole = await draft(outlineOf([task('1')], { context: found }));
    expect(whole.plan.context).toMatchObject(found);
  });

  it('asks before each step only when that is wanted', async () => {
    expect((await draft(outlineOf([task('1')]))).plan).not.toHaveProperty('step_approval');
    const { plan } = await draft(outlineOf([task('1')]), { confirmEach: true });
    expect(plan.step_approval).toBe('each');
  });

  it('gives steps without an id the one a stored plan would give them', async () => {
    const { id: _, ...bare } = write('x');
    const { plan } = await draft(
      outlineOf([node('a', { steps: [bare] }), task('1'), node('b', { steps: [bare] })]),
    );
    expect(plan.steps.map(({ id }) => id)).toEqual(['step-1', '1', '3']);
  });
});

describe('order between nodes becomes order between steps', () => {
  const chain = (id: string) => [write(`${id}1`), write(`${id}2`, { after: [`${id}1`] })];

  it('from the last steps of one to the first of the other', async () => {
    const { after } = await draft(
      outlineOf([node('a', { steps: chain('a') }), node('b', { steps: chain('b'), after: ['a'] })]),
    );
    expect(after).toEqual({ a1: [], a2: ['a1'], b1: ['a2'], b2: ['b1'] });
  });

  it.each([
    ['SS', { b1: ['SS5 a1'], b2: ['b1'] }],
    ['FF', { b1: [], b2: ['b1', 'FF5 a2'] }],
    ['SF', { b1: [], b2: ['b1', 'SF5 a1'] }],
    ['FS', { b1: ['FS5 a2'], b2: ['b1'] }],
  ] as const)('by the ends that %s speaks of', async (type, expected) => {
    const { after } = await draft(
      outlineOf([
        node('a', { steps: chain('a') }),
        node('b', { steps: chain('b'), after: [{ id: 'a', type, lag_minutes: 5 }] }),
      ]),
    );
    expect(after).toMatchObject(expected);
  });

  it('of phases: between what ends one and what begins the other', async () => {
    const { after } = await draft(
      outlineOf([
        phase('p'),
        task('p1', { parent: 'p' }),
        task('p2', { parent: 'p', after: ['p1'] }),
        task('p3', { parent: 'p' }),
        phase('q'),
        task('q1', { parent: 'q' }),
        task('q2', { parent: 'q', after: ['q1'] }),
      ]),
    );
    expect(after).toEqual({ p1: [], p2: ['p1'], p3: [], q1: ['p2', 'p3'], q2: ['q1'] });
  });

  it('over a milestone without steps, whose own time counts as lag', async () => {
    const { after } = await draft(
      outlineOf([
        task('a'),
        task('b'),
        node('m', {
          structure: 'milestone',
          duration_minutes: 30,
          after: [{ id: 'a', type: 'FS', lag_minutes: 10 }, 'b'],
        }),
        node('n', { structure: 'milestone', after: ['m'] }),
        task('c', { after: ['n'] }),
      ]),
    );
    expect(after).toEqual({ a: [], b: [], c: ['FS40 a', 'FS30 b'] });
  });

  it('over a milestone inside a phase that waits, and behind a phase that ends with one', async () => {
    const { after } = await draft(
      outlineOf([
        task('o'),
        phase('p', { after: ['o'] }),
        task('t', { parent: 'p' }),
        node('m', { parent: 'p', structure: 'milestone', after: ['x'] }),
        task('x'),
        task('z', { after: ['p'] }),
        task('y', { after: ['m'] }),
      ]),
    );
    expect(after.t).toEqual(['o']);
    expect(after.z?.toSorted()).toEqual(['t', 'x']);
    // The milestone brings what holds the phase back and what leads to it.
    expect(after.y?.toSorted()).toEqual(['o', 'x']);
  });

  it('of what steps take from each other: only those steps', async () => {
    const taking = write('b2', { args: { path: 'x', content: { $from: 'a1', path: '/content' } } });
    const { after } = await draft(
      outlineOf([
        node('a', { steps: [read('a1'), write('a2')] }),
        node('b', { steps: [write('b1'), taking] }),
      ]),
    );
    expect(after).toEqual({ a1: [], a2: [], b1: [], b2: [] });
  });

  it('of the way that was chosen', async () => {
    const strategy = edge('a', 'b', { why: 'strategy' });
    const { after } = await draft(outlineOf([task('a'), task('b')]), {}, null, [strategy]);
    expect(after).toEqual({ a: [], b: ['a'] });
  });

  it('meets in one step where very many would wait for very many', async () => {
    const many = (parent: string) =>
      Array.from({ length: 20 }, (_, at) => task(`${parent}${at}`, { parent }));
    const wide = outlineOf([phase('p'), ...many('p'), phase('q'), ...many('q')]);
    const { plan, after } = await draft(wide);
    expect(plan.steps).toHaveLength(41);
    expect(plan.steps[20]).toMatchObject({
      id: 'p:done',
      description: 'All of “Part p” is done',
      tool: 'control',
      operation: 'noop',
    });
    expect(after['p:done']).toHaveLength(20);
    expect(after.q7).toEqual(['p:done']);
  });

  it.each(['FS', 'SS', 'FF', 'SF'] as const)(
    'meets in one step where 5,000 items wait for 5,000 others by %s, in a series too',
    async (type) => {
      const many = (id: string, more: Parameters<typeof node>[1] = {}) =>
        node(id, { ...more, steps: Array.from({ length: 5000 }, (_, at) => write(`${id}-${at}`)) });
      const after = [{ id: 'a', type, lag_minutes: 0 }];
      const recurs = {
        rrule: 'FREQ=DAILY',
        starts_at: '2026-03-05T08:00:00Z',
        timezone: 'Europe/Berlin',
        until: null,
      };
      const round = phase('p', { rhythm: 'recurring', recurs });
      const inRound = [round, many('a', { parent: 'p' }), many('b', { parent: 'p', after })];
      const { plan } = await draft(outlineOf([many('a'), many('b', { after })]));
      const { series = [] } = draftPlan(outlineOf(inRound), null, null);
      for (const steps of [plan.steps, series[0]?.steps ?? []]) {
        expect(steps).toHaveLength(10_001);
        expect(steps.reduce((sum, one) => sum + (one.after?.length ?? 0), 0)).toBe(10_000);
      }
    },
  );

  it('keeps every order that the nodes have, whatever the tree', async () => {
    const shapes = fc.record({
      edges: fc.array(fc.tuple(fc.nat(11), fc.nat(11)), { maxLength: 14 }),
      empty: fc.uniqueArray(fc.nat(11), { maxLength: 4 }),
      inPhase: fc.array(fc.nat(2), { minLength: 12, maxLength: 12 }),
    });
    await fc.assert(
      fc.asyncProperty(shapes, async ({ edges, empty, inPhase }) => {
        const parents = ['goal', 'p', 'q'];
        const leaves = Array.from({ length: 12 }, (_, at) =>
          node(`n${at}`, {
            parent: parents[inPhase[at] ?? 0] ?? 'goal',
            steps: empty.includes(at) ? [] : [write(`n${at}`)],
            after: edges.filter(([from, to]) => to === at && from < to).map(([from]) => `n${from}`),
          }),
        );
        const recurring = { pattern_type: 'recurring_cycle', introduced_by: 'system' } as const;
        const outline = outlineOf([phase('p'), phase('q'), ...leaves], { pattern: recurring });
        const { after } = await draft(outline);
        const reaches = (graph: Map<string, string[]>, to: string): Set<string> => {
          const seen = new Set<string>();
          const open = [to];
          for (let id = open.pop(); id !== undefined; id = open.pop())
            for (const before of graph.get(id) ?? [])
              if (!seen.has(before)) {
                seen.add(before);
                open.push(before);
              }
          return seen;
        };
        const nodes = new Map(leaves.map(({ id, after: list }) => [id, list.map((one) => one.id)]));
        const steps = new Map<string, string[]>(Object.entries(after));
        for (const { id, steps: own } of leaves) {
          if (own.length === 0) continue;
          const filled = [...reaches(nodes, id)].filter((other) => steps.has(other));
          expect([...reaches(steps, id)].sort()).toEqual(filled.sort());
        }
      }),
    );
  });
});

describe('times', () => {
  it('of blocks that hold become times before which the first steps do not begin', async () => {
    const steps = [write('a1'), write('a2', { after: ['a1'] })];
    const { plan } = await draft(
      outlineOf([node('a', { steps }), task('b')]),
      {},
      scheduleOf([{ node: 'a' }, { node: 'b', holds: false }]),
    );
    expect(plan.steps.map(({ not_before }) => not_before)).toEqual([
      '2026-03-05T08:00:00Z',
      undefined,
      undefined,
    ]);
  });

  it('stay in the words of the person, and never come earlier than the step says', async () => {
    const start = '2026-03-05T09:00:00+01:00';
    const later = '2026-03-06T09:00:00+01:00';
    const { plan } = await draft(
      outlineOf([
        task('a', { not_before: start }),
        node('b', { steps: [write('b', { not_before: later })] }),
      ]),
      {},
      scheduleOf([{ node: 'a' }, { node: 'b' }]),
    );
    expect(plan.steps.map(({ not_before }) => not_before)).toEqual([start, later]);
  });

  it('that were said hold though no schedule was made', async () => {
    const not_before = '2026-03-05T09:00:00+01:00';
    const { plan } = await draft(
      outlineOf([
        phase('p', { not_before }),
        task('a', { parent: 'p' }),
        task('b', { parent: 'p', after: ['a'] }),
      ]),
    );
    expect(plan.steps.map((step) => step.not_before)).toEqual([not_before, undefined]);
  });

  it('of nodes are shared by their steps along the longest row', async () => {
    const steps = [write('a1'), write('a2', { after: ['a1'] }), write('a3')];
    const { plan } = await draft(
      outlineOf([
        node('a', { steps, duration_minutes: 60 }),
        node('b', { steps: [write('b', { duration_minutes: 5 })], duration_minutes: 60 }),
      ]),
    );
    expect(plan.steps.map(({ duration_minutes }) => duration_minutes)).toEqual([30, 30, 30, 5]);
  });
});

describe('what comes again by a rule', () => {
  const recurs = {
    rrule: 'FREQ=WEEKLY;BYDAY=MO',
    starts_at: '2026-03-02T09:00:00+01:00',
    timezone: 'Europe/Berlin',
    until: '2026-12-31T00:00:00Z',
  };

  it('is a series with its steps as template, beside the steps that run once', async () => {
    const { plan } = await draft(
      outlineOf([
        task('a'),
        phase('w', { title: 'Weekly review', rhythm: 'recurring', recurs }),
        task('w1', { parent: 'w' }),
        task('w2', { parent: 'w', after: ['w1'] }),
      ]),
      {},
      scheduleOf([{ node: 'w' }]),
    );
    expect(plan.steps.map(({ id }) => id)).toEqual(['a']);
    expect(plan.series).toEqual([
      {
        id: 'w',
        title: 'Weekly review',
        ...recurs,
        steps: [write('w1'), { ...write('w2'), after: ['w1'] }],
      },
    ]);
  });

  it('waits for nothing that runs once, and says so', async () => {
    const { plan, after } = await draft(
      outlineOf([
        task('a'),
        task('w', { rhythm: 'recurring', recurs, after: ['a'] }),
        task('b', { after: ['w', 'a'] }),
        node('c', { steps: [write('c', { after: ['w', 'b'] })] }),
      ]),
    );
    expect(after).toEqual({ a: [], b: ['a'], c: ['b'] });
    expect(plan.series?.[0]?.steps[0]).not.toHaveProperty('after');
    expect(plan.risks).toEqual([
      { text: '“Part w” does not wait for “Part a”: one of them comes again by its own rule.' },
    ]);
  });

  it('without a rule runs once', async () => {
    const { plan } = await draft(outlineOf([task('a', { rhythm: 'recurring' })]));
    expect(plan.steps).toHaveLength(1);
    expect(plan).not.toHaveProperty('series');
  });
});

describe('a large outline', () => {
  it('of 5,000 nodes and 20,000 edges becomes a plan', async () => {
    const nodes = Array.from({ length: 4999 }, (_, at) =>
      task(`n${at}`, {
        after: [1, 5, 70, 310].flatMap((back) => (at >= back ? [`n${at - back}`] : [])),
      }),
    );
    const outline = outlineOf(nodes);
    const { plan } = await draft(outline);
    expect(plan.steps).toHaveLength(4999);
    expect(plan.steps.reduce((sum, { after = [] }) => sum + after.length, 0)).toBe(19_610);
  }, 60_000);
});
