import { expect, test } from 'vitest';
import { describeFields } from '#cards/version-words.ts';
import { contentOfDraft } from '#domain/plan/step-content.ts';
import { compareFields } from '#plans/content/changed-fields.ts';
import { draftStep } from '../../fixtures/steps.ts';

const step = contentOfDraft(draftStep('s', 'Write', 'workspace_write', {}));
const now = '2026-02-03T14:00:00.000Z';

function tell(before: Parameters<typeof compareFields>[0], after: typeof before): string[] {
  return describeFields(
    compareFields(before, after, (id) => id),
    now,
    'UTC',
  );
}

test('a changed condition is told whole, however long it is', () => {
  const value = `${'x'.repeat(400)} unless it is Friday`;
  const when = [{ step: 'fetch', path: '/text', is: 'contains' as const, value }];
  expect(tell(step, { ...step, when })).toEqual([
    `only if: (nothing) → step fetch /text contains "${value}"`,
  ]);
});

test('a changed condition and a lost question come before many changed arguments, and these are counted', () => {
  const args = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`field${i}`, i]));
  const when = [{ step: 'fetch', path: '', is: 'exists' as const }];
  const lines = tell({ ...step, when, ask_before: true }, { ...step, args });
  expect(lines[0]).toBe('only if: the output of step fetch has a value → (nothing)');
  expect(lines[1]).toBe('asks before it runs: yes → (nothing)');
  expect(lines).toHaveLength(21);
  expect(lines.at(-1)).toBe('and 12 more fields');
});

test('a long argument is told with its length', () => {
  const [line = ''] = tell(step, { ...step, args: { content: 'y'.repeat(5000) } });
  expect(line).toMatch(/^content: \(nothing\) → y+… \(5,000 characters\)$/);
});

test.each([
  [false, 'false', 'flag: false → "false"'],
  ['1', 1, 'flag: "1" → 1'],
  ['null', '', 'flag: "null" → ""'],
  ['', ' ', 'flag: "" → " "'],
  [{ a: 1 }, '{"a":1}', 'flag: {"a":1} → "{\\"a\\":1}"'],
  [true, 'yes', 'flag: true → yes'],
])('a value of another type is told apart: %j and %j', (from, to, line) => {
  expect(tell({ ...step, args: { flag: from } }, { ...step, args: { flag: to } })).toEqual([line]);
});
