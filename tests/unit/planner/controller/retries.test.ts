// Uncertain drafts: the suggested fix, a smaller draft, then a person.
import { describe, expect, it } from 'vitest';
import { defaultPolicy } from '#domain/people/policy.ts';
import type { PlanningState } from '#domain/planning/state.ts';
import type { StageTask } from '#planner/reasoner.ts';
import { node } from '../../../fixtures/model-calls.ts';
import { outlineOf, task, write } from '../order/outlines.ts';
import { limits } from '../planners.ts';
import { request } from '../requests.ts';
import { type Acts, calling, script, takesMilestones } from './scripted.ts';

const signal = () => new AbortController().signal;

const sound = outlineOf([task('a'), task('b')]);

function written({ nodes, title, summary }: typeof sound) {
  return {
    title,
    summary,
    risks: [],
    assumptions: [],
    confidence: 0.9,
    nodes: nodes.map(({ id, parent, title: name, structure, steps }) =>
      node(id, structure, {
        parent,
        title: name,
        steps: steps.map(({ description, tool, operation, args }, index) => ({
          id: `${id}-${index}`,
          description,
          tool,
          operation,
          args: JSON.stringify(args ?? {}),
          after: [],
          notes: null,
        })),
      }),
    ),
  };
}

function drafting(nodes: typeof sound, seen: PlanningState[] = []): Acts {
  return {
    COLLECT_CONTEXT: takesMilestones,
    DRAFT_OUTLINE: async (one: StageTask, time: number) => {
      seen.push(structuredClone(one.state));
      return calling('generate_nodes', written(nodes))(one, time);
    },
  };
}

describe('an outline of which its reasoner is not sure', () => {
  it.each([
    ['suggest_when_uncertain', /craft_options/],
    ['on_demand', /only what is certain/],
  ] as const)('is tried again, with %s by %s', async (brainstorming_preference, hint) => {
    const seen: PlanningState[] = [];
    const { planner } = script({
      COLLECT_CONTEXT: takesMilestones,
      DRAFT_OUTLINE: async (one, time) => {
        seen.push(structuredClone(one.state));
        return calling('generate_nodes', { ...written(sound), confidence: 0.3 })(one, time);
      },
    });
    const policy = { ...defaultPolicy, brainstorming_preference };
    await planner.plan({ ...request('Plan the notes'), policy }, signal());
    expect(seen[1]?.hints.join(' ')).toMatch(hint);
    expect(seen[1]?.confidence.DRAFT_OUTLINE?.composite).toBe(0.65);
  });
});

describe('an outline that breaks a rule', () => {
  const twoGoals = outlineOf([
    task('a'),
    { ...task('second'), parent: null, structure: 'goal', level: 1, steps: [] },
    { ...task('b'), parent: 'second', steps: [write('b')] },
  ]);

  it('is mended once by the suggested fix, without asking its reasoner again, and the trace says how', async () => {
    const { planner, asked } = script(drafting(twoGoals));
    const outcome = await planner.plan(request('Plan the notes'), signal());
    expect(outcome.result.kind).toBe('proposal');
    expect(asked).toEqual(['COLLECT_CONTEXT', 'DRAFT_OUTLINE']);
    const checked = outcome.trace.filter(({ tool }) => tool === 'validate_grammar');
    expect(checked.map(({ ok }) => ok)).toEqual([false, true]);
    expect(checked[0]?.violations?.some(({ blocking }) => blocking)).toBe(true);
    const mended = outcome.trace.find(({ explanation }) => /suggested fix/.test(explanation));
    expect(mended?.adaptations?.length).toBeGreaterThan(0);
    expect(outcome.trace.map(({ event }) => event)).toContain('invalid_retryable');
  });

  it('goes to a person where nothing may be tried again', async () => {
    const { planner } = script(drafting(twoGoals), { limits: { ...limits, retries: 0 } });
    const outcome = await planner.plan(request('Plan the notes'), signal());
    expect(outcome.result).toMatchObject({ kind: 'question' });
    expect(outcome.session?.pause).toMatchObject({ kind: 'questions', resume: 'DRAFT_OUTLINE' });
  });
});
