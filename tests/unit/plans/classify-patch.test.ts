import { describe, expect, test } from 'vitest';
import type { Step } from '#domain/plan/plan.ts';
import { classifyPatch } from '#plans/change/classify.ts';
import type { Near } from '#plans/change/flows.ts';
import type { PatchEffect, VersionStep } from '#plans/change/patch-effect.ts';
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
  series: [],
  expanded: new Set(),
};
const operations = new Set(['workspace_write', 'workspace_read']);
const alone: Near = { steps: [], edges: [], readers: [], held: [], cut: false };
const read = { operation: 'read', effect: 'read' } as const;

function adding(overrides: Partial<Step>): string[] {
  const now = makeStep('n', overrides);
  return classifyPatch(
    { ...nothing, added: [{ now, position: 9, label: '4', args_by: null }] },
    operations,
    alone,
  );
}

function changing(before: Partial<Step>, after: Partial<VersionStep>): string[] {
  const step = makeStep('s', { label: '2a', ...before });
  const changed = [{ position: 1, before: step, now: { ...step, ...after }, args_by: null }];
  return classifyPatch({ ...nothing, changed }, operations, alone);
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
      'Adds step 4: workspace_read of b.txt, a call that has not been approved.',
    ],
  ];
  test.each(cases)('%s widens', (_name, step, reason) => {
    expect(adding(step)).toEqual([reason]);
  });
});

describe('changing a step', () => {
  const early = '2026-01-01T00:00:00.000Z';
  const late = '2026-02-01T00:00:00.000Z';
  const widening: [string, Partial<Step>, Partial<VersionStep>, string][] = [
    ['other words', {}, { description: 'x' }, 'Changes the description of step 2a.'],
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
      'Changes the capabilities that step 2a requires.',
    ],
    [
      'more of a pool',
      { resources: { cpu: 1 } },
      { resources: { cpu: 2 } },
      "Raises step 2a's reservation of cpu from 1 to 2.",
    ],
    [
      'another pool',
      {},
      { resources: { gpu: 1 } },
      "Raises step 2a's reservation of gpu from 0 to 1.",
    ],
    [
      'more time',
      { duration_minutes: 5 },
      { duration_minutes: 6 },
      'Raises the duration of step 2a from 5 min to 6 min.',
    ],
    [
      'time where none was stated',
      {},
      { duration_minutes: 6 },
      'Sets the duration of step 2a to 6 min; it had none.',
    ],
    [
      'an earlier beginning',
      { not_before: late },
      { not_before: early },
      `Lets step 2a start earlier: ${early} instead of ${late}.`,
    ],
    [
      'no beginning',
      { not_before: late },
      { not_before: null },
      `Lets step 2a start at any time, instead of not before ${late}.`,
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

  const narrowing: [string, Partial<Step>, Partial<VersionStep>][] = [
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

describe('what changes for other steps', () => {
  const files = (id: number, path: string, overrides: Partial<Step> = {}) => {
    const step = makeStep(`${id}`, { position: id, args: { path }, ...overrides });
    return { ...step, open: false, conditional: false };
  };
  const writes = files(1, 'a.txt');
  const reads = files(2, 'a.txt', read);
  const posts = { ...files(3, '', { tool: 'chat', operation: 'post', args: {} }), open: true };
  const edge = (predecessor: number, successor: number) =>
    ({ predecessor, successor, type: 'FS', lag_minutes: 0 }) as const;
  const rerun = (step: Step, called: boolean) => ({ ...step, called, operation: 'x' });
  type Case = [string, Partial<PatchEffect>, Partial<Near>, boolean];
  const moving = (before: Step, now: Partial<VersionStep>): Partial<PatchEffect> => ({
    changed: [{ position: before.position, before, now: { ...before, ...now }, args_by: null }],
  });
  const late = moving(writes, { not_before: '2030-01-01T00:00:00.000Z' });
  const sideBySide = { steps: [writes, reads] };
  const spelt = (path: string) => ({ steps: [writes, files(2, path, read)] });
  const cases: Case[] = [
    ['a write delayed beside a read of its file', late, sideBySide, true],
    ['one delayed before it', late, { ...sideBySide, edges: [edge(1, 2)] }, false],
    ['one delayed beside a read of another file', late, spelt('b.txt'), false],
    ['one delayed beside the same name in other letters', late, spelt('A.TXT'), true],
    ['one delayed beside the same name by a longer way', late, spelt('x/../a.txt'), true],
    ['one delayed beside a listing of its folder', late, spelt('.'), true],
    [
      'one delayed beside a server that may see it',
      late,
      { steps: [writes, { ...reads, tool: 'srv' }] },
      true,
    ],
    [
      'one delayed behind a step that only waits',
      late,
      { steps: [writes, { ...reads, tool: 'control' }] },
      false,
    ],
    ['a delay in a plan too large to be compared', late, { cut: true }, true],
    ['a read that is more urgent than before', moving(reads, { priority: 3 }), sideBySide, true],
    [
      'a read with less of a pool',
      moving({ ...reads, resources: { cpu: 2 } }, { resources: {} }),
      sideBySide,
      true,
    ],
    ['a write that asks first', moving(writes, { ask_before: true }), sideBySide, true],
    ['a write that is removed beside a read of its file', { removed: [writes] }, sideBySide, true],
    [
      'a write that is removed behind that read',
      { removed: [writes] },
      { ...sideBySide, edges: [edge(2, 1)] },
      false,
    ],
    ['a write that nothing reads', { removed: [writes] }, { steps: [writes, posts] }, false],
    ['a read that is removed', { removed: [reads] }, sideBySide, false],
    [
      'a question that is removed',
      { removed: [makeStep('1', { tool: 'human', operation: 'task' })] },
      {},
      true,
    ],
    [
      'a check that is removed',
      { removed: [makeStep('1', { tool: 'plan', operation: 'recheck' })] },
      {},
      true,
    ],
    [
      'a read again that a post takes from',
      { rerun: [rerun(reads, true)] },
      { steps: [reads, posts], edges: [edge(2, 3)] },
      true,
    ],
    [
      'a read again that nothing takes from',
      { rerun: [rerun(reads, true)] },
      { steps: [reads, posts] },
      false,
    ],
    ['a file written again', { rerun: [rerun(writes, true)] }, { steps: [writes] }, false],
    [
      'a file written again beside a read of it',
      { rerun: [rerun(writes, true)] },
      sideBySide,
      true,
    ],
    ['a post again', { rerun: [rerun(posts, true)] }, {}, true],
    ['a post that was never made', { rerun: [rerun(posts, false)] }, {}, false],
    ['what is put on hold beside a read of its file', {}, { ...sideBySide, held: [1] }, true],
  ];
  test.each(cases)('%s', (_name, effect, near, widens) => {
    const reasons = classifyPatch({ ...nothing, ...effect }, operations, { ...alone, ...near });
    expect(reasons.length > 0).toBe(widens);
  });
});

test('removing steps narrows', () => {
  expect(classifyPatch({ ...nothing, removed: [makeStep('1')] }, operations, alone)).toEqual([]);
});

test('very many reasons are counted', () => {
  const added = Array.from({ length: 1000 }, (_, i) => ({
    now: makeStep(`${i}`),
    position: i,
    label: null,
    args_by: null,
  }));
  const reasons = classifyPatch({ ...nothing, added }, operations, alone);
  expect(reasons).toHaveLength(50);
  expect(reasons.at(-1)).toBe('And 951 more changes of this kind.');
});
