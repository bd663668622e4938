// `hybrid_project_cycle`: what it means, the words that hint at it, and what an outline of it looks like.
import { belowGoal, everyRhythm, type PatternRules, recurs } from './shape.ts';

export const hybridProjectCycle: PatternRules = {
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
