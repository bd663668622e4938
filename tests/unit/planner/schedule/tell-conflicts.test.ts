import { expect, it } from 'vitest';
import type { Conflict } from '#domain/planning/schedule.ts';
import { tellConflicts } from '#planner/schedule/time-words.ts';
import { makeOutline } from '../tools/tool-context.ts';

const conflict: Conflict = {
  node: '2',
  with: '“Dentist” (ana’s calendar)',
  source: 'calendar',
  starts_at: '2026-05-04T08:00:00Z',
  ends_at: '2026-05-04T09:00:00Z',
  shift_to: '2026-05-04T09:00:00Z',
};

const step = {
  id: 'legal',
  description: 'Review it',
  tool: 'human',
  operation: 'task',
  args: { assignee: 'ana', question: 'Is it right?' },
};
const outline = makeOutline();
const withStep = {
  ...outline,
  nodes: outline.nodes.map((node) => (node.id === '2' ? { ...node, steps: [step] } : node)),
};

function tell(conflicts: Conflict[]) {
  const portfolio = { conflicts, utilisation: null, looked_at: [], unread: [] };
  const timezone = 'Europe/Berlin';
  return tellConflicts({ outline: withStep, portfolio, schedule: null, timezone });
}

it('says what meets what, when, and where there is room, in the zone of the session', () => {
  expect(
    tell([conflict, { ...conflict, node: 'gone', shift_to: null }]).map(({ text }) => text),
  ).toEqual([
    '“Review with legal” overlaps “Dentist” (ana’s calendar) on Mon, 4 May 2026, 10:00. There is room on Mon, 4 May 2026, 11:00.',
    '“gone” overlaps “Dentist” (ana’s calendar) on Mon, 4 May 2026, 10:00. There is no room near.',
  ]);
});

it('says nothing where nothing meets, or nobody looked', () => {
  expect(tell([])).toEqual([]);
  expect(
    tellConflicts({ outline: null, portfolio: null, schedule: null, timezone: 'UTC' }),
  ).toEqual([]);
});

it('says where the one step of it could be instead, and nothing of what could be nowhere', () => {
  const slots = ['2026-05-04T09:00:00Z', '2026-05-05T08:00:00Z'];
  const [told, gone] = tell([
    { ...conflict, slots },
    { ...conflict, node: 'gone', slots },
  ]);
  expect(told?.move).toMatchObject({
    step: 'legal',
    from: conflict.starts_at,
    slots,
    timezone: 'Europe/Berlin',
  });
  expect(gone?.move).toBeNull();
});
