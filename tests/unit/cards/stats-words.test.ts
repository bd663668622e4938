import { expect, test } from 'vitest';
import { describeStats } from '#cards/chat-words.ts';

const now = '2026-05-04T12:00:00.000Z';
const gap = { wanted: 'book flights', times: 3, people: 2, last_at: '2026-05-02T11:00:00.000Z' };

test('plans are counted in the order of a list, and what nothing can do stands under them', () => {
  const once = { wanted: 'call Ana', times: 1, people: 1, last_at: now };
  const stats = { plans: { completed: 1, proposed: 2 }, gaps: [gap, once], gap_days: 90 };
  expect(describeStats(stats, now)).toBe(
    [
      '2 waiting',
      '1 done',
      '',
      'Most requested in the last 90 days, without a tool that can do it:',
      '“book flights” · 3 times, by 2 people · last 2 d ago',
      '“call Ana” · 1 time · last just now',
    ].join('\n'),
  );
});

test('what is not there is not spoken of', () => {
  expect(describeStats({ plans: {}, gaps: [], gap_days: 90 }, now)).toBe('No plans yet.');
  expect(describeStats({ plans: { failed: 1 }, gaps: [], gap_days: 90 }, now)).toBe('1 failed');
});

test('what somebody asked for is one line, whatever they wrote', () => {
  const hostile = { ...gap, wanted: `a\nb\u202e${'x'.repeat(500)}` };
  const line = describeStats({ plans: {}, gaps: [hostile], gap_days: 90 }, now)
    .split('\n')
    .at(-1);
  expect(line).toContain('last 2 d ago');
  expect(line?.length).toBeLessThan(200);
  expect(line).not.toContain('\u202e');
});
