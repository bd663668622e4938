import { expect, it } from 'vitest';
import { viewPlan } from '#cards/view-model.ts';
import type { Finding } from '#domain/plan/finding.ts';
import { makeFacts, makeFinding, makeStep, standupSteps } from '../../fixtures/plans.ts';

const running = {
  status: 'executing',
  execution_started_at: '2026-02-03T14:03:00.000Z',
} as const;

const factsWith = (finding: Finding, more = 0, steps = standupSteps) =>
  makeFacts(running, steps, { findings: { open: [finding], more } });

it('asks what becomes of the steps on hold, with a button for each way', () => {
  const { asks } = viewPlan(factsWith(makeFinding()));
  expect(asks).toHaveLength(1);
  const [ask] = asks;
  expect(ask?.label).toBe('Problem · step 1');
  expect(ask?.known).toEqual([
    '12 steps that depend on it are on hold; everything else continues.',
  ]);
  expect(ask?.quotes).toEqual([{ by: 'Evidence', words: '“5,000 rows then, 5,012 now”' }]);
  expect(ask?.buttons.map(({ label, press }) => [label, press.action, press.finding_id])).toEqual([
    ['Correct the plan', 'finding_replan', 'F-11111111'],
    ['Run them as they are', 'finding_proceed', 'F-11111111'],
    ['Leave them out', 'finding_leave_out', 'F-11111111'],
  ]);
});

it('says that the rest of the plan runs on, or that nothing does before somebody decides', () => {
  const runs = [makeStep('1', { status: 'running' }), makeStep('2', { status: 'stale' })];
  expect(viewPlan(factsWith(makeFinding(), 0, runs)).state.words).toBe('Running, with a problem');
  const held = [makeStep('1', { status: 'succeeded' }), makeStep('2', { status: 'stale' })];
  expect(viewPlan(factsWith(makeFinding(), 0, held)).state.words).toBe('Waiting for a decision');
});

it('asks nothing while the plan is being corrected, and says so', () => {
  const view = viewPlan(factsWith(makeFinding({ status: 'replanning', replans: 2 })));
  expect(view.asks).toEqual([]);
  expect(view.sections.find(({ kind }) => kind === 'findings')?.lines).toMatchObject([
    {
      lead: '⟳',
      text: '“orders.csv has changed since step 1 read it.”',
      note: '12 steps on hold · working out a change of the plan, try 2',
    },
  ]);
});

it('lists what is only good to know, and counts what it does not list', () => {
  const warning = makeFinding({ severity: 'WARN', stale_steps: 0, actions: ['dismiss'] });
  const view = viewPlan(factsWith(warning, 3));
  expect(view.asks).toEqual([]);
  expect(view.sections.find(({ kind }) => kind === 'findings')).toMatchObject({
    lines: [{ lead: '△', note: '' }],
    hidden: 3,
  });
});

it('tells of a problem before a plan is approved', () => {
  const facts = makeFacts({}, standupSteps, {
    findings: { open: [makeFinding({ category: 'prerequisite', actions: ['proceed'] })], more: 0 },
  });
  expect(viewPlan(facts).asks.map(({ buttons }) => buttons.map(({ label }) => label))).toEqual([
    ['Run them as they are'],
  ]);
});
