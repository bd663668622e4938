// What a call does, as people read it before they approve.
import { describe, expect, it } from 'vitest';
import type { SeenState } from '#domain/plan/seen.ts';
import type { JsonObject } from '#domain/text.ts';
import { describeCall } from '#tools/describe-call.ts';

it('shows a form as its fields, with a help text only where there is one', () => {
  const form = [
    { name: 'answer', label: 'Yes or no?', type: 'choice', options: ['Yes', 'No'], required: true },
    { name: 'amount', type: 'number', help: 'In EUR' },
  ];
  const { parts } = describeCall('human_task', undefined, { question: 'May I?', form });
  const text = JSON.stringify(parts);
  expect(text).toContain('“Yes or no?” [answer] (choice; Yes, No; required)');
  expect(text).toContain('(number): “In EUR”');
  expect(text).not.toContain('null');
});

describe('a rule that leaves dates out', () => {
  const ends = 'Not in February, April, June, September and November: there is no such day';
  const table: [string, string, JsonObject, string | undefined][] = [
    [
      'each month on the 31st',
      'calendar_add',
      { start: '2026-12-31T09:00', rrule: 'FREQ=MONTHLY' },
      ends,
    ],
    [
      'by its day of the month',
      'calendar_add',
      { start: '2026-12-31', rrule: 'RRULE:FREQ=MONTHLY;BYMONTHDAY=31' },
      ends,
    ],
    [
      'on 29 February',
      'calendar_add',
      { start: '2028-02-29T09:00', rrule: 'FREQ=YEARLY' },
      'Only in leap years',
    ],
    [
      'at a time that a clock skips',
      'calendar_add',
      { start: '2026-12-01T02:30', rrule: 'FREQ=DAILY', timezone: 'Europe/Berlin' },
      'Not when the clocks go forward (Sun, 28 Mar 2027, 03:00): there is no 02:30 then',
    ],
    ['of a reminder', 'reminder_set', { at: '2026-12-31T09:00', rrule: 'FREQ=MONTHLY' }, ends],
    [
      'on each first',
      'calendar_add',
      { start: '2026-12-01T09:00', rrule: 'FREQ=MONTHLY' },
      undefined,
    ],
    [
      'that is wrong',
      'calendar_add',
      { start: '2026-12-31T09:00', rrule: 'FREQ=SOMETIMES' },
      undefined,
    ],
    [
      'of a start that is not known yet',
      'calendar_add',
      { start: { $from: 'a', path: '' }, rrule: 'FREQ=MONTHLY' },
      undefined,
    ],
  ];
  it.each(table)('names them in the headline: %s', (_, name, args, words) => {
    const { headline } = describeCall(name, undefined, { title: 'Rent', ...args });
    const last = headline.at(-1);
    expect(typeof last === 'string' && last.startsWith('(') ? last : undefined).toBe(
      words === undefined ? undefined : `(${words})`,
    );
  });
});

describe('overwrite: true', () => {
  const place = (state: SeenState['state']): SeenState => ({
    state,
    fingerprint: null,
    size: null,
    modified_at: null,
  });
  const table: [string, string, JsonObject, SeenState | null, boolean][] = [
    ['a copy to nothing', 'workspace_copy', { path: 'a', to: 'b' }, place('new'), false],
    ['a move to nothing', 'workspace_move', { from: 'a', to: 'b' }, place('new'), false],
    ['a new file', 'workspace_write', { path: 'a', content: '' }, place('new'), false],
    ['a copy over a file', 'workspace_copy', { path: 'a', to: 'b' }, place('exists'), true],
    ['a copy that nobody checked', 'workspace_copy', { path: 'a', to: 'b' }, null, true],
  ];
  it.each(table)(
    'is shown only where something may be overwritten: %s',
    (_, name, args, seen, is) => {
      const { parts } = describeCall(name, undefined, { ...args, overwrite: true }, seen);
      expect(parts.some(({ label }) => label === 'overwrite')).toBe(is);
    },
  );
});
