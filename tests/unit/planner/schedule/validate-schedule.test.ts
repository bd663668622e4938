import { describe, expect, it } from 'vitest';
import { type Schedule, StrategyProfile } from '#domain/planning/schedule.ts';
import { validateSchedule } from '#planner/schedule/validate-schedule.ts';
import { makeOutline, makeRoadmap, personStep, timezone } from './bench.ts';

const outline = makeOutline([
  { id: 'phase', structure: 'phase', deadline: '2026-03-12T17:00:00+01:00' },
  { id: '1', title: 'Write', parent: 'phase', duration_minutes: 60, steps: [personStep('1')] },
  { id: '2', title: 'Review', parent: 'phase', duration_minutes: 60, steps: [personStep('2')] },
  { id: '3', title: 'Launch' },
]);

type Block = [node: string, from: string, to: string, more?: Partial<Schedule['blocks'][number]>];

function check(blocks: Block[], edges: Parameters<typeof makeRoadmap>[0] = []) {
  const iso = (clock: string) =>
    new Date(`2026-03-${clock.replace(' ', 'T')}:00+01:00`).toISOString();
  const schedule: Schedule = {
    timezone,
    profile: StrategyProfile.parse({}),
    blocks: blocks.map(([node, from, to, more]) => ({
      node,
      starts_at: iso(from),
      ends_at: iso(to),
      fixed: false,
      holds: true,
      person: 'ana',
      ...more,
    })),
    starts_at: null,
    ends_at: null,
  };
  return validateSchedule(outline, makeRoadmap(edges), schedule).map(
    ({ code, node, blocking, text }) => [code, node, blocking, text],
  );
}

const machine = { person: null };

function codes(...args: Parameters<typeof check>) {
  return check(...args).map(([code, node]) => `${code} ${node}`);
}

describe('a schedule', () => {
  it('without blocks breaks nothing', () => {
    expect(check([], [['1', '2']])).toEqual([]);
  });

  it('that keeps everything has no violations', () => {
    expect(
      check(
        [
          ['1', '10 09:00', '10 10:00'],
          ['2', '10 10:00', '10 11:00'],
          ['3', '10 20:00', '10 20:00', machine],
        ],
        [
          ['1', '2'],
          ['phase', '3'],
        ],
      ),
    ).toEqual([]);
  });

  it('names a node that begins before its predecessor lets it, to the minute', () => {
    expect(
      check(
        [
          ['1', '10 09:00', '10 10:00'],
          ['2', '10 10:59', '10 11:59'],
        ],
        [['1', '2', 'FS', 60]],
      ),
    ).toEqual([
      [
        'precedence',
        '2',
        true,
        '“Review” begins Tue, 10 Mar 2026, 10:59, 1 minute before “Write” allows it.',
      ],
    ]);
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
    expect(
      check(
        [
          ['1', '10 09:00', '10 10:00'],
          ['3', '10 09:30', '10 10:30', machine],
        ],
        [['1', '3', type, lag]],
      ),
    ).toHaveLength(count);
  });

  it('lets no part begin before the whole it waits for has ended', () => {
    expect(
      codes(
        [
          ['2', '10 10:00', '10 11:00'],
          ['3', '10 10:30', '10 10:30', machine],
        ],
        [['phase', '3']],
      ),
    ).toEqual(['precedence 3']);
  });

  it('ends by the deadline of its whole, the very moment included', () => {
    expect(codes([['1', '12 16:00', '12 17:00']])).toEqual([]);
    expect(codes([['3', '12 16:00', '12 23:00', machine]])).toEqual([]);
    expect(codes([['1', '12 16:00', '12 17:01', { fixed: true }]])).toEqual(['deadline 1']);
  });

  it('says by how much a deadline is missed, and whose it is', () => {
    expect(check([['1', '12 16:00', '12 17:01', { fixed: true }]])).toMatchObject([
      [
        'deadline',
        '1',
        true,
        '“Write” ends Thu, 12 Mar 2026, 17:01, 1 minute after the deadline of “phase”.',
      ],
    ]);
  });

  it('has people’s work in their working hours, unless a person said otherwise', () => {
    expect(codes([['1', '10 20:00', '10 21:00']])).toEqual(['working_hours 1']);
    expect(codes([['1', '10 20:00', '10 21:00', { fixed: true }]])).toEqual([]);
    expect(codes([['1', '10 16:30', '11 09:30']])).toEqual([]);
    expect(codes([['1', '10 16:31', '11 09:30']])).toEqual(['working_hours 1']);
  });

  it('gives a person one thing at a time', () => {
    expect(
      codes([
        ['1', '10 09:00', '10 10:00'],
        ['2', '10 09:30', '10 10:30'],
      ]),
    ).toEqual(['overlap 2']);
    expect(
      codes([
        ['1', '10 09:00', '10 10:00'],
        ['2', '10 09:30', '10 10:30', { person: 'ben' }],
      ]),
    ).toEqual([]);
    // An hour of work with an afternoon of room goes around the other.
    expect(
      codes([
        ['1', '10 09:00', '10 12:00'],
        ['2', '10 09:30', '10 10:30'],
      ]),
    ).toEqual([]);
  });

  it('names what is not there and what ends before it begins', () => {
    expect(
      codes([
        ['9', '10 09:00', '10 10:00'],
        ['1', '10 10:00', '10 09:00'],
      ]),
    ).toEqual(['unknown_node null', 'ends_first 1']);
  });
});
