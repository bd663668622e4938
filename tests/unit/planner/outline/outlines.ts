import fc from 'fast-check';
import { PatternSpec, PatternType } from '#domain/plan/pattern.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import { OutlineNode, PlanOutline, Rhythm, Structure } from '#domain/planning/outline.ts';
import { setLevels } from '#planner/outline/outline-tree.ts';

export type Sketch = Omit<Partial<OutlineNode>, 'steps' | 'after'> & {
  id: string;
  after?: string[];
  steps?: (string | StepDraft)[];
};

export function stepOf(id: string, more: Partial<StepDraft> = {}): StepDraft {
  return { id, description: `Do ${id}`, tool: 'control', operation: 'noop', ...more };
}

export function nodeOf({ after = [], steps = [], ...rest }: Sketch): OutlineNode {
  return OutlineNode.parse({
    title: `Node ${rest.id}`,
    structure: 'task',
    level: 1,
    ...rest,
    after: after.map((id) => ({ id })),
    steps: steps.map((step) => (typeof step === 'string' ? stepOf(step) : step)),
  });
}

export function outlineOf(sketches: Sketch[], pattern: Partial<PatternSpec> = {}): PlanOutline {
  return PlanOutline.parse({
    title: 'The whole',
    summary: 'All of it is done',
    pattern: PatternSpec.parse({ pattern_type: 'milestone_project', ...pattern }),
    nodes: setLevels(sketches.map(nodeOf)),
  });
}

/** A goal with two phases of one task each. */
export const sound: Sketch[] = [
  { id: 'g', structure: 'goal' },
  { id: 'p', parent: 'g', structure: 'phase' },
  { id: '1', parent: 'p', steps: ['1'] },
  { id: 'q', parent: 'g', structure: 'phase', after: ['p'] },
  { id: '2', parent: 'q', steps: ['2'], after: ['1'] },
];

export function changed(id: string, change: Partial<Sketch>): Sketch[] {
  return sound.map((sketch) => (sketch.id === id ? { ...sketch, ...change } : sketch));
}

const recurs = {
  rrule: 'FREQ=WEEKLY;BYDAY=MO',
  starts_at: '2026-05-04T09:00:00Z',
  timezone: 'Europe/Berlin',
  until: null,
};

function rarely<T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> {
  return fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value });
}

/** Few ids, so that nodes meet, miss and contain each other. */
export const anyOutline: fc.Arbitrary<PlanOutline> = fc
  .record({
    pattern_type: fc.constantFrom(...PatternType.options),
    confidence: fc.option(fc.constant(0.8), { nil: undefined }),
    nodes: fc.array(
      fc.record({
        id: fc.integer({ min: 1, max: 14 }).map(String),
        parent: fc.option(fc.integer({ min: 0, max: 14 }).map(String), { nil: null, freq: 5 }),
        structure: fc.constantFrom(...Structure.options),
        rhythm: fc.constantFrom('one_off' as const, 'one_off' as const, ...Rhythm.options),
        level: fc.integer({ min: 1, max: 9 }),
        after: fc.array(
          fc.record({
            id: fc.integer({ min: 0, max: 15 }).map(String),
            type: fc.constantFrom('FS', 'SS', 'FF', 'SF'),
            lag_minutes: fc.integer({ min: -60, max: 60 }),
          }),
          { maxLength: 2 },
        ),
        steps: fc.array(
          fc.record({
            id: fc.integer({ min: 1, max: 20 }).map((id) => `s${id}`),
            after: fc.array(
              fc.integer({ min: 1, max: 21 }).map((id) => `s${id}`),
              { maxLength: 1 },
            ),
            from: rarely(fc.integer({ min: 1, max: 20 }).map((id) => `s${id}`)),
          }),
          { maxLength: 2 },
        ),
        recurs: rarely(fc.constant(recurs)),
        target: rarely(fc.constant({ amount: 5, unit: 'pages' })),
      }),
      { maxLength: 22 },
    ),
  })
  .map(({ pattern_type, confidence, nodes }) => {
    let count = 0;
    return PlanOutline.parse({
      title: 'The whole',
      summary: 'All of it is done',
      pattern: { pattern_type, ...(confidence === undefined ? {} : { confidence }) },
      nodes: nodes.map(({ steps, ...node }) => ({
        ...node,
        title: `Node ${node.id}`,
        steps: steps.map(({ id, after, from }) => {
          count += 1;
          // The description tells steps apart; IDs don't matter.
          const args = from === null ? {} : { value: { $from: from, path: '' } };
          return stepOf(id, { description: `Step number ${count}`, after, args });
        }),
      })),
    });
  });
