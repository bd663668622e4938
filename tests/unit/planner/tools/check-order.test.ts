// Each tool's needs are met by tools of its stage or an earlier one (B3).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Stage, workingStages } from '#domain/planning/stages.ts';
import type { Product, Tool } from '#planner/tool.ts';
import { createToolset } from '#planner/tools/registry.ts';
import { builtins, toolsOf } from '../manifest.ts';

type Maker = Pick<Tool, 'name' | 'stages' | 'prerequisites' | 'produces'>;

const way: readonly Stage[] = workingStages;

const stagesThatMake: Maker[] = [
  {
    name: 'VALIDATE_ROADMAP',
    stages: ['VALIDATE_ROADMAP'],
    prerequisites: ['roadmap'],
    produces: ['valid_roadmap'],
  },
];

function firstPlace({ stages, prerequisites }: Maker, made: Map<Product, number>): number {
  const from = Math.max(0, ...prerequisites.map((product) => made.get(product) ?? Infinity));
  const places = stages.map((stage) => way.indexOf(stage)).filter((place) => place >= from);
  return Math.min(Infinity, ...places);
}

function findMisordered(tools: Maker[]): string[] {
  const made = new Map<Product, number>();
  let waiting = [...stagesThatMake, ...tools];
  // Kahn's algorithm: callable tools make products that free others.
  for (let place = 0; place < way.length; ) {
    const ready = waiting.filter((maker) => firstPlace(maker, made) <= place);
    if (ready.length === 0) {
      place += 1;
      continue;
    }
    waiting = waiting.filter((maker) => !ready.includes(maker));
    for (const product of ready.flatMap(({ produces }) => produces))
      if (!made.has(product)) made.set(product, place);
  }
  return waiting
    .filter((maker) => tools.includes(maker))
    .map(({ name, prerequisites, stages }) => {
      const needs = prerequisites.join(' and ') || 'nothing';
      return `${name} needs ${needs}, which nothing makes by ${stages.at(-1) ?? 'any stage'}.`;
    });
}

const tools = createToolset({
  tools: toolsOf(builtins, {}),
  otherPlans: () => Promise.resolve({ blocks: [], more: false }),
  preferences: {
    isKnown: () => Promise.resolve(true),
    isBusy: () => Promise.resolve(true),
    claim: () => Promise.resolve(false),
  },
  guarded: [],
})();

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
});
