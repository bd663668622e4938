// The pattern `strategic_transformation`: meaning, hint words, and the shape of an outline.
import { belowGoal, everyRhythm, type PatternRules } from './shape.ts';

export const strategicTransformation: PatternRules = {
  title: 'strategic transformation',
  meaning:
    'How something works is changed over a long time, in phases with a look before each next one.',
  hints: {
    strong: [
      'digital transformation',
      'business transformation',
      'strategic transformation',
      'transform the company',
      'transform how',
      'change management',
      'migrate the company',
      'culture change',
      'company-wide',
      'organisation-wide',
      'organization-wide',
    ],
    weak: [
      'transformation',
      'reorganise',
      'reorganize',
      'restructure',
      'overhaul',
      'strategy',
      'strategic',
      'migration',
      'modernise',
      'modernize',
      'adopt',
      'vision',
      'roadmap',
      'long term',
      'long-term',
      'across teams',
      'market entry',
    ],
  },
  subtypes: {
    organisational_change: {
      meaning: 'How people work together is changed.',
      hints: ['reorganise', 'reorganize', 'restructure', 'culture', 'teams', 'hiring'],
    },
    technology_migration: {
      meaning: 'One system takes the place of another.',
      hints: ['migration', 'migrate', 'legacy', 'platform', 'cloud', 'modernise', 'modernize'],
    },
    market_entry: {
      meaning: 'A new market or group of customers is won.',
      hints: ['market entry', 'new market', 'expand', 'expansion', 'internationalise'],
    },
    personal_reinvention: {
      meaning: 'A person changes their career or life.',
      hints: ['career change', 'change my life', 'reinvent', 'career'],
    },
  },
  variants: {
    pilot_first: {
      meaning: 'Tried in a small place before it spreads.',
      hints: ['pilot', 'trial', 'try it first', 'proof of concept'],
    },
    phased: {
      meaning: 'In waves.',
      hints: ['phased', 'in waves', 'gradually', 'phase by phase'],
    },
    big_bang: { meaning: 'All on one day.', hints: ['big bang', 'all at once', 'on one day'] },
  },
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
};
