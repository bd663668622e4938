import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PatternSpec, PatternType } from '#domain/plan/pattern.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import { PlanOutline } from '#domain/planning/outline.ts';
import { outlineOfDraft } from '#planner/outline/outline-of-draft.ts';
import { validateOutline } from '#planner/outline/validate-outline.ts';
import { stepOf } from './outlines.ts';

const plain = PatternSpec.parse({ pattern_type: 'milestone_project' });

describe('a plan as an outline', () => {
  it('is one goal and a task for each step, under the same ids, with the order between the tasks', () => {
    const draft: PlanDraft = {
      title: 'Move the note',
      summary: 'The note is in the archive.',
      steps: [
        stepOf('1', { target: 'a.md', duration_minutes: 5 }),
        stepOf('2', { after: ['1', { id: '1', type: 'SS', lag_minutes: 10 }] }),
      ],
      risks: ['It may be there already'],
      context: 'Found a.md.',
    };
    const outline = outlineOfDraft(draft, plain);
    expect(PlanOutline.parse(outline)).toEqual(outline);
    expect(outline).toMatchObject({
      title: 'Move the note',
      summary: 'The note is in the archive.',
      pattern: plain,
      risks: [{ text: 'It may be there already' }],
      context: 'Found a.md.',
    });
    expect(outline.nodes).toMatchObject([
      { id: 'goal', parent: null, structure: 'goal', level: 1, title: 'Move the note' },
      { id: '1', parent: 'goal', structure: 'task', level: 2, after: [], duration_minutes: 5 },
      {
        id: '2',
        after: [
          { id: '1', type: 'FS', lag_minutes: 0 },
          { id: '1', type: 'SS', lag_minutes: 10 },
        ],
      },
    ]);
    expect(outline.nodes[2]?.steps).toEqual([stepOf('2')]);
  });

  it('has no violations, whatever its steps and its pattern are', () => {
    const drafts = fc.array(fc.tuple(fc.nat(), fc.boolean()), { minLength: 1, maxLength: 30 }).map(
      (before): PlanDraft => ({
        title: 'Any',
        steps: before.map(([place, waits], index) =>
          stepOf(
            String(index + 1),
            waits && index > 0 ? { after: [String((place % index) + 1)] } : {},
          ),
        ),
      }),
    );
    fc.assert(
      fc.property(drafts, fc.constantFrom(...PatternType.options), (draft, pattern_type) => {
        const outline = outlineOfDraft(draft, PatternSpec.parse({ pattern_type }));
        expect(validateOutline(outline)).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it('gives steps without an id the one they would be stored under, and the goal one that is free', () => {
    const { id: _, ...nameless } = stepOf('x');
    const steps = [stepOf('goal'), nameless, stepOf('3'), nameless];
    const { nodes } = outlineOfDraft({ title: 'Any', steps }, plain);
    expect(nodes.map(({ id }) => id)).toEqual(['goal-2', 'goal', '2', '3', '4']);
    expect(nodes.map(({ steps: [step] }) => step?.id)).toEqual([undefined, 'goal', '2', '3', '4']);
  });

  it('keeps what comes again as a recurring task', () => {
    const series = {
      id: 'weekly',
      title: 'Post the figures',
      rrule: 'FREQ=WEEKLY',
      starts_at: '2026-05-04T09:00:00Z',
      timezone: 'Europe/Berlin',
      until: null,
      steps: [stepOf('post')],
    };
    const outline = outlineOfDraft({ title: 'Figures', steps: [], series: [series] }, plain);
    expect(outline.nodes[1]).toMatchObject({
      id: 'weekly',
      rhythm: 'recurring',
      recurs: { rrule: 'FREQ=WEEKLY', timezone: 'Europe/Berlin' },
      steps: [{ id: 'post' }],
    });
    expect(validateOutline(outline)).toEqual([]);
  });

  it.each([
    [4999, 5000],
    [5000, 2],
  ])('of %i steps has %i nodes, and all of its steps', (count, nodes) => {
    const steps = Array.from({ length: count }, (_, index) => stepOf(String(index + 1)));
    const outline = outlineOfDraft({ title: 'Large', steps }, plain);
    expect(outline.nodes).toHaveLength(nodes);
    expect(outline.nodes.flatMap((node) => node.steps)).toEqual(steps);
  });

  it('leaves more than 1,000 dependencies with their step', () => {
    const after = Array.from({ length: 1001 }, (_, index) => String(index + 1));
    const steps = [...after.map((id) => stepOf(id)), stepOf('last', { after })];
    const outline = outlineOfDraft({ title: 'Wide', steps }, plain);
    expect(outline.nodes.at(-1)).toMatchObject({ after: [], steps: [{ after }] });
    expect(validateOutline(outline)).toEqual([]);
  });
});
