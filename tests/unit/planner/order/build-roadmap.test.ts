import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { defaultPolicy } from '#domain/people/policy.ts';
import type { PlanOutline } from '#domain/planning/outline.ts';
import type { Roadmap } from '#domain/planning/roadmap.ts';
import { validateRoadmap } from '#planner/order/collect-edges.ts';
import { createBuildRoadmap } from '#planner/tools/build-roadmap.ts';
import { builtins } from '../manifest.ts';
import { deskOf, node, outlineOf, phase, read, remove, sayEdges, task } from './outlines.ts';

const buildRoadmap = createBuildRoadmap({ guarded: [] });

type More = Parameters<typeof deskOf>[1];
type Input = Parameters<typeof buildRoadmap.execute>[0];

const noPeople = builtins.filter(({ human }) => human !== true);

async function build(
  outline: PlanOutline,
  more: More = {},
  input: Input = {},
  tool = buildRoadmap,
) {
  const context = deskOf(outline, more);
  await nextTurn();
  const outcome = await tool.execute(input, context);
  await nextTurn();
  const roadmap = outcome.changes?.roadmap;
  if (!roadmap) throw new Error(outcome.result.explanations.join(' '));
  const next = outcome.changes?.outline ?? outline;
  expect(validateRoadmap(next, roadmap).filter(({ blocking }) => blocking)).toEqual([]);
  expectFollowable(next, roadmap);
  return {
    outcome,
    roadmap,
    outline: next,
    names: roadmap.options_tried.map(({ name }) => name),
    said: sayEdges(roadmap.edges),
    option: (name: string) => roadmap.options_tried.find((one) => one.name === name),
  };
}

function expectFollowable({ nodes }: PlanOutline, { edges, waves }: Roadmap): void {
  const ids = new Set(nodes.map(({ id }) => id));
  expect(edges.filter(({ from, to }) => !ids.has(from) || !ids.has(to))).toEqual([]);
  const ends = edges.map(({ from, to, type }) => `${from} ${type} ${to}`);
  expect(new Set(ends).size).toBe(ends.length);
  const waveOf = new Map(waves.flatMap((wave, at) => wave.map((id) => [id, at] as const)));
  expect(waveOf.size).toBe(waves.flat().length);
  expect(nodes.filter(({ id, steps }) => steps.length > 0 && !waveOf.has(id))).toEqual([]);
  const backwards = edges.filter(({ from, to, type }) => {
    const [before, after] = [waveOf.get(from), waveOf.get(to)];
    if (before === undefined || after === undefined) return false;
    return before >= (type === 'FS' ? after : after + 1);
  });
  expect(backwards).toEqual([]);
}

const three = outlineOf([task('a'), task('b'), task('c')]);
const risky = outlineOf([
  task('a'),
  node('b', { title: 'Delete it', steps: [remove('b')] }),
  task('c'),
]);

describe('build_roadmap', () => {
  it('holds only what was said, unless somebody wants otherwise', async () => {
    const { roadmap, said, outcome } = await build(
      outlineOf([task('a'), task('b', { after: ['a'] }), task('c')]),
    );
    expect(roadmap.chosen).toBe('as said');
    expect(said).toEqual(['a → b']);
    expect(roadmap.waves).toEqual([['a', 'c'], ['b']]);
    expect(outcome.ends).toBe('drafted');
    expect(outcome.changes).not.toHaveProperty('outline');
    expect(outcome.adaptations).toEqual([]);
  });

  it('compares ways that differ, best first, and says why', async () => {
    const { roadmap, names, option } = await build(three);
    expect(names[0]).toBe('as said');
    expect([...names].sort()).toEqual(['as said', 'checked', 'one at a time']);
    expect(option('as said')?.metrics).toEqual({
      makespan_minutes: 1,
      width: 3,
      unchecked_writes: 2,
      unguarded: 0,
      checkpoints: 0,
    });
    expect(option('one at a time')?.metrics).toMatchObject({
      makespan_minutes: 3,
      width: 1,
      unchecked_writes: 0,
    });
    expect(option('checked')?.metrics).toMatchObject({ makespan_minutes: 2, unchecked_writes: 1 });
    expect(option('checked')?.differs).toMatch(/“Part a” goes ahead/);
    const scores = roadmap.options_tried.map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect(roadmap.reason).toBe(
      'It keeps the order you gave and adds nothing. By estimate it takes 1 minute, “one at a time” 3 minutes and “checked” 2 minutes.',
    );
  });

  it('says so where there is only one way', async () => {
    for (const nodes of [
      [task('a')],
      [task('a'), task('b', { after: ['a'] })],
      [node('a', { steps: [read('a')] }), node('b', { steps: [read('b')] })],
    ]) {
      const { roadmap, names } = await build(outlineOf(nodes));
      expect(names).toEqual(['as said']);
      expect(roadmap.reason).toBe('Only one order is possible.');
    }
  });

  it('shows two ways to people who want few words', async () => {
    const concise = { ...defaultPolicy, conversation_style: 'concise' as const };
    expect((await build(three, { policy: concise })).names).toHaveLength(2);
    expect((await build(three)).names).toHaveLength(3);
  });

  it('reads no preference out of words', async () => {
    const change = { feedback: 'one after another please', gate: 'roadmap' as const };
    const { roadmap } = await build(three, { request: 'Carefully', state: { change } });
    expect(roadmap.chosen).toBe('as said');
  });

  it.each(['one at a time', 'checked'] as const)(
    'follows the preference “%s” that the outline keeps',
    async (order) => {
      const preferences = { order, in_working_hours: null };
      const { roadmap } = await build({ ...three, preferences });
      expect(roadmap.chosen).toBe(order);
      expect(roadmap.reason).toMatch(/as you asked/);
    },
  );

  it('follows a preference that a model gives, and keeps it', async () => {
    const prefer = 'checked' as const;
    const outcome = await build(three, {}, { prefer, reason: 'Ana wants to look first.' });
    expect(outcome.roadmap).toMatchObject({ chosen: prefer, reason: 'Ana wants to look first.' });
  });

  it('follows a wish whatever the policy', async () => {
    for (const autonomy of ['high', 'medium', 'low'] as const)
      for (const prefer of ['as said', 'one at a time', 'checked'] as const) {
        const { roadmap } = await build(
          risky,
          { policy: { ...defaultPolicy, autonomy } },
          { prefer },
        );
        expect(roadmap.chosen).toBe(prefer);
      }
  });

  it('is careful by itself only for people who want little left to it, and only where something is at stake', async () => {
    const low = { policy: { ...defaultPolicy, autonomy: 'low' as const } };
    expect((await build(risky, low)).roadmap.chosen).toBe('checked');
    expect((await build(three, low)).roadmap.chosen).not.toBe('checked');
    expect((await build(risky)).roadmap.chosen).toBe('as said');
  });

  it('chooses what was said by the default policy, whatever the pattern', async () => {
    for (const pattern_type of ['strategic_transformation', 'hybrid_project_cycle'] as const) {
      const pattern = { pattern_type, introduced_by: 'system' } as const;
      expect((await build({ ...risky, pattern })).roadmap.chosen).toBe('as said');
    }
  });

  describe('the careful way', () => {
    it('puts a question to a person before what cannot be taken back, and the rest in front of it', async () => {
      const { outline, said, roadmap, outcome, option } = await build(
        risky,
        {},
        { prefer: 'checked' },
      );
      const added = outline.nodes.find(({ id }) => id === 'checkpoint:1');
      expect(added).toMatchObject({
        structure: 'checkpoint',
        title: 'Check before “Delete it”',
        parent: 'goal',
        level: 2,
        steps: [
          {
            id: 'checkpoint:1',
            tool: 'human',
            operation: 'task',
            args: { question: 'Look at what has been done so far. Go on with “Delete it”?' },
          },
        ],
      });
      expect(outline.nodes.map(({ id }) => id)).toEqual(['goal', 'a', 'checkpoint:1', 'b', 'c']);
      expect([...said].sort()).toEqual([
        'a → checkpoint:1',
        'c → checkpoint:1',
        'checkpoint:1 → b',
      ]);
      expect(roadmap.waves).toEqual([['a', 'c'], ['checkpoint:1'], ['b']]);
      expect(outcome.adaptations?.[0]).toMatchObject({ what: 'added', node: 'checkpoint:1' });
      expect(option('checked')?.metrics).toMatchObject({ unguarded: 0, checkpoints: 1 });
      expect(option('as said')?.metrics).toMatchObject({ unguarded: 1, checkpoints: 0 });
    });

    it('takes its checkpoints out again when another way is chosen', async () => {
      const careful = await build(risky, {}, { prefer: 'checked' });
      const again = await build(careful.outline, {}, { prefer: 'checked' });
      expect(again.outline.nodes).toEqual(careful.outline.nodes);
      const plain = await build(careful.outline, {}, { prefer: 'as said' });
      expect(plain.outline.nodes).toEqual(risky.nodes);
    });

    it('lets what cannot be taken back come last, one by one, where nobody can be asked', async () => {
      const two = outlineOf([
        node('b', { steps: [remove('b')] }),
        task('a'),
        node('d', { steps: [remove('d')] }),
      ]);
      const { said, outline } = await build(two, { manifest: noPeople }, { prefer: 'checked' });
      expect(said).toEqual(['a → b', 'b → d']);
      expect(outline.nodes).toEqual(two.nodes);
    });

    it('does not ask before the very first thing: the plan was approved a moment ago', async () => {
      const only = outlineOf([node('b', { steps: [remove('b')] })]);
      expect((await build(only)).names).toEqual(['as said']);
    });

    it('guards what the settings guard', async () => {
      const tool = createBuildRoadmap({ guarded: ['workspace_write'] });
      const { option } = await build(three, {}, {}, tool);
      expect(option('as said')?.metrics.unguarded).toBe(3);
    });

    it('looks between phases', async () => {
      const pattern = { pattern_type: 'recurring_cycle', introduced_by: 'system' } as const;
      const phases = outlineOf(
        [phase('p'), task('p1', { parent: 'p' }), phase('q'), task('q1', { parent: 'q' })],
        { pattern },
      );
      const careful = await build(phases, {}, { prefer: 'checked' });
      expect(careful.said).toEqual(['p → checkpoint:1', 'checkpoint:1 → q']);
      const alone = await build(phases, { manifest: noPeople }, { prefer: 'checked' });
      expect(alone.said).toEqual(['p → q']);
    });

    it('needs no second checkpoint where somebody looks already', async () => {
      const looked = outlineOf([
        task('a'),
        node('look', {
          structure: 'checkpoint',
          steps: [
            {
              id: 'look',
              description: 'Look',
              tool: 'human',
              operation: 'task',
              args: { question: 'All well?' },
            },
          ],
        }),
        node('b', { steps: [remove('b')] }),
      ]);
      const { option, names } = await build(looked);
      expect(option('as said')?.metrics.unguarded).toBe(0);
      expect(names).not.toContain('checked');
    });
  });

  it('counts how long the longest way is, leads and overlaps included', async () => {
    const { option } = await build(
      outlineOf([
        task('a', { duration_minutes: 60 }),
        task('b', { duration_minutes: 30, after: [{ id: 'a', type: 'FS', lag_minutes: -15 }] }),
        task('c', { duration_minutes: 10, after: [{ id: 'a', type: 'SS', lag_minutes: 20 }] }),
        task('d', { duration_minutes: 5, after: [{ id: 'b', type: 'FF', lag_minutes: 100 }] }),
      ]),
    );
    expect(option('as said')?.metrics).toMatchObject({ makespan_minutes: 175, width: 2 });
  });

  it('compares ways through 5,000 nodes with 20,000 edges', async () => {
    const nodes = Array.from({ length: 4999 }, (_, at) =>
      task(`n${at}`, {
        after: [10, 20, 70, 310].flatMap((back) => (at >= back ? [`n${at - back}`] : [])),
      }),
    );
    const { roadmap } = await build(outlineOf(nodes));
    expect(roadmap.options_tried).toHaveLength(3);
    expect(roadmap.waves).toHaveLength(500);
  }, 60_000);

  it('takes a call without any argument', () => {
    expect(buildRoadmap.prepare({})).toHaveProperty('input');
    expect(buildRoadmap.prepare({ prefer: 'sideways' })).toHaveProperty('problems');
  });
});
