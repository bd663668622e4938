// Going on: what became of a plan, and what to do about it.
import { makePlan } from '#tests/fixtures/plans.ts';
import type { EvalCase } from '../case.ts';

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
];
