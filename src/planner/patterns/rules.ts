// The five patterns (B6) as data: meaning, hint words, and the shape of an outline (B7). Nothing about a single pattern is
// written elsewhere.
import type { Structure } from '#domain/planning/outline.ts';
import type { PatternType } from '#domain/planning/pattern.ts';
import { progressiveAccumulationArc } from './rules/progressive-accumulation-arc.ts';
import { recurringCycle } from './rules/recurring-cycle.ts';
import { belowGoal, everyRhythm, type PatternRules, recurs } from './rules/shape.ts';
import { strategicTransformation } from './rules/strategic-transformation.ts';

// `milestone_project`: what it means, the words that hint at it, and what an outline of it looks like.
const milestoneProject: PatternRules = {
  title: 'milestone project',
  meaning: 'Work with an end: it is done when something stands, has moved or was sent.',
  hints: {
    strong: ['project', 'milestone', 'milestones', 'deliverable', 'launch', 'release', 'move out'],
    weak: [
      'build',
      'create',
      'write',
      'prepare',
      'organise',
      'organize',
      'set up',
      'finish',
      'phase',
      'phases',
      'deadline',
      'event',
      'trip',
      'conference',
    ],
  },
  subtypes: {
    product_launch: {
      meaning: 'Something new reaches those it is for.',
      hints: ['launch', 'release', 'go live', 'ship', 'rollout', 'roll out'],
    },
    event: {
      meaning: 'People come together at one time and place.',
      hints: ['event', 'conference', 'wedding', 'party', 'workshop', 'offsite', 'meetup'],
    },
    research_study: {
      meaning: 'A question is answered from sources or experiments.',
      hints: ['research', 'study', 'investigate', 'analysis', 'survey', 'compare'],
    },
    document: {
      meaning: 'A text is written, checked and handed over.',
      hints: ['report', 'paper', 'proposal', 'article', 'documentation', 'thesis'],
    },
    relocation: {
      meaning: 'People or things move from one place to another.',
      hints: ['move house', 'relocate', 'relocation', 'move office', 'moving'],
    },
    onboarding: {
      meaning: 'Somebody new is made able to work.',
      hints: ['onboard', 'onboarding', 'new hire', 'new colleague'],
    },
  },
  variants: {
    sequential: {
      meaning: 'One phase after the other.',
      hints: ['one after another', 'step by step', 'in order', 'sequentially', 'waterfall'],
    },
    overlapping_phases: {
      meaning: 'A phase begins while the one before still runs.',
      hints: ['overlap', 'overlapping', 'while the'],
    },
    parallel_streams: {
      meaning: 'Several streams of work side by side.',
      hints: ['in parallel', 'parallel', 'side by side', 'at the same time', 'simultaneously'],
    },
  },
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
};

// `hybrid_project_cycle`: what it means, the words that hint at it, and what an outline of it looks like.
const hybridProjectCycle: PatternRules = {
  title: 'project with a cycle',
  meaning: 'A project with an end, and work inside or after it that comes again by a rule.',
  hints: {
    strong: [
      'sprints',
      'then every week',
      'then every month',
      'then maintain',
      'launch and',
      'and keep it running',
      'with weekly',
      'with monthly',
      'with a weekly',
      'with a monthly',
    ],
    weak: [
      'sprint',
      'scrum',
      'campaign',
      'iteration',
      'iterations',
      'maintain',
      'afterwards keep',
      'course',
      'season',
      'operate',
    ],
  },
  subtypes: {
    sprint_project: {
      meaning: 'A project in rounds of the same length.',
      hints: ['sprint', 'sprints', 'scrum', 'iteration', 'iterations'],
    },
    launch_and_operate: {
      meaning: 'Something is built once and then kept running.',
      hints: ['launch and', 'maintain', 'operate', 'keep it running', 'go live'],
    },
    campaign: {
      meaning: 'A prepared series of posts, mails or events.',
      hints: ['campaign', 'series of posts', 'outreach', 'drip'],
    },
    course: {
      meaning: 'Prepared once, taught in sessions.',
      hints: ['course', 'lessons', 'sessions', 'curriculum', 'seminar'],
    },
  },
  variants: {
    project_then_cycle: {
      meaning: 'First the project, then the cycle.',
      hints: ['then every', 'afterwards', 'after that', 'from then on', 'once it is'],
    },
    cycle_inside_project: {
      meaning: 'The cycle accompanies the project until its end.',
      hints: ['with weekly', 'with a weekly', 'during', 'sprint', 'sprints', 'until'],
    },
  },
  top: { structures: ['goal'], most: 2 },
  below: belowGoal,
  depth: 5,
  rhythms: everyRhythm,
  needs: [recurs, { axis: 'rhythm', any: ['one_off'], text: 'work that is done once' }],
  phaseHolds: ['task', 'checkpoint'],
};

export const patternRules: Record<PatternType, PatternRules> = {
  milestone_project: milestoneProject,
  recurring_cycle: recurringCycle,
  progressive_accumulation_arc: progressiveAccumulationArc,
  hybrid_project_cycle: hybridProjectCycle,
  strategic_transformation: strategicTransformation,
};

/** Parts that each structure may hold; what is beneath a checkpoint would not be looked at. */
export const partsOf: Record<Structure, Structure[]> = {
  goal: ['phase', 'milestone', 'task', 'checkpoint'],
  phase: ['phase', 'milestone', 'task', 'checkpoint'],
  milestone: ['task', 'checkpoint'],
  task: ['task', 'checkpoint'],
  checkpoint: [],
};
