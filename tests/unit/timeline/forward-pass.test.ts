import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { edgeEnds } from '#domain/plan/edge-ends.ts';
import { StrategyProfile } from '#domain/planning/schedule.ts';
import {
  boundOf,
  type PassInput,
  runForwardPass,
  type TimedEdge,
  type TimedNode,
} from '#timeline/forward-pass.ts';
import { findOverload } from '#timeline/load.ts';
import { findEarliestEnds } from '#timeline/lower-bound.ts';
import { toLocalIso } from '#timeline/recurrence.ts';
import {
  minuteMs,
  openWorkingTime,
  workingMinutesWithin,
  workingTimeWithin,
} from '#timeline/working-time.ts';

const berlin = 'Europe/Berlin';
const monday = Date.parse('2026-03-09T09:00:00+01:00');
const time = openWorkingTime(StrategyProfile.parse({}), berlin);

function node(id: string, minutes: number, more: Partial<TimedNode> = {}): TimedNode {
  return { id, minutes, person: null, release: null, fixed: null, deadline: null, ...more };
}

function edge(from: string, to: string, type: TimedEdge['type'] = 'FS', lag = 0): TimedEdge {
  return { from, to, type, lag_minutes: lag };
}

function input(nodes: TimedNode[], edges: TimedEdge[] = [], more: Partial<PassInput> = {}) {
  return { nodes, edges, now: monday, time, minutesADay: null, busy: new Map(), ...more };
}

function place(nodes: TimedNode[], edges: TimedEdge[] = [], more: Partial<PassInput> = {}) {
  const pass = runForwardPass(input(nodes, edges, more));
  if (pass.kind !== 'placed') throw new Error(pass.kind);
  const print = (moment: number) => toLocalIso(new Date(moment), berlin).slice(5, 16);
  return {
    late: pass.late,
    at: Object.fromEntries(
      [...pass.places].map(([id, { from, to }]) => [id, `${print(from)} ${print(to)}`]),
    ),
  };
}

describe('precedence between two machine steps of an hour and of two', () => {
  it.each<[TimedEdge['type'], number, string]>([
    ['FS', 0, '03-09T10:00 03-09T12:00'],
    ['FS', 30, '03-09T10:30 03-09T12:30'],
    ['FS', -30, '03-09T09:30 03-09T11:30'],
    ['FS', -90, '03-09T09:00 03-09T11:00'],
    ['SS', 0, '03-09T09:00 03-09T11:00'],
    ['SS', 15, '03-09T09:15 03-09T11:15'],
    ['SS', -15, '03-09T09:00 03-09T11:00'],
    ['FF', 0, '03-09T09:00 03-09T11:00'],
    ['FF', 90, '03-09T09:30 03-09T11:30'],
    ['FF', -60, '03-09T09:00 03-09T11:00'],
    ['SF', 0, '03-09T09:00 03-09T11:00'],
    ['SF', 180, '03-09T10:00 03-09T12:00'],
    ['SF', -180, '03-09T09:00 03-09T11:00'],
  ])('%s with %i minutes', (type, lag, expected) => {
    expect(place([node('a', 60), node('b', 120)], [edge('a', 'b', type, lag)]).at.b).toBe(expected);
  });

  it('lets a lag pass over nights and the change of the clocks', () => {
    const friday = Date.parse('2026-03-27T12:00:00+01:00');
    expect(
      place([node('a', 0), node('b', 0)], [edge('a', 'b', 'FS', 2880)], { now: friday }).at.b,
    ).toBe('03-29T13:00 03-29T13:00');
  });

  it('ends a person’s work no earlier than an edge to its end allows', () => {
    const late = place([node('a', 600), node('b', 60, { person: 'ana' })], [edge('a', 'b', 'FF')]);
    expect(late.at.b).toBe('03-10T09:00 03-10T10:00');
    const long = place(
      [node('a', 60), node('b', 960, { person: 'ana' })],
      [edge('a', 'b', 'FF', 2880)],
    );
    expect(long.at.b).toBe('03-09T10:00 03-11T10:00');
  });
});

describe('a person’s time', () => {
  it('holds one thing at a time, kept in one piece where a day has room for it', () => {
    expect(
      place([
        node('a', 240, { person: 'ana' }),
        node('b', 300, { person: 'ana' }),
        node('c', 60, { person: 'ana' }),
        node('d', 60, { person: 'ben' }),
      ]).at,
    ).toEqual({
      a: '03-09T09:00 03-09T13:00',
      b: '03-10T09:00 03-10T14:00',
      c: '03-09T13:00 03-09T14:00',
      d: '03-09T09:00 03-09T10:00',
    });
  });

  it('goes on over nights and a weekend where it is longer than a day', () => {
    expect(place([node('a', 6 * 480, { person: 'ana' })]).at.a).toBe('03-09T09:00 03-16T17:00');
  });

  it('keeps free of what calendars hold', () => {
    const busy = new Map([
      ['ana', [{ from: monday + 60 * minuteMs, to: monday + 120 * minuteMs }]],
    ]);
    expect(
      place([node('a', 60, { person: 'ana' }), node('b', 90, { person: 'ana' })], [], { busy }).at,
    ).toEqual({ a: '03-09T09:00 03-09T10:00', b: '03-09T11:00 03-09T12:30' });
  });

  it('spends no more on a day than its capacity, and splits what is longer', () => {
    expect(
      place(
        [
          node('a', 60, { person: 'ana' }),
          node('b', 90, { person: 'ana' }),
          node('c', 180, { person: 'ana' }),
        ],
        [edge('a', 'b'), edge('b', 'c')],
        { minutesADay: 120 },
      ).at,
    ).toEqual({
      a: '03-09T09:00 03-09T10:00',
      b: '03-10T09:00 03-10T10:30',
      c: '03-10T10:30 03-12T09:30',
    });
  });

  it('splits work around a daily meeting when two weeks hold no stretch for it', () => {
    const days = Array.from({ length: 30 }, (_, day) => monday + day * 24 * 60 * minuteMs);
    const noon = days.map((day) => ({ from: day + 180 * minuteMs, to: day + 240 * minuteMs }));
    expect(
      place([node('a', 420, { person: 'ana' })], [], { busy: new Map([['ana', noon]]) }).at.a,
    ).toBe('03-09T09:00 03-09T17:00');
  });

  it('leaves a fixed moment to whom it belongs, even at night', () => {
    const night = Date.parse('2026-03-09T22:00:00+01:00');
    const tuesday = Date.parse('2026-03-10T09:00:00+01:00');
    expect(
      place([
        node('long', 600, { person: 'ana' }),
        node('call', 30, { person: 'ana', fixed: night }),
        node('talk', 60, { person: 'ana', fixed: tuesday }),
      ]).at,
    ).toEqual({
      long: '03-09T09:00 03-10T12:00',
      call: '03-09T22:00 03-09T22:30',
      talk: '03-10T09:00 03-10T10:00',
    });
  });

  it('continues work with a fixed start on the next days, around other fixed moments', () => {
    const tuesday = Date.parse('2026-03-10T09:00:00+01:00');
    const fixed = [
      node('long', 960, { person: 'ana', fixed: monday }),
      node('talk', 60, { person: 'ana', fixed: tuesday }),
    ];
    expect(place(fixed)).toEqual({
      late: [],
      at: { long: '03-09T09:00 03-11T10:00', talk: '03-10T09:00 03-10T10:00' },
    });
  });

  it('takes the hour that was named where nothing moves it, and working hours where something does', () => {
    const evening = Date.parse('2026-03-09T20:00:00+01:00');
    const named = node('b', 60, { person: 'ana', release: evening, anyHour: true });
    expect(place([named]).at.b).toBe('03-09T20:00 03-09T21:00');
    expect(place([node('a', 720), named], [edge('a', 'b')]).at.b).toBe('03-10T09:00 03-10T10:00');
  });

  it('finds no time where nobody works', () => {
    const never = openWorkingTime({ ...StrategyProfile.parse({}), working_hours: [] }, berlin);
    expect(runForwardPass(input([node('a', 1, { person: 'ana' })], [], { time: never }))).toEqual({
      kind: 'no_time',
      node: 'a',
    });
  });
});

describe('what does not fit', () => {
  it('is a deadline that is missed, by as much', () => {
    const limit = monday + 90 * minuteMs;
    const nodes = (deadline: number) => [node('a', 60), node('b', 60, { deadline })];
    expect(place(nodes(limit), [edge('a', 'b')]).late).toEqual([
      { kind: 'deadline', node: 'b', limit, by: 30 * minuteMs },
    ]);
    expect(place(nodes(monday + 120 * minuteMs), [edge('a', 'b')]).late).toEqual([]);
  });

  it('is a fixed moment that comes before what it waits for, or has passed', () => {
    const early = monday + 30 * minuteMs;
    expect(place([node('a', 60), node('b', 10, { fixed: early })], [edge('a', 'b')]).late).toEqual([
      { kind: 'fixed', node: 'b', limit: early, by: 30 * minuteMs },
    ]);
    expect(place([node('b', 10, { fixed: monday - minuteMs })]).late).toMatchObject([
      { kind: 'fixed', by: minuteMs },
    ]);
  });

  it('is a second fixed moment in the same hour of the same person', () => {
    const fixed = (id: string, person: string, minutes: number) =>
      node(id, 60, { person, fixed: monday + minutes * minuteMs });
    expect(place([fixed('a', 'ana', 0), fixed('b', 'ana', 45)]).late).toMatchObject([
      { kind: 'clash', node: 'b', by: 15 * minuteMs },
    ]);
    expect(place([fixed('a', 'ana', 0), fixed('b', 'ana', 60)]).late).toEqual([]);
    expect(place([fixed('a', 'ana', 0), fixed('b', 'ben', 45)]).late).toEqual([]);
  });

  it('is a circle', () => {
    expect(
      runForwardPass(input([node('a', 1), node('b', 1)], [edge('a', 'b'), edge('b', 'a')])),
    ).toEqual({ kind: 'cycle' });
  });
});

it('does first what is due first', () => {
  const due = monday + 60 * minuteMs;
  const pass = place(
    [
      node('a', 60, { person: 'ana' }),
      node('b', 30, { person: 'ana' }),
      node('c', 30, { person: 'ana', deadline: due }),
    ],
    [edge('b', 'c')],
  );
  expect(pass.late).toEqual([]);
  expect(pass.at.a).toBe('03-09T10:00 03-09T11:00');
});

it('places nothing where there is nothing', () => {
  expect(place([])).toEqual({ late: [], at: {} });
});

const graph = fc
  .array(
    fc.record({
      minutes: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 900 })),
      person: fc.constantFrom(null, 'ana', 'ben'),
      release: fc.option(fc.integer({ min: 0, max: 10_000 }), { nil: null }),
    }),
    { minLength: 1, maxLength: 14 },
  )
  .chain((drawn) =>
    fc.record({
      nodes: fc.constant(
        drawn.map(({ minutes, person, release }, i) =>
          node(`${i}`, minutes, {
            person,
            release: release === null ? null : monday + release * minuteMs,
          }),
        ),
      ),
      edges: fc
        .array(
          fc.tuple(
            fc.nat(drawn.length - 1),
            fc.nat(drawn.length - 1),
            fc.constantFrom<TimedEdge['type']>('FS', 'SS', 'FF', 'SF'),
            fc.integer({ min: -600, max: 3000 }),
          ),
          { maxLength: 20 },
        )
        .map((pairs) =>
          pairs
            .filter(([a, b]) => a < b)
            .map(([a, b, type, lag]) => edge(`${a}`, `${b}`, type, lag)),
        ),
    }),
  );

it('keeps every edge, release and person’s time, whatever the graph', () => {
  fc.assert(
    fc.property(graph, ({ nodes, edges }) => {
      const pass = runForwardPass(input(nodes, edges));
      if (pass.kind !== 'placed') throw new Error(pass.kind);
      const { places } = pass;
      expect(pass.late).toEqual([]);
      const last = Math.max(monday, ...[...places.values()].map(({ to }) => to));
      const bound = findEarliestEnds(input(nodes, edges), last);
      expect(bound.end).toBeLessThanOrEqual(last);
      for (const [id, { to }] of places) expect(bound.ends.get(id)).toBeLessThanOrEqual(to);
      for (const one of edges) {
        const [from, to] = [places.get(one.from), places.get(one.to)];
        if (from === undefined || to === undefined) throw new Error('not placed');
        expect(edgeEnds[one.type].toFinish ? to.to : to.from).toBeGreaterThanOrEqual(
          boundOf(one, from),
        );
      }
      for (const { id, minutes, person, release } of nodes) {
        const span = places.get(id);
        if (span === undefined) throw new Error('not placed');
        expect(span.from).toBeGreaterThanOrEqual(Math.max(monday, release ?? monday));
        if (person === null) expect(span.to - span.from).toBe(minutes * minuteMs);
        else expect(workingMinutesWithin(time, span)).toBeGreaterThanOrEqual(minutes - 0.001);
      }
      for (const person of ['ana', 'ben']) {
        const loads = nodes
          .filter((one) => one.person === person)
          .map(({ id, minutes }) => ({
            id,
            length: minutes * minuteMs,
            ...(places.get(id) ?? { from: 0, to: 0 }),
          }));
        const all = { from: monday, to: Math.max(...loads.map(({ to }) => to), monday) };
        expect(findOverload(loads, workingTimeWithin(time, all))).toEqual([]);
      }
    }),
    { numRuns: 150 },
  );
});

it('has a bound on its end that counts what each person has to do', () => {
  const work = ['a', 'b', 'c'].map((id) => node(id, 240, { person: 'ana' }));
  const bound = findEarliestEnds(input(work), monday + 7 * 1440 * minuteMs);
  expect(bound.end).toBe(monday + (1440 + 240) * minuteMs);
  expect([...bound.ends.values()]).toEqual(work.map(() => monday + 240 * minuteMs));
});

it('places five thousand pieces of one person’s work, each waiting for four others, without scanning them all again', () => {
  const nodes = Array.from({ length: 5000 }, (_, i) => node(`${i}`, 60, { person: 'ana' }));
  const edges = nodes.flatMap((_, i) =>
    [1, 2, 3, 5].filter((back) => i >= back).map((back) => edge(`${i - back}`, `${i}`)),
  );
  const before = process.cpuUsage();
  const pass = runForwardPass(input(nodes, edges));
  const { user } = process.cpuUsage(before);
  if (pass.kind !== 'placed') throw new Error(pass.kind);
  // 625 eight-hour working days: a Friday 125 weeks on.
  expect(toLocalIso(new Date(pass.places.get('4999')?.to ?? 0), berlin)).toBe(
    '2028-07-28T17:00:00+02:00',
  );
  expect(user).toBeLessThan(5_000_000);
});

describe('the load of a person', () => {
  const hour = 60 * minuteMs;
  const day = [{ from: 0, to: 8 * hour }];
  const load = (id: string, from: number, to: number, length: number) => ({
    id,
    from: from * hour,
    to: to * hour,
    length: length * hour,
  });

  it('fits where long work can go around short work', () => {
    expect(findOverload([load('long', 0, 8, 7), load('short', 3, 4, 1)], day)).toEqual([]);
  });

  it('does not where it is an hour too much', () => {
    expect(
      findOverload([load('long', 0, 8, 8), load('short', 3, 4, 1)], day).map(({ id }) => id),
    ).toEqual(['long']);
    expect(findOverload([load('a', 0, 2, 2), load('b', 1, 3, 2)], day).map(({ id }) => id)).toEqual(
      ['b'],
    );
  });

  it('touches without overlapping, and is not concerned by moments', () => {
    expect(findOverload([load('a', 0, 1, 1), load('b', 1, 2, 1), load('c', 0, 0, 0)], day)).toEqual(
      [],
    );
  });

  it('is not met outside the available time', () => {
    expect(findOverload([load('a', 7, 9, 2)], day)).toHaveLength(1);
  });
});
