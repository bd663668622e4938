// Presses, settings and messages count for half an hour.
import { expect, test } from 'vitest';
import { requireRecentPress, requireRecentSetting, requireRecentWord } from '#messages/act-once.ts';

const now = new Date('2026-05-04T09:30:00Z');
const ago = (ms: number) => new Date(now.getTime() - ms);
const halfAnHour = 30 * 60_000;

test.each([
  ['press', requireRecentPress, 'pressed'],
  ['setting', requireRecentSetting, 'set'],
  ['word', requireRecentWord, 'wrote'],
])('a %s counts for half an hour', (_name, require, words) => {
  expect(() => require(ago(halfAnHour), now)).not.toThrow();
  // A platform's clock may be slightly ahead.
  expect(() => require(ago(-1000), now)).not.toThrow();
  expect(() => require(ago(halfAnHour + 1), now)).toThrow(
    `You ${words} this more than half an hour ago`,
  );
});
