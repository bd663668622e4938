// The five patterns (B6) as data.
import type { PatternType } from '#domain/plan/pattern.ts';
import type { Rhythm, Structure } from '#domain/planning/outline.ts';

export type Need =
  | { axis: 'structure'; any: Structure[]; atLeast: number; text: string }
  | { axis: 'rhythm'; any: Rhythm[]; text: string };

export type PatternRules = {
  title: string;
  meaning: string;
  subtypes: string[];
  variants: string[];
  top: { structures: Structure[]; most: number };
  below: Structure[];
  /** Still easy to read. */
  depth: number;
  rhythms: Rhythm[];
  needs: Need[];
  phaseHolds: Structure[];
};

const belowGoal: Structure[] = ['phase', 'milestone', 'task', 'checkpoint'];
const everyRhythm: Rhythm[] = ['one_off', 'recurring', 'cumulative', 'continuous'];
const recurs: Need = {
  axis: 'rhythm',
  any: ['recurring'],
  text: 'something that comes again by a rule',
};

export const patternRules: Record<PatternType, PatternRules> = {
  milestone_project: {
    title: 'milestone project',
    meaning: 'Work with an end: it is done when something is built, moved or sent.',
    subtypes: ['product_launch', 'event', 'research_study', 'document', 'relocation', 'onboarding'],
    variants: ['sequential', 'overlapping_phases', 'parallel_streams'],
    top: { structures: ['goal'], most: 1 },
    below: belowGoal,
    depth: 5,
    rhythms: ['one_off', 'continuous'],
    needs: [
      {
        axis: 'structure',
        any: ['phase', 'milestone'],
        atLeast: 1,
        text: 'a phase or a milestone',
      },
    ],
    phaseHolds: ['task', 'checkpoint'],
  },
  recurring_cycle: {
    title: 'recurring cycle',
    meaning: 'The same work again and again by a rule: each day, each Monday, each quarter.',
    subtypes: [
      'protocol_routine',
      'weekly_review',
      'standing_meeting',
      'reporting',
      'maintenance',
      'reminder',
      'rota',
    ],
    variants: ['fixed_days', 'fixed_interval'],
    top: { structures: ['goal'], most: 1 },
    below: belowGoal,
    depth: 4,
    rhythms: ['recurring', 'one_off', 'continuous'],
    needs: [recurs],
    phaseHolds: ['task', 'checkpoint'],
  },
  progressive_accumulation_arc: {
    title: 'progressive accumulation',
    meaning: 'Small pieces add up towards an amount: pages, savings, kilometres, skill.',
    subtypes: [
      'skill_building',
      'training_plan',
      'savings_plan',
      'reading_plan',
      'writing_plan',
      'collection',
    ],
    variants: ['linear', 'ramp_up'],
    top: { structures: ['goal'], most: 1 },
    below: belowGoal,
    depth: 4,
    rhythms: everyRhythm,
    needs: [
      { axis: 'rhythm', any: ['cumulative'], text: 'something that adds up towards an amount' },
    ],
    phaseHolds: ['task', 'checkpoint'],
  },
  hybrid_project_cycle: {
    title: 'project with a cycle',
    meaning: 'A project with an end, and work inside or after it that comes again by a rule.',
    subtypes: ['sprint_project', 'launch_and_operate', 'campaign', 'course'],
    variants: ['project_then_cycle', 'cycle_inside_project'],
    top: { structures: ['goal'], most: 2 },
    below: belowGoal,
    depth: 5,
    rhythms: everyRhythm,
    needs: [recurs, { axis: 'rhythm', any: ['one_off'], text: 'work that is done once' }],
    phaseHolds: ['task', 'checkpoint'],
  },
  strategic_transformation: {
    title: 'strategic transformation',
    meaning:
      'How something works is changed over a long time, in phases with a look before each next one.',
    subtypes: [
      'organisational_change',
      'technology_migration',
      'market_entry',
      'personal_reinvention',
    ],
    variants: ['pilot_first', 'phased', 'big_bang'],
    top: { structures: ['goal'], most: 7 },
    below: belowGoal,
    depth: 6,
    rhythms: everyRhythm,
    needs: [
      { axis: 'structure', any: ['phase'], atLeast: 2, text: 'two phases or more' },
      {
        axis: 'structure',
        any: ['milestone', 'checkpoint'],
        atLeast: 1,
        text: 'a milestone or a checkpoint',
      },
    ],
    phaseHolds: ['milestone', 'checkpoint'],
  },
};

/** A checkpoint has none: they would never be checked. */
export const partsOf: Record<Structure, Structure[]> = {
  goal: ['phase', 'milestone', 'task', 'checkpoint'],
  phase: ['phase', 'milestone', 'task', 'checkpoint'],
  milestone: ['task', 'checkpoint'],
  task: ['task', 'checkpoint'],
  checkpoint: [],
};
