import { describe, expect, it } from 'vitest';
import { wholeLines } from '#cards/calls.ts';
import type { SeenState } from '#domain/plan/seen.ts';
import { isObject, type Json, type JsonObject } from '#domain/text.ts';
import { describeCall } from '#tools/describe-call.ts';
import { openBench } from './tool-bench.ts';

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
  const skipped =
    'Not when the clocks go forward (Sun, 28 Mar 2027, 03:00): there is no 02:30 then';
  const [daily, monthly, yearly] = ['FREQ=DAILY', 'FREQ=MONTHLY', 'FREQ=YEARLY'] as const;
  const start = '2026-12-31T09:00';
  const [timezone, unknown] = ['Europe/Berlin', { $from: 'a', path: '' }];
  const table: [string, JsonObject, string | undefined][] = [
    ['each month on the 31st', { start, rrule: monthly }, ends],
    ['by its day', { start: '2026-12-31', rrule: `RRULE:${monthly};BYMONTHDAY=31` }, ends],
    ['on 29 February', { start: '2028-02-29T09:00', rrule: yearly }, 'Only in leap years'],
    ['at a skipped time', { start: '2026-12-01T02:30', rrule: daily, timezone }, skipped],
    ['of a reminder', { at: start, rrule: monthly }, ends],
    ['on each first', { start: '2026-12-01T09:00', rrule: monthly }, undefined],
    ['that is wrong', { start, rrule: 'FREQ=SOMETIMES' }, undefined],
    ['of a start that is not known yet', { start: unknown, rrule: monthly }, undefined],
  ];
  it.each(table)('names them in the headline: %s', (_, args, words) => {
    const name = 'at' in args ? 'reminder_set' : 'calendar_add';
    const last = describeCall(name, undefined, { title: 'Rent', ...args }).headline.at(-1);
    expect(typeof last === 'string' && last.startsWith('(') ? last : undefined).toBe(
      words && `(${words})`,
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

describe('a built-in call', () => {
  const sample = (schema: JsonObject): Json => {
    const { type, enum: options, anyOf } = schema;
    if (Array.isArray(options)) return options[0] ?? null;
    const [first] = Array.isArray(anyOf) ? anyOf : [];
    if (isObject(first)) return sample(first);
    if (type === 'boolean') return true;
    if (type === 'integer' || type === 'number') return 4000;
    if (type === 'array') return ['One', 'Two'];
    return type === 'object' ? { $from: '3', path: '' } : 'Some text';
  };

  it('is shown without a raw key or JSON, whatever its arguments', async () => {
    const noop = async () => {};
    const bench = await openBench(
      {},
      {
        reminders: { set: noop },
        chat: {} as never,
        files: {} as never,
        drafts: {} as never,
        plans: {} as never,
        textModel: {} as never,
      },
    );
    const raw: string[] = [];
    const specs = bench.registry.list();
    for (const { name, input } of specs) {
      const { properties = {} } = input as { properties?: JsonObject };
      const args = Object.fromEntries(
        Object.entries(properties).map(([key, schema]) => [key, sample(schema as JsonObject)]),
      );
      const lines = wholeLines(describeCall(name, bench.registry.get(name), args));
      raw.push(...lines.filter((line) => /[a-z]_[a-z]|[[{]["{]|true|false/.test(line)));
    }
    await bench.close();
    expect(specs.length).toBeGreaterThan(20);
    expect(raw).toEqual([]);
  });

  it('shows a list whose items could be taken for others as JSON', () => {
    const { parts } = describeCall('draft_finalise', undefined, {
      draftbook: { $from: '3', path: '' },
      totals: ['a”, “b', 'c'],
      budget_tokens: 4000,
    });
    expect(parts.map(({ label, text }) => `${label}: ${text}`)).toEqual([
      'counted by code: ["a”, “b","c"]',
      'limit (tokens): 4000',
    ]);
  });
});
