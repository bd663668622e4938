// Whose times people speak of.
import { expect, test } from 'vitest';
import { person } from '#contracts/actor.ts';
import { zoneOf } from '#conversation/zone.ts';

test.each([
  ['Asia/Tokyo', 'Asia/Tokyo'],
  ['UTC', 'UTC'],
  [undefined, null],
  ['Mars/Olympus', null],
  ['', null],
])('of somebody in %s: %s', (timezone, zone) => {
  expect(zoneOf(person('ana', 'slack', timezone))).toBe(zone);
});
