// Whether tools can be called in the order of the stages at all (B3): each must find what it needs made by a tool of the
// same stage or an earlier one. It is asked once, before any session, so that no stage ever offers nothing.
import { CountersignError } from '#contracts/errors.ts';
import { type Stage, workingStages } from '#contracts/planning/stages.ts';
import type { Product } from '../tools/planning-tool.ts';
import type { StageTool } from './stage-tool.ts';

export type Maker = Pick<StageTool, 'name' | 'stages' | 'prerequisites' | 'produces'>;

const way: readonly Stage[] = workingStages;

/** A stage that makes something itself, without a tool. */
const stagesThatMake: Maker[] = [
  {
    name: 'VALIDATE_ROADMAP',
    stages: ['VALIDATE_ROADMAP'],
    prerequisites: ['roadmap'],
    produces: ['valid_roadmap'],
  },
];

/** The first place on the way at which `maker` can be called; Infinity: there is none. */
function firstPlace({ stages, prerequisites }: Maker, made: Map<Product, number>): number {
  const from = Math.max(0, ...prerequisites.map((product) => made.get(product) ?? Infinity));
  const places = stages.map((stage) => way.indexOf(stage)).filter((place) => place >= from);
  return Math.min(Infinity, ...places);
}

/** A sentence for each tool that could never be called; empty when all is in order. */
export function findMisordered(tools: Maker[]): string[] {
  const made = new Map<Product, number>();
  let waiting = [...stagesThatMake, ...tools];
  // As with Kahn's algorithm: what can be called makes its products, which may free others; what is left cannot.
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

/** @throws CountersignError `internal`: the tools contradict each other */
export function requireOrder(tools: Maker[]): void {
  const problems = findMisordered(tools);
  if (problems.length > 0) throw new CountersignError('internal', problems.join(' '));
}
