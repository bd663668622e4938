import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StrategyProfile } from '#domain/planning/schedule.ts';
import {
  createToolset,
  findMisordered,
  type Maker,
  requireOrder,
} from '#planner/tools/registry.ts';
import { builtins, toolsOf } from '../manifest.ts';

const tools = createToolset({
  tools: toolsOf(builtins, {}),
  profile: StrategyProfile.parse({}),
  otherPlans: () => Promise.resolve({ blocks: [], more: false }),
  preferences: { isKnown: () => Promise.resolve(true), claim: () => Promise.resolve(false) },
  guarded: [],
})();

/** The names that the sentences begin with. */
const namesOf = (problems: string[]) => problems.map((text) => text.split(' ', 1)[0]);
const make = (name: string, more: Partial<Maker>): Maker => ({
  name,
  stages: ['DRAFT_OUTLINE'],
  prerequisites: [],
  produces: [],
  ...more,
});

describe('the order of tools', () => {
  it('works out for all that planning has, in whatever order they are listed', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(tools, { minLength: tools.length }), (shuffled) => {
        expect(findMisordered(shuffled)).toEqual([]);
      }),
    );
  });

  it.each([
    [
      'validate_grammar',
      ['resolve_dependencies', 'build_roadmap', 'generate_schedule', 'probe_portfolio'],
    ],
    ['resolve_dependencies', ['build_roadmap', 'generate_schedule', 'probe_portfolio']],
    ['build_roadmap', ['generate_schedule', 'probe_portfolio']],
    ['generate_schedule', ['probe_portfolio']],
    ['probe_portfolio', []],
  ])('without %s names all that wait for it', (missing, named) => {
    const left = tools.filter(({ name }) => name !== missing);
    expect(namesOf(findMisordered(left)).sort()).toEqual([...named].sort());
  });

  it('does not work out when what a tool needs is made in a later stage only', () => {
    const early = make('early', { prerequisites: ['outline'], stages: ['COLLECT_CONTEXT'] });
    const late = make('late', { produces: ['outline'], stages: ['DRAFT_OUTLINE'] });
    expect(findMisordered([early, late])).toEqual([
      'early needs outline, which nothing makes by COLLECT_CONTEXT.',
    ]);
    expect(findMisordered([{ ...early, stages: ['DRAFT_OUTLINE'] }, late])).toEqual([]);
  });

  it('does not work out when two wait for each other', () => {
    const one = make('one', { prerequisites: ['outline'], produces: ['pattern'] });
    const other = make('other', { prerequisites: ['pattern'], produces: ['outline'] });
    expect(namesOf(findMisordered([one, other]))).toEqual(['one', 'other']);
    const free = make('free', { produces: ['outline'] });
    expect(findMisordered([one, other, free])).toEqual([]);
  });

  it('is required before anybody plans', () => {
    expect(() => requireOrder([make('lonely', { prerequisites: ['schedule'] })])).toThrow(
      'lonely needs schedule, which nothing makes by DRAFT_OUTLINE.',
    );
    expect(() => requireOrder(tools)).not.toThrow();
  });
});
