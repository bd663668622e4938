// Session, outline, roadmap and plan share one pattern; the old field is read-only.
import { describe, expect, it } from 'vitest';
import { draftPlan } from '#planner/draft/draft-plan.ts';
import { validateRoadmap } from '#planner/order/collect-edges.ts';
import { createBuildRoadmap } from '#planner/tools/build-roadmap.ts';
import { deskOf, outlineOf, phase, task } from '../order/outlines.ts';
import { request } from '../requests.ts';
import { notes, proposing, script, takesMilestones } from './scripted.ts';

const signal = () => new AbortController().signal;

describe('the pattern that was selected', () => {
  it('stands in the outline, in the roadmap and in the plan as it was selected', async () => {
    const { planner } = script({
      COLLECT_CONTEXT: takesMilestones,
      DRAFT_OUTLINE: proposing(notes('a.txt')),
    });
    const { session, result } = await planner.plan(request('Plan the notes'), signal());
    if (result.kind !== 'proposal') throw new Error(result.kind);
    const pattern = session?.pattern;
    expect(pattern).toMatchObject({ pattern_type: 'milestone_project', confidence: 0.9 });
    expect(session?.outline?.pattern).toEqual(pattern);
    expect(session?.roadmap?.pattern).toEqual(pattern);
    expect(session?.roadmap?.context.pattern).toEqual(pattern);
    expect(result.draft.context).toMatchObject({ pattern });
  });
});

describe('the deprecated pattern_type of a roadmap', () => {
  const proposed = {
    pattern_type: 'proposed:relay',
    source_pattern: 'milestone_project',
    rfc: 'Work is handed on, which no known pattern says.',
    introduced_by: 'ai_adaptation',
  } as const;
  const outline = outlineOf([phase('p'), task('a', { parent: 'p' }), task('b', { parent: 'p' })], {
    pattern: proposed,
  });

  async function build() {
    const outcome = await createBuildRoadmap({ guarded: [] }).execute({}, deskOf(outline));
    const roadmap = outcome.changes?.roadmap;
    if (!roadmap) throw new Error(outcome.result.explanations.join(' '));
    return roadmap;
  }

  it('names the canonical pattern, for those who still read it; the truth is `pattern`', async () => {
    const roadmap = await build();
    expect(roadmap.context.pattern_type).toBe('milestone_project');
    expect(roadmap.context.pattern).toEqual(proposed);
    expect(roadmap.pattern).toEqual(proposed);
  });

  it('is read by nobody: what it says, or that it is gone, changes neither checks nor plan', async () => {
    const roadmap = await build();
    const { pattern_type: _, ...context } = roadmap.context;
    for (const other of [context, { ...context, pattern_type: 'recurring_cycle' }]) {
      const changed = { ...roadmap, context: other };
      expect(draftPlan(outline, changed, null)).toEqual(draftPlan(outline, roadmap, null));
      expect(validateRoadmap(outline, changed)).toEqual(validateRoadmap(outline, roadmap));
    }
  });
});
