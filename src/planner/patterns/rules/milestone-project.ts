// `milestone_project`: what it means, the words that hint at it, and what an outline of it looks like.
import { belowGoal, type PatternRules } from './shape.ts';

export const milestoneProject: PatternRules = {
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
