import { describe, expect, it } from 'vitest';
import type { ShownStep } from '#domain/plan/call.ts';
import {
  describeRow,
  isTimed,
  layOutTimeline,
  placeTicks,
  readTimes,
} from '../../../adapters/console/page/plan/timeline.ts';
import { following, makeStep } from '../../fixtures/plans.ts';

const now = Date.parse('2026-02-03T14:00:00Z');
const minutes = (n: number) => now + n * 60_000;
const at = (n: number) => new Date(minutes(n)).toISOString();

function spansOf(steps: ShownStep[], status: 'proposed' | 'executing' | 'failed' = 'proposed') {
  return layOutTimeline(steps, status, now).rows.map(({ actual, expected }) => ({
    actual,
    expected,
  }));
}

describe('the timeline', () => {
  it('expects a step after those it waits for, whatever their order in the plan', () => {
    const steps = [
      makeStep('2', { after: following('1'), duration_minutes: 5 }),
      makeStep('1', { duration_minutes: 10 }),
    ];
    expect(spansOf(steps)).toEqual([
      { actual: null, expected: { start: minutes(10), end: minutes(15) } },
      { actual: null, expected: { start: now, end: minutes(10) } },
    ]);
  });

  it.each([
    ['FS', 12],
    ['SS', 2],
    ['FF', 8],
    ['SF', -2],
  ] as const)('keeps a %s link with a lag of two minutes', (type, start) => {
    const after = [{ id: '1', type, lag_minutes: 2 }];
    const steps = [
      makeStep('1', { duration_minutes: 10 }),
      makeStep('2', { after, duration_minutes: 4 }),
    ];
    expect(spansOf(steps)[1]?.expected?.start).toBe(minutes(Math.max(0, start)));
  });

  it('expects nothing before its not-before time', () => {
    const [span] = spansOf([makeStep('1', { not_before: at(90), duration_minutes: 1 })]);
    expect(span?.expected).toEqual({ start: minutes(90), end: minutes(91) });
  });

  it('shows what ran where it ran, and what runs until now', () => {
    const steps = [
      makeStep('1', { status: 'succeeded', started_at: at(-9), ended_at: at(-4) }),
      makeStep('2', { status: 'running', started_at: at(-4), after: following('1') }),
    ];
    expect(spansOf(steps, 'executing')).toEqual([
      { actual: { start: minutes(-9), end: minutes(-4) }, expected: null },
      { actual: { start: minutes(-4), end: now }, expected: null },
    ]);
  });

  it('expects nothing of a plan that is over', () => {
    const steps = [makeStep('1', { status: 'skipped' }), makeStep('2')];
    expect(spansOf(steps, 'failed')).toEqual([
      { actual: null, expected: null },
      { actual: null, expected: null },
    ]);
  });

  it('survives steps that wait for each other, and thousands in a row', () => {
    const circle = [
      makeStep('1', { after: following('2') }),
      makeStep('2', { after: following('1') }),
    ];
    expect(spansOf(circle)).toHaveLength(2);
    const chain = Array.from({ length: 20_000 }, (_, i) =>
      makeStep(String(i), { after: i === 19_999 ? [] : following(String(i + 1)) }),
    );
    expect(spansOf(chain)).toHaveLength(20_000);
  });

  it('says whether it shows times or only an order', () => {
    expect(isTimed(layOutTimeline([makeStep('1')], 'proposed', now))).toBe(false);
    const timed = [makeStep('1', { duration_minutes: 1 })];
    expect(isTimed(layOutTimeline(timed, 'proposed', now))).toBe(true);
  });

  const review = makeStep('1', {
    description: 'Help with the launch',
    tool: 'human',
    operation: 'task',
    args: { assignee: 'Ana', instruction: 'Please review notes.md' },
    duration_minutes: 1440,
  });
  const publish = makeStep('2', { after: following('1'), duration_minutes: 5 });
  const block = { start: minutes(60), end: minutes(60 + 2 * 1440 + 480) };
  const stored = new Map([['1', { ...block, scheduled: true }]]);

  it('draws the stored schedule of a plan that has not started, and what follows after it', () => {
    const { rows } = layOutTimeline([review, publish], 'proposed', now, stored);
    const end = minutes(60 + 2 * 1440 + 480);
    expect(rows.map(({ expected, scheduled }) => ({ expected, scheduled }))).toEqual([
      { expected: block, scheduled: true },
      { expected: { start: end, end: end + 5 * 60_000 }, scheduled: false },
    ]);
    const [running] = layOutTimeline([review, publish], 'executing', now, stored).rows;
    expect(running).toMatchObject({ scheduled: false, expected: { start: now } });
  });

  it('says by its effect what a step does, in working time, and what is scheduled or an estimate', () => {
    const { rows } = layOutTimeline([review, publish], 'proposed', now, stored);
    const [scheduled, estimated] = rows.map((row) => describeRow(row, 480));
    expect(scheduled?.label).toContain('Ana');
    expect(scheduled?.label).not.toContain('Help with the launch');
    expect(scheduled?.text).toMatch(/^Not started; scheduled .* – .*, 3 working days$/);
    expect(estimated?.text).toMatch(/^Not started; estimate: begins .*, 5 min$/);
  });

  it('takes the times that the server has worked out for the steps of an open group', () => {
    const times = readTimes({
      steps: [{ id: '2', starts_at: at(200), ends_at: at(230), scheduled: false }],
    });
    const [row] = layOutTimeline([publish], 'executing', now, times).rows;
    expect(row).toMatchObject({
      scheduled: false,
      expected: { start: minutes(200), end: minutes(230) },
    });
  });

  it('places ticks on round times, no more than asked for', () => {
    expect(placeTicks(7 * 60_000, 4)).toEqual([0, 120_000, 240_000, 360_000]);
    for (const length of [1, 37, 950, 61_000, 5e6, 9e7, 4e10]) {
      expect(placeTicks(length, 4).length).toBeLessThanOrEqual(5);
    }
  });
});
