// The pattern `progressive_accumulation_arc`: meaning, hint words, and the shape of an outline.
import { belowGoal, everyRhythm, type PatternRules } from './shape.ts';

export const progressiveAccumulationArc: PatternRules = {
  title: 'progressive accumulation',
  meaning: 'Small pieces add up towards an amount: pages, savings, kilometres, skill.',
  hints: {
    strong: [
      'want to learn',
      'help me learn',
      'learn to',
      'learn how to',
      'save up',
      'savings plan',
      'train for',
      'training plan',
      'build up',
      'get better at',
      'pages a day',
      'words a day',
      'step by step towards',
      'lose weight',
      'couch to',
    ],
    weak: [
      'learn',
      'savings',
      'accumulate',
      'progressively',
      'practice',
      'practise',
      'improve',
      'gradually',
      'increase',
      'exercise',
      'study for',
      'read the book',
      'marathon',
      'saving',
    ],
  },
  subtypes: {
    skill_building: {
      meaning: 'A skill grows by practice.',
      hints: ['learn', 'practise', 'practice', 'skill', 'language', 'instrument', 'get better at'],
    },
    training_plan: {
      meaning: 'The body is trained towards a mark.',
      hints: ['train for', 'training plan', 'marathon', 'run', 'strength', 'workout', 'couch to'],
    },
    savings_plan: {
      meaning: 'Money is put aside towards a sum.',
      hints: ['save', 'savings', 'save up', 'put aside', 'budget'],
    },
    reading_plan: {
      meaning: 'Something long is read in parts.',
      hints: ['read', 'reading', 'pages a day', 'book', 'chapters'],
    },
    writing_plan: {
      meaning: 'Something long is written in parts.',
      hints: ['words a day', 'novel', 'write a book', 'chapter a'],
    },
    collection: {
      meaning: 'Things are gathered until there are enough.',
      hints: ['collect', 'gather', 'signatures', 'interviews', 'samples'],
    },
  },
  variants: {
    linear: {
      meaning: 'The same amount each time.',
      hints: ['a day', 'per day', 'a week', 'each time'],
    },
    ramp_up: {
      meaning: 'A little more each time.',
      hints: ['gradually', 'increase', 'ramp', 'progressively', 'more each'],
    },
  },
  top: { structures: ['goal'], most: 1 },
  below: belowGoal,
  depth: 4,
  rhythms: everyRhythm,
  needs: [
    { axis: 'rhythm', any: ['cumulative'], text: 'something that adds up towards an amount' },
  ],
  phaseHolds: ['task', 'checkpoint'],
};
