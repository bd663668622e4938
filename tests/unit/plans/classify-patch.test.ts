// What of a patch widens an approved plan, and what narrows it.
import { describe, expect, test } from 'vitest';
import type { Step } from '#domain/plan/plan.ts';
import { classifyPatch } from '#plans/patch/classify.ts';
import type { PatchEffect, StepAsSaid } from '#plans/patch/model.ts';
import { following, makeStep } from '../../fixtures/plans.ts';

const nothing: PatchEffect = {
  added: [],
  changed: [],
  removed: [],
  replaced: new Map(),
  names: new Map(),
  edgesAdded: [],
  edgesRemoved: [],
  rerun: [],
  invalidated: [],
};
const operations = new Set(['workspace_write', 'workspace_read']);
const read = { operation: 'read', effect: 'read' } as const;

function adding(overrides: Partial<Step>): string[] {
  const now = makeStep('n', overrides);
  return classifyPatch(
    { ...nothing, added: [{ now, position: 9, label: '4', args_by: null }] },
    operations,
  );
}

function changing(before: Partial<Step>, after: Partial<StepAsSaid>): string[] {
  const step = makeStep('s', { label: '2a', ...before });
  const changed = [{ position: 1, before: step, now: { ...step, ...after }, args_by: null }];
  return classifyPatch({ ...nothing, changed }, operations);
}

describe('adding a step', () => {
  const cases: [string, Partial<Step>, string][] = [
    [
      'of an operation that the plan does not use',
      { operation: 'delete', target: 'a.txt' },
      'Adds step 4: workspace_delete of a.txt, which the approved plan does not use.',
    ],
    [
      'that is guarded',
      { guarded: true, target: null },
      'Adds step 4: workspace_write, a guarded operation.',
    ],
    [
      'that writes, however often it may be repeated',
      { effect: 'idempotent', target: 'a.txt' },
      'Adds step 4: workspace_write of a.txt, which changes something.',
    ],
    [
      'that decides its arguments when it runs',
      { ...read, target: null, args: { path: { $decide: 'which file' } } },
      'Adds step 4: workspace_read, with arguments that are decided only when it runs.',
    ],
    [
      'that reads, even what an approved step reads already,',
      { ...read, target: 'b.txt' },
      'Adds step 4: workspace_read of b.txt, a call that nobody has approved.',
    ],
  ];
  test.each(cases)('%s widens', (_name, step, reason) => {
    expect(adding(step)).toEqual([reason]);
  });
});

describe('changing a step', () => {
  const early = '2026-01-01T00:00:00.000Z';
  const late = '2026-02-01T00:00:00.000Z';
  const widening: [string, Partial<Step>, Partial<StepAsSaid>, string][] = [
    ['other words', {}, { description: 'x' }, 'Changes what step 2a says it does.'],
    ['another target', {}, { target: 'x' }, 'Changes the target of step 2a.'],
    ['other arguments', {}, { args: { path: 'x' } }, 'Changes the arguments of step 2a.'],
    [
      'arguments that come later',
      {},
      { args: { path: { $decide: 'x' } } },
      'Changes the arguments of step 2a; some are decided only when it runs.',
    ],
    [
      'other capabilities',
      { capabilities: ['a'] },
      { capabilities: [] },
      'Changes the capabilities that step 2a asks for.',
    ],
    [
      'more of a pool',
      { resources: { cpu: 1 } },
      { resources: { cpu: 2 } },
      'Raises what step 2a reserves of cpu from 1 to 2.',
    ],
    [
      'another pool',
      {},
      { resources: { gpu: 1 } },
      'Raises what step 2a reserves of gpu from 0 to 1.',
    ],
    [
      'more time',
      { duration_minutes: 5 },
      { duration_minutes: 6 },
      'Raises the duration of step 2a from 5 to 6 minutes.',
    ],
    [
      'time where none was stated',
      {},
      { duration_minutes: 6 },
      'Says that step 2a takes 6 minutes; nothing was said before.',
    ],
    [
      'an earlier beginning',
      { not_before: late },
      { not_before: early },
      `Lets step 2a begin earlier: ${early} instead of ${late}.`,
    ],
    [
      'no beginning',
      { not_before: late },
      { not_before: null },
      `Lets step 2a begin at any time; it was not to begin before ${late}.`,
    ],
    [
      'one dependency less',
      { after: following('1', '2') },
      { after: following('2') },
      'Lets step 2a run without waiting for step 1.',
    ],
    [
      'a shorter wait',
      { after: [{ id: '1', type: 'FS', lag_minutes: 9 }] },
      { after: [{ id: '1', type: 'FS', lag_minutes: 3 }] },
      'Shortens the wait of step 2a after step 1.',
    ],
  ];
  test.each(widening)('%s widens', (_name, before, after, reason) => {
    expect(changing(before, after)).toEqual([reason]);
  });

  const narrowing: [string, Partial<Step>, Partial<StepAsSaid>][] = [
    ['a higher priority', {}, { priority: 9 }],
    ['a lower priority', { priority: 9 }, { priority: -1 }],
    ['less of a pool', { resources: { cpu: 2, gpu: 1 } }, { resources: { cpu: 1 } }],
    ['a shorter duration', { duration_minutes: 5 }, { duration_minutes: 4 }],
    ['a later beginning', { not_before: early }, { not_before: late }],
    ['a first beginning', {}, { not_before: late }],
    ['one dependency more', { after: following('1') }, { after: following('1', '2') }],
    ['another partition and tags', {}, { partition: 'p', tags: ['t'] }],
    ['the same in another order', { args: { a: 1, b: 2 } }, { args: { b: 2, a: 1 } }],
  ];
  test.each(narrowing)('%s narrows', (_name, before, after) => {
    expect(changing(before, after)).toEqual([]);
  });
});

test('removing steps narrows', () => {
  expect(classifyPatch({ ...nothing, removed: [makeStep('1')] }, operations)).toEqual([]);
});

test('very many reasons are counted', () => {
  const added = Array.from({ length: 1000 }, (_, i) => ({
    now: makeStep(`${i}`),
    position: i,
    label: null,
    args_by: null,
  }));
  const reasons = classifyPatch({ ...nothing, added }, operations);
  expect(reasons).toHaveLength(50);
  expect(reasons.at(-1)).toBe('And 951 more changes of this kind.');
});
