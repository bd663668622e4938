import { expect, it } from 'vitest';
import { type Schedule, type ScheduleBlock, StrategyProfile } from '#domain/planning/schedule.ts';
import { validateSchedule } from '#planner/schedule/validate-schedule.ts';
import { makeOutline, makeRoadmap, personStep, timezone } from './bench.ts';

const outline = makeOutline([
  { id: 'phase', structure: 'phase', deadline: '2026-03-12T17:00:00+01:00' },
  { id: '1', title: 'Write', parent: 'phase', duration_minutes: 60, steps: [personStep('1')] },
  { id: '2', title: 'Review', parent: 'phase', duration_minutes: 60, steps: [personStep('2')] },
  { id: '3', title: 'Launch' },
]);

/** @param words node, day of March and times: `1 10 09:00–11 10:00` */
function block(words: string, more: Partial<ScheduleBlock> = {}): ScheduleBlock {
  const [, node = '', day = '', from = '', to = day, until = ''] =
    /^(\S+) (\d+) (\S+)–(?:(\d+) )?(\S+)$/.exec(words) ?? [];
  const at = (date: string, time: string) =>
    new Date(`2026-03-${date}T${time}:00+01:00`).toISOString();
  const times = { starts_at: at(day, from), ends_at: at(to, until) };
  return { node, ...times, fixed: false, holds: true, person: 'ana', ...more };
}
const machine = (words: string) => block(words, { person: null });
const fixed = (words: string) => block(words, { fixed: true });

type Edges = Parameters<typeof makeRoadmap>[0];

function check(blocks: (string | ScheduleBlock)[], edges: Edges = []) {
  const schedule: Schedule = {
    ...{ timezone, profile: StrategyProfile.parse({}), starts_at: null, ends_at: null },
    blocks: blocks.map((one) => (typeof one === 'string' ? block(one) : one)),
  };
  return validateSchedule(outline, makeRoadmap(edges), schedule);
}

it.each<[string, (string | ScheduleBlock)[], string[], Edges?]>([
  ['breaks nothing without blocks', [], [], [['1', '2']]],
  [
    'breaks nothing where it keeps everything',
    ['1 10 09:00–10:00', '2 10 10:00–11:00', machine('3 10 20:00–20:00')],
    [],
    [
      ['1', '2'],
      ['phase', '3'],
    ],
  ],
  [
    'lets no part begin before the whole it waits for has ended',
    ['2 10 10:00–11:00', machine('3 10 10:30–10:30')],
    ['precedence 3'],
    [['phase', '3']],
  ],
  ['ends by the deadline of its whole, the very moment included', ['1 12 16:00–17:00'], []],
  ['is late a minute later', [fixed('1 12 16:00–17:01')], ['deadline 1']],
  ['has no deadline of another whole', [machine('3 12 16:00–23:00')], []],
  ['has people’s work in their working hours', ['1 10 20:00–21:00'], ['working_hours 1']],
  ['has it elsewhere where a person said so', [fixed('1 10 20:00–21:00')], []],
  ['goes on over a night', ['1 10 16:30–11 09:30'], []],
  ['has a whole hour of it in working hours', ['1 10 16:31–11 09:30'], ['working_hours 1']],
  ['gives a person one thing at a time', ['1 10 09:00–10:00', '2 10 09:30–10:30'], ['overlap 2']],
  [
    'gives two people one thing each',
    ['1 10 09:00–10:00', block('2 10 09:30–10:30', { person: 'ben' })],
    [],
  ],
  ['lets an hour of work go around another’s', ['1 10 09:00–12:00', '2 10 09:30–10:30'], []],
  [
    'names what is not there and what ends before it begins',
    ['9 10 09:00–10:00', '1 10 10:00–09:00'],
    ['unknown_node null', 'ends_first 1'],
  ],
])('a schedule %s', (_, blocks, codes, edges) => {
  expect(check(blocks, edges).map(({ code, node }) => `${code} ${node}`)).toEqual(codes);
});

it.each<[string, 'FS' | 'SS' | 'FF' | 'SF', number, number]>([
  ['a lead that is kept', 'FS', -30, 0],
  ['starts together', 'SS', 30, 0],
  ['a start too early', 'SS', 31, 1],
  ['ends together', 'FF', 30, 0],
  ['an end too early', 'FF', 31, 1],
  ['an end after a start', 'SF', 90, 0],
  ['an end too early after a start', 'SF', 91, 1],
])('checks %s', (_, type, lag, count) => {
  const blocks = ['1 10 09:00–10:00', machine('3 10 09:30–10:30')];
  expect(check(blocks, [['1', '3', type, lag]])).toHaveLength(count);
});

it.each<[string, (string | ScheduleBlock)[], Edges, string]>([
  [
    'a predecessor is waited for',
    ['1 10 09:00–10:00', '2 10 10:59–11:59'],
    [['1', '2', 'FS', 60]],
    '“Review” begins Tue, 10 Mar 2026, 10:59, 1 minute before “Write” allows it.',
  ],
  [
    'a deadline is missed, and whose it is',
    [fixed('1 12 16:00–17:01')],
    [],
    '“Write” ends Thu, 12 Mar 2026, 17:01, 1 minute after the deadline of “phase”.',
  ],
])('says to the minute how %s', (_, blocks, edges, text) => {
  expect(check(blocks, edges)).toMatchObject([{ blocking: true, text }]);
});
