// Whose times people speak of.
import { expect, test } from 'vitest';
import { person } from '#contracts/actor.ts';
import type { Pause } from '#contracts/planning/state.ts';
import { isReadAlone, zoneOf } from '#conversation/zone.ts';

test.each([
  ['Asia/Tokyo', 'Asia/Tokyo'],
  ['UTC', 'UTC'],
  [undefined, null],
  ['Mars/Olympus', null],
  ['', null],
])('of somebody in %s: %s', (timezone, zone) => {
  expect(zoneOf(person('ana', 'slack', timezone))).toBe(zone);
});

const pause = (changes: Partial<Pause>): Pause => ({
  ...{ kind: 'questions', resume: 'COLLECT_CONTEXT', gate: null, digest: null },
  ...changes,
});

test.each<[string, Pause | null, boolean]>([
  ['nothing', null, false],
  ['a question about the request', pause({}), false],
  ['a question about order', pause({ resume: 'DRAFT_ROADMAP' }), true],
  ['a question about times', pause({ resume: 'DRAFT_SCHEDULE' }), true],
  ['a schedule that does not fit', pause({ kind: 'escalation', resume: 'DRAFT_SCHEDULE' }), true],
])('what somebody says to %s is read by itself: %s', (_, paused, alone) => {
  expect(isReadAlone({ pause: paused })).toBe(alone);
});
