import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSamePress, readButton } from '#adapters/slack/press/handle-press.ts';
import { pressOf } from '#cards/buttons.ts';
import type { CardPress } from '#domain/chat/card.ts';
import { makePlan } from '../../../fixtures/plans.ts';

const drawn: CardPress = {
  ...{ action: 'settle_retry', plan_id: 'PLAN-1', version: 2, digest: 'd' },
  ...{ step_id: 's', attempt: 1, stood: 'unknown', ended_at: '2026-05-04T09:30:00.000Z' },
};

test('a press is the same as the button it came from', () => {
  expect(isSamePress(drawn, { ...drawn })).toBe(true);
});

test.each<[string, Partial<CardPress>]>([
  ['another action', { action: 'settle_done' }],
  ['another step', { step_id: 't' }],
  ['an earlier attempt', { attempt: 0 }],
  ['a later attempt', { attempt: 2 }],
  ['a step that stood otherwise', { stood: 'waiting' }],
  ['a run that ended at another time', { ended_at: '2026-05-04T10:30:00.000Z' }],
  ['an earlier version', { version: 1 }],
  ['a later version', { version: 3 }],
  ['another digest', { digest: 'e' }],
])('a press about %s is another', (_what, other) => {
  expect(isSamePress(drawn, { ...drawn, ...other })).toBe(false);
  expect(isSamePress({ ...drawn, ...other }, drawn)).toBe(false);
});

test('a press about a step is another than one about the plan', () => {
  const { step_id: _, ...plan } = drawn;
  expect(isSamePress(drawn, plan)).toBe(false);
  expect(isSamePress(plan, drawn)).toBe(false);
});

test('a press that does not say the attempt, how it stood or when the plan ended is that of whatever is drawn', () => {
  const { attempt: _, stood: __, ended_at: ___, ...before } = drawn;
  fc.assert(
    fc.property(fc.nat(5), fc.constantFrom('waiting', 'unknown', 'failed'), (attempt, stood) => {
      expect(isSamePress({ ...drawn, attempt, stood }, before)).toBe(true);
    }),
  );
  expect(isSamePress(before, drawn)).toBe(false);
});

test.each([
  '',
  'hello',
  '{',
  '{}',
  '[]',
  'null',
  '{"action":"approve"}',
  '{"action":"fly","plan_id":"x"}',
])('what others put into a button is none of ours: %s', (value) => {
  expect(readButton(value)).toBeNull();
});

test('a value is the press', () => {
  const press = pressOf(makePlan(), 'approve');
  expect(readButton(JSON.stringify(press))).toEqual(press);
});
