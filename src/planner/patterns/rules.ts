// The five patterns (B6) as data: what each means, the words that hint at it, and what an outline of it looks like (B7).
// Whatever reads them takes the rules as they stand here; nothing about a single pattern is written anywhere else.
import type { Rhythm, Structure } from '#contracts/planning/outline.ts';
import type { PatternType } from '#contracts/planning/pattern.ts';

/** Something known by name: what it means, and the words and phrases that hint at it. */
export type Named = { meaning: string; hints: string[] };

/** What an outline of a pattern cannot do without. */
export type Need =
  | { axis: 'structure'; any: Structure[]; atLeast: number; text: string }
  | { axis: 'rhythm'; any: Rhythm[]; text: string };

export type PatternRules = {
  /** Two or three words for sentences: `recurring cycle`. */
  title: string;
  /** One sentence, for people and models. */
  meaning: string;
  /** Phrases in small letters; `strong` ones nearly decide. */
  hints: { strong: string[]; weak: string[] };
  subtypes: Record<string, Named>;
  variants: Record<string, Named>;
  /** What may stand at L1, and how much of it. */
  top: { structures: Structure[]; most: number };
  /** What may stand below L1. */
  below: Structure[];
  /** Levels that people still read with ease. */
  depth: number;
  rhythms: Rhythm[];
  needs: Need[];
  /** Of these, each phase holds at least one, at any depth. */
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
    meaning: 'Work with an end: it is done when something stands, has moved or was sent.',
    hints: {
      strong: [
        'project',
        'milestone',
        'milestones',
        'deliverable',
        'launch',
        'release',
        'move out',
      ],
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
  },
  recurring_cycle: {
    title: 'recurring cycle',
    meaning: 'The same work again and again by a rule: each day, each Monday, each quarter.',
    hints: {
      strong: [
        'every day',
        'every morning',
        'every evening',
        'every night',
        'every week',
        'every weekday',
        'every month',
        'every quarter',
        'every year',
        'every hour',
        'every other day',
        'every other week',
        'every second week',
        'every monday',
        'every tuesday',
        'every wednesday',
        'every thursday',
        'every friday',
        'every saturday',
        'every sunday',
        'each day',
        'each morning',
        'each week',
        'each month',
        'each monday',
        'each friday',
        'on mondays',
        'on fridays',
        'on weekdays',
        'recurring',
        'repeatedly',
        'once a day',
        'once a week',
        'once a month',
        'twice a week',
        'times a week',
        'times a day',
        'again and again',
      ],
      weak: [
        'daily',
        'weekly',
        'biweekly',
        'fortnightly',
        'monthly',
        'quarterly',
        'yearly',
        'regularly',
        'rota',
        'routine',
        'habit',
      ],
    },
    subtypes: {
      protocol_routine: {
        meaning:
          'A fixed protocol that is followed each time, such as a health or morning routine.',
        hints: ['protocol', 'routine', 'morning routine', 'health', 'medication', 'habit'],
      },
      weekly_review: {
        meaning: 'Looking back and ahead at a fixed time.',
        hints: ['review', 'retrospective', 'retro', 'weekly review', 'look back'],
      },
      standing_meeting: {
        meaning: 'The same people meet at the same time.',
        hints: ['standup', 'stand-up', 'meeting', 'one-on-one', '1:1', 'jour fixe'],
      },
      reporting: {
        meaning: 'The same figures or news, sent each time.',
        hints: ['report', 'digest', 'summary', 'newsletter', 'figures', 'numbers'],
      },
      maintenance: {
        meaning: 'Keeping something in order.',
        hints: ['maintenance', 'backup', 'back up', 'clean', 'tidy', 'check', 'update', 'rotate'],
      },
      reminder: {
        meaning: 'Somebody is reminded each time.',
        hints: ['remind', 'reminder', 'ping me'],
      },
      rota: {
        meaning: 'A duty that goes round.',
        hints: ['rota', 'on call', 'on-call', 'rotation', 'take turns'],
      },
    },
    variants: {
      fixed_days: {
        meaning: 'On fixed days or dates.',
        hints: [
          'every monday',
          'every friday',
          'on mondays',
          'on the first',
          'weekdays',
          'month end',
        ],
      },
      fixed_interval: {
        meaning: 'So long after the last time.',
        hints: ['every other', 'days after', 'every two', 'every three', 'every second'],
      },
    },
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
        hints: [
          'learn',
          'practise',
          'practice',
          'skill',
          'language',
          'instrument',
          'get better at',
        ],
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
  },
  hybrid_project_cycle: {
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
  },
  strategic_transformation: {
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
  },
};

/** Parts that each structure may hold; what is beneath a checkpoint would not be looked at. */
export const partsOf: Record<Structure, Structure[]> = {
  goal: ['phase', 'milestone', 'task', 'checkpoint'],
  phase: ['phase', 'milestone', 'task', 'checkpoint'],
  milestone: ['task', 'checkpoint'],
  task: ['task', 'checkpoint'],
  checkpoint: [],
};
