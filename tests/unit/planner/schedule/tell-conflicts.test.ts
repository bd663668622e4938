import { expect, it } from 'vitest';
import type { Conflict } from '#domain/planning/schedule.ts';
import { tellConflicts } from '#planner/schedule/time-words.ts';
import { makeOutline } from '../tools/desk.ts';

const conflict: Conflict = {
  node: '2',
  with: '“Dentist” (ana’s calendar)',
  source: 'calendar',
  starts_at: '2026-05-04T08:00:00Z',
  ends_at: '2026-05-04T09:00:00Z',
  shift_to: '2026-05-04T09:00:00Z',
};

function tell(conflicts: Conflict[]): string[] {
  const portfolio = { conflicts, utilisation: null, looked_at: [], unread: [] };
  return tellConflicts({ outline: makeOutline(), portfolio, timezone: 'Europe/Berlin' });
}

it('says what meets what, when, and where there is room, in the zone of the session', () => {
  expect(tell([conflict, { ...conflict, node: 'gone', shift_to: null }])).toEqual([
    '“Review with legal” overlaps “Dentist” (ana’s calendar) on Mon, 4 May 2026, 10:00. There is room on Mon, 4 May 2026, 11:00.',
    '“gone” overlaps “Dentist” (ana’s calendar) on Mon, 4 May 2026, 10:00. There is no room near.',
  ]);
});

it('says nothing where nothing meets, or nobody looked', () => {
  expect(tell([])).toEqual([]);
  expect(tellConflicts({ outline: null, portfolio: null, timezone: 'UTC' })).toEqual([]);
});
