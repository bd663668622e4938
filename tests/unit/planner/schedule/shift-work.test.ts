// Late work moves its schedule, and broken promises are named.
import { describe, expect, it } from 'vitest';
import { StrategyProfile } from '#domain/planning/schedule.ts';
import { readOperations } from '#planner/order/durations.ts';
import { placeWork } from '#planner/schedule/place-work.ts';
import { type Progress, shiftWork } from '#planner/schedule/shift-work.ts';
import {
  machineStep,
  makeDesk,
  makeOutline,
  makeRoadmap,
  now,
  personStep,
  print,
  timezone,
} from './bench.ts';

const at = (clock: string) => `2026-03-${clock.replace(' ', 'T')}:00+01:00`;
const timeOf = (clock: string) => Date.parse(at(clock));

/** Tue 10 to Thu 12: Ana builds, Ben reviews, a machine publishes 2 h later; a call has its own fixed time. */
const outline = makeOutline([
  { id: 'build', duration_minutes: 960, steps: [personStep('build', 'ana')] },
  { id: 'read', duration_minutes: 60, steps: [personStep('read', 'ana')] },
  { id: 'review', duration_minutes: 240, steps: [personStep('review', 'Ben')] },
  { id: 'publish', duration_minutes: 30, deadline: at('12 18:00') },
  {
    id: 'call',
    duration_minutes: 60,
    not_before: at('13 15:00'),
    steps: [personStep('call', 'ana')],
  },
]);
const roadmap = makeRoadmap([
  ['build', 'review'],
  ['review', 'publish', 'FS', 120],
  ['publish', 'call'],
]);
const desk = makeDesk({ outline, roadmap });
const operations = readOperations(desk.tools.manifest());
const profile = StrategyProfile.parse({});
const project = { outline, roadmap, pools: {} };

async function shift(
  happened: Record<string, [started: string | null, ended: string | null, notBefore?: string]>,
  clock: string,
  daysOff: string[] = [],
  taken: [person: string, from: string, to: string][] = [],
  { outline, roadmap, pools }: typeof project = project,
) {
  const placing = await placeWork(
    { outline, operations, profile, timezone, now, user: 'ana', last: null, pools },
    { outline, exact: new Set(['call']), loose: new Set(), adaptations: [], problems: [] },
    roadmap,
    true,
    async () => ({ busy: [], looked_at: [], unread: [] }),
  );
  if (placing.kind !== 'placed') throw new Error(placing.kind);
  const { schedule } = placing;
  const progress = new Map(
    Object.entries(happened).map(([node, [started, ended, notBefore]]): [string, Progress] => [
      node,
      {
        started: started === null ? null : timeOf(started),
        ended: ended === null ? null : timeOf(ended),
        notBefore: notBefore === undefined ? null : timeOf(notBefore),
      },
    ]),
  );
  const context = { outline, roadmap, schedule, operations, user: 'ana', daysOff, pools };
  const busy = Map.groupBy(
    taken.map(([person, from, to]) => ({ person, from: timeOf(from), to: timeOf(to) })),
    ({ person }) => person,
  );
  const { moved, broken } = shiftWork({ ...context, busy, now: timeOf(clock) }, progress);
  return {
    schedule,
    moved: moved.map((one) => `${one.node} ${print(one.ends_at)} → ${print(one.moved_to)}`),
    broken: broken.map(({ node, kind, who, limit }) =>
      [node, kind, ...(who === null ? [] : [who]), print(limit)].join(' '),
    ),
  };
}

describe('work that runs', () => {
  it('as scheduled moves nothing', async () => {
    const { schedule, moved, broken } = await shift({}, '10 08:15');
    expect(schedule.blocks.map((one) => `${one.node} ${print(one.ends_at)}`)).toEqual([
      'build 03-11 17:00',
      'read 03-12 10:00',
      'review 03-12 13:00',
      'publish 03-12 15:30',
      'call 03-13 16:00',
    ]);
    expect([moved, broken]).toEqual([[], []]);
  });

  it.each<[string, Parameters<typeof shift>, string[], string[]]>([
    ['ends early', [{ build: ['10 09:00', '10 16:00'] }, '10 16:00'], [], []],
    [
      'overruns within its slack',
      [{ build: ['10 09:00', '12 10:00'] }, '12 10:00'],
      [
        'read 03-12 10:00 → 03-12 11:00',
        'review 03-12 13:00 → 03-12 14:00',
        'publish 03-12 15:30 → 03-12 16:30',
      ],
      ['review person Ben 03-12 09:00'],
    ],
    [
      'overruns beyond a deadline and a fixed time',
      [{ build: ['10 09:00', null] }, '12 16:00'],
      [
        'build 03-11 17:00 → 03-12 16:00',
        'read 03-12 10:00 → 03-12 17:00',
        'review 03-12 13:00 → 03-13 13:00',
        'publish 03-12 15:30 → 03-13 15:30',
      ],
      ['review person Ben 03-12 09:00', 'publish deadline 03-12 18:00', 'call fixed 03-13 15:00'],
    ],
    [
      'meets a day on which nobody works any more',
      [{ build: ['10 09:00', '11 17:00'] }, '11 17:00', ['2026-03-12']],
      [
        'read 03-12 10:00 → 03-13 10:00',
        'review 03-12 13:00 → 03-13 13:00',
        'publish 03-12 15:30 → 03-13 15:30',
      ],
      ['review person Ben 03-12 09:00', 'publish deadline 03-12 18:00', 'call fixed 03-13 15:00'],
    ],
    [
      'meets an appointment that others do not wait for',
      [{ build: ['10 09:00', '11 17:00'] }, '11 17:00', [], [['ana', '12 09:00', '12 10:00']]],
      ['read 03-12 10:00 → 03-12 11:00'],
      [],
    ],
    [
      'meets an appointment of another person',
      [{ build: ['10 09:00', '11 17:00'] }, '11 17:00', [], [['Ben', '12 09:00', '12 15:00']]],
      ['review 03-12 13:00 → 03-13 13:00', 'publish 03-12 15:30 → 03-13 15:30'],
      ['review person Ben 03-12 09:00', 'publish deadline 03-12 18:00', 'call fixed 03-13 15:00'],
    ],
    [
      'is put off by a change of the plan',
      [{ build: ['10 09:00', '11 17:00'], publish: [null, null, '12 17:00'] }, '11 17:00'],
      ['publish 03-12 15:30 → 03-12 17:30'],
      [],
    ],
  ])('%s: the rest stays, and what breaks is named', async (_, args, moved, broken) => {
    const found = await shift(...args);
    expect(found.moved).toEqual(moved);
    expect(found.broken).toEqual(broken);
  });

  it('keeps what another step needs moves that step', async () => {
    const steps = (id: string) => [machineStep(id, { resources: { gpu: 1 } })];
    const outline = makeOutline([
      { id: 'next', duration_minutes: 60, deadline: at('10 18:00'), steps: steps('next') },
      { id: 'long', duration_minutes: 60, steps: steps('long') },
      { id: 'other', duration_minutes: 60 },
    ]);
    const shared = { outline, roadmap: makeRoadmap([['other', 'next']]), pools: { gpu: 1 } };
    const { moved } = await shift(
      { long: ['10 09:45', null], other: ['10 08:15', '10 09:15'] },
      '10 10:00',
      ...[[], []],
      shared,
    );
    expect(moved).toEqual(['next 03-10 10:15 → 03-10 11:45', 'long 03-10 09:15 → 03-10 10:45']);
  });

  it('breaks nothing that is over', async () => {
    const done = { build: ['10 09:00', '12 17:00'], publish: ['12 17:00', '12 19:00'] } as const;
    const { broken } = await shift(
      { build: [...done.build], publish: [...done.publish] },
      '12 19:00',
    );
    expect(broken.map((one) => one.split(' ')[0])).toEqual(['review']);
  });
});
