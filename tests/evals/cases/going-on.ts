import type { BriefStep } from '#domain/plan/brief.ts';
import { makePlan } from '#tests/fixtures/plans.ts';
import { type EvalCase, plans as planned, writes } from '../case.ts';

const failed = makePlan({
  id: 'PLAN-77aa0001',
  title: 'Export the customers to exports/customers.csv',
  summary: 'Reads the customers, writes exports/customers.csv and posts about it in #data.',
  status: 'failed',
  requester: 'ana',
  result_summary: '1 of 3 steps done; step 2 failed: exports/customers.csv already exists.',
});
const waiting = makePlan({
  id: 'PLAN-77aa0002',
  title: 'Delete the old backups',
  summary: 'Deletes backups/2023.tar and backups/2024.tar.',
  requester: 'ana',
});
const plans = [failed, waiting];

const stepAtHand = (id: string, status: BriefStep['status'], description: string): BriefStep => ({
  ...{ label: id, id, status, description, operation: 'text_write', args: '{}', after: [] },
});

export const goingOn: EvalCase[] = [
  {
    id: 'going-on-waiting',
    request: 'is anything still waiting for my ok?',
    plans,
    expect: {
      outcome: 'answer',
      says: { has: ['old backups'], lacks: ['customers'] },
      atMost: { calls: 2 },
    },
  },
  {
    id: 'going-on-what-happened',
    request: 'what happened with the customer export?',
    plans,
    expect: {
      outcome: 'answer',
      says: { has: ['failed', 'already exists'], lacks: ['backups'] },
      atMost: { calls: 3 },
    },
  },
  {
    id: 'going-on-approve-by-word',
    request: 'can you approve the backup one for me? thx',
    plans,
    expect: {
      outcome: 'answer',
      says: { oneOf: ['approve'], lacks: ['I approved', 'is approved', 'has been'] },
      atMost: { calls: 3 },
    },
  },
  {
    id: 'going-on-fix-and-go-on',
    request: 'fix what failed in the customer export and go on',
    files: { 'exports/customers.csv': 'old' },
    plans,
    expect: {
      outcome: ['proposal', 'question', 'answer'],
      says: { has: ['customers.csv'], lacks: ['is fixed', 'has been'] },
      atMost: { calls: 5 },
    },
  },
  {
    id: 'going-on-at-hand',
    request: 'how far is it, and what has it cost?',
    atHand: [
      {
        ...{ id: 'PLAN-77aa0003', title: 'Translate the handbook', status: 'executing' },
        ...{ revision: 9, total_steps: 3, result: null, cost_usd: 0.04, budget_usd: 0.2 },
        steps: [
          stepAtHand('1', 'succeeded', 'Translate chapter 1'),
          stepAtHand('2', 'running', 'Translate chapter 2'),
          stepAtHand('3', 'pending', 'Translate chapter 3'),
        ],
      },
    ],
    expect: {
      outcome: 'answer',
      says: { has: ['chapter 2', '0.04', '0.20'] },
      reads: { mustNot: ['plan_list'] },
      atMost: { calls: 1 },
    },
  },
  {
    id: 'going-on-thread',
    request: 'write what we agreed into notes/launch.md',
    thread: {
      text: 'ben, 10:41: Monday or Thursday?\ncleo, 10:52: Thursday. Monday is a holiday.\nben, 10:53: Thursday it is, at 9.',
      ...{ read: 3, total: 3, link: null, note: null, files: false },
    },
    expect: planned([writes('notes/launch.md', { $has: ['Thursday'], $lacks: ['Monday or'] })], {
      count: 1,
      atMost: { calls: 1 },
    }),
  },
];
