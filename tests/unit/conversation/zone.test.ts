import { expect, test } from 'vitest';
import { person } from '#domain/people/actor.ts';
import { zoneOf } from '#people/policy.ts';

test.each([
  ['Asia/Tokyo', 'Asia/Tokyo'],
  ['UTC', 'UTC'],
  [undefined, null],
  ['Mars/Olympus', null],
  ['', null],
])('of somebody in %s: %s', (timezone, zone) => {
  expect(zoneOf(person('ana', 'slack', timezone))).toBe(zone);
});
