import { describe, expect, it } from 'vitest';
import { viewPlan } from '#cards/view-model.ts';
import {
  describeDecision,
  nameSending,
  showForTriage,
  type Triage,
  type TriageAct,
  type TriageRow,
  toSend,
  whyNot,
} from '../../../adapters/console/page/inbox/triage.ts';
import { makeFacts, makePlan, standupSteps } from '../../fixtures/plans.ts';

const at = '2026-05-04T09:00:00.000Z';
const passed = { labels: ['2'], more: 0, first: at, last: at, last_since_proposal: at };

const shown = (
  plan: Parameters<typeof makeFacts>[0],
  except: string[] = [],
  more: Parameters<typeof makeFacts>[2] = {},
) => {
  const facts = makeFacts(plan, undefined, { may_approve: true, ...more });
  return showForTriage(facts, viewPlan(facts), except);
};

describe('what is said of a plan before it is decided with others', () => {
  it('is its version, what it changes, and how many changes there are', () => {
    const one = shown({ version: 3 });
    expect(one.version).toBe(3);
    expect(one.effects.length).toBeGreaterThan(0);
    expect(one.counts).toMatch(new RegExp(`^${standupSteps.length} steps · \\d changes?$`));
    expect(one.open).toBe(true);
  });

  it('leaves out the steps that were unticked in its review', () => {
    expect(shown({}, ['1']).counts).toContain(
      `${standupSteps.length - 1} of ${standupSteps.length} steps, as you selected them`,
    );
  });

  it('says when nothing of it is to be decided any more', () => {
    expect(whyNot('reject', shown({ status: 'executing' }), true)).toContain('No longer waiting');
    expect(whyNot('approve', shown({ revising: true }), true)).toContain('No longer waiting');
  });
});

describe('a plan with guarded steps, or more effects than are shown', () => {
  const guarded = shown({ guarded_operations: ['http_request'] });

  it('is opened before it is approved', () => {
    expect(whyNot('approve', guarded, false)).toContain('Open it and read them');
    expect(whyNot('approve', guarded, true)).toBeNull();
    expect(whyNot('approve', { ...shown({}), cut: true }, false)).toContain('Open it');
  });

  it('can be rejected as it is', () => {
    expect(whyNot('reject', guarded, false)).toBeNull();
  });
});

describe('pressing the button', () => {
  const row = (more: Partial<TriageRow>): TriageRow => ({
    plan: {
      ...makePlan(),
      waits: 'approval',
      waits_since: null,
      waits_step: null,
      may_approve: true,
    },
    shown: shown({}),
    included: true,
    key: 'k',
    outcome: null,
    ...more,
  });

  it('sends what is included, read and not settled', () => {
    const rows = [
      row({ key: '1' }),
      row({ key: '2', included: false }),
      row({ key: '3', shown: null }),
      row({ key: '4', outcome: { words: 'Approved', good: true, settled: true } }),
      row({ key: '5', outcome: { words: 'No answer', good: false, settled: false } }),
    ];
    const triage: Triage = { act: 'approve', rows, reason: '', sending: false };
    expect(toSend(triage).map(({ key }) => key)).toEqual(['1', '5']);
  });

  it('names the plans whose start has passed, and sends which start was seen', () => {
    const late = row({ shown: shown({}, [], { passed }) });
    const name = (act: TriageAct, ...rows: TriageRow[]) =>
      nameSending({ act, rows, reason: '', sending: false });
    expect(late.shown).toMatchObject({ passed: at });
    expect(late.shown?.sentence).toContain('has passed: step 2 starts at once');
    expect(name('approve', row({}))).toBe('Approve 1 plan');
    expect(name('approve', late)).toBe('Approve 1 plan · starts now');
    expect(name('approve', late, row({}))).toBe('Approve 2 plans · 1 starts now');
    expect(name('reject', late)).toBe('Reject 1 plan');
  });

  it('tells an approval that is not enough from one that is', () => {
    expect(describeDecision('approve', { status: 'approved' })).toBe('Approved');
    expect(describeDecision('approve', { status: 'proposed' })).toContain('Someone else');
    expect(describeDecision('reject', { status: 'rejected' })).toBe('Rejected');
  });
});
