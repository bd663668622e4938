import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PortfolioBlock } from '#db/plans/portfolio.ts';
import { type Schedule, StrategyProfile } from '#domain/planning/schedule.ts';
import type { BusyTime } from '#planner/schedule/busy.ts';
import { probeTimes } from '#planner/schedule/probe-times.ts';
import type { ToolContext } from '#planner/tool.ts';
import { createProbePortfolio, type OtherPlans } from '#planner/tools/probe-portfolio.ts';
import {
  makeDesk,
  makeOutline,
  makeRoadmap,
  makeTools,
  now,
  personStep,
  print,
  timezone,
} from './bench.ts';

type Block = Schedule['blocks'][number];

const at = (clock: string) => new Date(`2026-03-${clock.replace(' ', 'T')}:00+01:00`);

function block(node: string, from: string, to: string, more: Partial<Block> = {}): Block {
  return {
    node,
    starts_at: at(from).toISOString(),
    ends_at: at(to).toISOString(),
    fixed: false,
    holds: true,
    person: 'ana',
    ...more,
  };
}

function scheduleOf(blocks: Block[], profile: Partial<StrategyProfile> = {}): Schedule {
  return {
    timezone,
    profile: { ...StrategyProfile.parse({}), ...profile },
    blocks,
    starts_at: blocks.map(({ starts_at }) => starts_at).sort()[0] ?? null,
    ends_at:
      blocks
        .map(({ ends_at }) => ends_at)
        .sort()
        .at(-1) ?? null,
  };
}

function other(from: string, to: string, more: Partial<PortfolioBlock> = {}): PortfolioBlock {
  return {
    plan_id: 'PLAN-00000001',
    plan_title: 'Hiring',
    node_id: '1',
    node_title: 'Interview',
    person: 'ana',
    starts_at: at(from),
    ends_at: at(to),
    minutes: null,
    ...more,
  };
}

async function probe(
  schedule: Schedule,
  {
    plans = [],
    events = [],
    durations = {},
    edges = [],
    toolContext = {},
    otherPlans = async () => ({ blocks: plans, more: false }),
  }: {
    plans?: PortfolioBlock[];
    events?: Parameters<typeof makeTools>[0];
    durations?: Record<string, number>;
    edges?: [string, string][];
    toolContext?: Partial<ToolContext>;
    otherPlans?: OtherPlans;
  } = {},
) {
  const outline = makeOutline(
    [...new Set(schedule.blocks.map(({ node }) => node))].map((id) => ({
      id,
      steps: [personStep(id)],
      duration_minutes: durations[id] ?? null,
    })),
  );
  const tool = createProbePortfolio({ otherPlans });
  const outcome = await tool.execute(
    {},
    makeDesk(
      { outline, roadmap: makeRoadmap(edges), schedule, stage: 'VALIDATE_SCHEDULE' },
      { tools: makeTools(events), ...toolContext },
    ),
  );
  const portfolio = outcome.changes?.portfolio;
  if (portfolio == null) throw new Error(outcome.result.explanations.join(' '));
  return {
    outcome,
    portfolio,
    conflicts: portfolio.conflicts.map(
      (one) =>
        `${one.node} ${one.with} ${print(one.starts_at)}–${print(one.ends_at)?.slice(6)} → ${print(one.shift_to)}`,
    ),
  };
}

describe('a conflict', () => {
  const hour = block('1', '10 10:00', '10 11:00');
  const standup = { start: at('10 09:00').toISOString(), end: at('10 16:30').toISOString() };

  it.each<[string, Block[], NonNullable<Parameters<typeof probe>[1]>, string[]]>([
    [
      'is an hour that another plan has of the same person, with the nearest room',
      [hour],
      { plans: [other('10 10:30', '10 12:00')] },
      ['1 PLAN-00000001: Interview 03-10 10:30–11:00 → 03-10 09:30'],
    ],
    [
      'is an event of a calendar; room is later where earlier is taken or past',
      [block('1', '10 16:00', '10 17:00')],
      { events: [{ title: 'Standup', ...standup }] },
      ['1 “Standup” 03-10 16:00–16:30 → 03-11 09:00'],
    ],
    [
      'leaves room for what the work waits for, and for the person’s own other work',
      [
        block('1', '10 09:00', '10 10:00'),
        block('2', '10 11:00', '10 12:00'),
        block('3', '10 12:00', '10 13:00'),
      ],
      { plans: [other('10 11:30', '10 11:45')], edges: [['1', '2']] },
      ['2 PLAN-00000001: Interview 03-10 11:30–11:45 → 03-10 10:30'],
    ],
    [
      'is none where hours touch',
      [hour],
      { plans: [other('10 09:00', '10 10:00'), other('10 11:00', '10 12:00')] },
      [],
    ],
    [
      'is none with other people’s hours or a birthday',
      [hour],
      {
        events: [{ title: 'Birthday', start: '2026-03-10', end: '2026-03-11', busy: false }],
        plans: [other('10 10:00', '10 11:00', { person: 'ben' })],
      },
      [],
    ],
    [
      'is none for machines',
      [{ ...hour, person: null }],
      { plans: [other('10 10:00', '10 11:00')] },
      [],
    ],
    [
      'has no room within two weeks of a full calendar',
      [hour],
      { plans: [other('09 00:00', '31 00:00')] },
      ['1 PLAN-00000001: Interview 03-10 10:00–11:00 → null'],
    ],
  ])('%s', async (_, blocks, about, expected) => {
    const { conflicts, portfolio } = await probe(scheduleOf(blocks), about);
    expect(conflicts).toEqual(expected);
    const source = about.events === undefined ? 'plan' : 'calendar';
    expect(portfolio.conflicts.map((one) => one.source)).toEqual(expected.map(() => source));
  });

  it('has a start on the same day, and one on the next working day at the same time', async () => {
    const slotsOf = async (plans: PortfolioBlock[], from = '10 10:00', to = '10 11:00') => {
      const { portfolio } = await probe(scheduleOf([block('1', from, to)]), { plans });
      return portfolio.conflicts[0]?.slots?.map(print);
    };
    // 10 March 2026 is a Tuesday.
    expect(await slotsOf([other('10 10:30', '10 12:07')])).toEqual(['03-10 12:15', '03-11 10:00']);
    const friday = [other('13 15:00', '13 17:00')];
    expect(await slotsOf(friday, '13 16:00', '13 17:00')).toEqual(['03-13 09:00', '03-16 16:00']);
    const days = [other('10 09:00', '10 17:00'), other('11 09:00', '11 13:00')];
    expect(await slotsOf(days)).toEqual(['03-11 13:00']);
  });

  it('is none over a weekend’s work that goes around it, and one when too little is left', async () => {
    const long = scheduleOf([block('1', '12 09:00', '16 17:00')]);
    const meeting = other('13 09:00', '13 12:00');
    expect((await probe(long, { plans: [meeting], durations: { 1: 1260 } })).conflicts).toEqual([]);
    expect(
      (await probe(long, { plans: [meeting], durations: { 1: 1261 } })).conflicts,
    ).toHaveLength(1);
  });
});

describe('the report', () => {
  it('says how full the time is', async () => {
    const day = scheduleOf([
      block('1', '10 09:00', '10 12:00'),
      block('2', '10 15:00', '10 17:00'),
    ]);
    const { portfolio } = await probe(day, { plans: [other('10 12:00', '10 13:00')] });
    expect(portfolio.utilisation).toBe(0.75);
    expect(portfolio.weeks).toEqual([{ person: 'ana', from: '2026-03-09', share: 0.188 }]);
    const full = scheduleOf(day.blocks, { minutes_a_day: 240 });
    expect(
      (await probe(full, { plans: [other('10 12:00', '10 13:00')] })).portfolio.utilisation,
    ).toBe(1.5);
  });

  it('says how full it is for each week, also of work that goes over a weekend', async () => {
    const long = scheduleOf([block('1', '13 13:00', '16 13:00')]);
    const { portfolio } = await probe(long, {
      plans: [other('16 09:00', '16 10:00')],
      durations: { 1: 480 },
    });
    expect(portfolio.weeks?.map(({ from, share }) => [from, share])).toEqual([
      ['2026-03-09', 0.125],
      ['2026-03-16', 0.125],
    ]);
  });

  it('has nothing to say of an empty schedule, and reads nothing for it', async () => {
    const { portfolio, outcome } = await probe(scheduleOf([]), {
      otherPlans: () => Promise.reject(new Error('not to be called')),
      events: new Error('not to be called'),
    });
    expect(portfolio).toEqual({ conflicts: [], utilisation: null, looked_at: [], unread: [] });
    expect(outcome.result.ok).toBe(true);
  });

  it('reads each person’s own calendar, without naming appointments of others', async () => {
    const both = scheduleOf([
      block('1', '10 10:00', '10 11:00'),
      block('2', '10 10:00', '10 11:00', { person: 'ben' }),
      block('3', '10 12:00', '10 13:00', { person: 'cy' }),
    ]);
    const dentist = { title: 'Dentist', start: at('10 10:30').toISOString() };
    const { conflicts, portfolio } = await probe(both, {
      events: { ana: [], ben: [{ ...dentist, end: at('10 11:00').toISOString() }] },
    });
    expect(conflicts).toEqual(['2 an appointment of “ben” 03-10 10:30–11:00 → 03-10 09:30']);
    expect(portfolio.unread).toEqual(['Calendars of cy: none is connected.']);
  });

  it('says what could not be read', async () => {
    const mine = scheduleOf([
      block('1', '10 10:00', '10 11:00'),
      block('2', '10 10:00', '10 11:00', { person: 'ben' }),
    ]);
    const { portfolio, outcome } = await probe(mine, {
      events: new Error('the server is down'),
      otherPlans: () => Promise.reject(new Error('no connection')),
    });
    expect(portfolio.unread).toEqual([
      'Other plans: no connection',
      'Calendars: the server is down',
    ]);
    expect(outcome.result.confidence).toBeLessThan(1);
    const page = await probe(scheduleOf([block('1', '10 10:00', '10 11:00')]), {
      events: null,
      otherPlans: async () => ({ blocks: [], more: true }),
    });
    expect(page.portfolio.unread).toHaveLength(2);
    expect(page.portfolio.looked_at).toEqual(['other plans']);
  });

  it('asks only for the people and the time of the schedule, and not for its own plan', async () => {
    const asked: Parameters<OtherPlans>[0][] = [];
    await probe(scheduleOf([block('1', '12 10:00', '12 11:00')]), {
      otherPlans: async (query) => {
        asked.push(query);
        return { blocks: [], more: false };
      },
    });
    expect(asked).toEqual([
      {
        people: ['ana'],
        from: now,
        to: new Date(at('12 11:00').getTime() + 14 * 86_400_000),
        exceptRun: 'run-1',
      },
    ]);
  });

  it('is given up when the turn is', async () => {
    const stop = new AbortController();
    stop.abort();
    await expect(
      probe(scheduleOf([block('1', '12 10:00', '12 11:00')]), {
        toolContext: { signal: stop.signal },
        events: new Error('aborted'),
      }),
    ).rejects.toThrow('aborted');
  });
});

it('finds the overlaps that comparing each with each finds', () => {
  const span = fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 1, max: 12 }));
  const moment = (quarter: number) => at('10 09:00').getTime() + quarter * 15 * 60_000;
  fc.assert(
    fc.property(
      fc.array(span, { maxLength: 8 }),
      fc.array(span, { maxLength: 12 }),
      (own, busy) => {
        const blocks = own.map(([from, length], i) => ({
          ...block(`${i}`, '10 09:00', '10 09:00'),
          starts_at: new Date(moment(from)).toISOString(),
          ends_at: new Date(moment(from + length)).toISOString(),
          fixed: true,
        }));
        const times = busy.map(
          ([from, length], i): BusyTime => ({
            from: moment(from),
            to: moment(from + length),
            with: `${i}`,
            source: 'plan',
            person: 'ana',
          }),
        );
        const { conflicts } = probeTimes(
          {
            outline: makeOutline(own.map((_, i) => ({ id: `${i}` }))),
            roadmap: makeRoadmap(),
            schedule: scheduleOf(blocks),
            now: now.getTime(),
          },
          times,
        );
        const expected = own.flatMap(([from, length], i) =>
          busy.flatMap(([start, long], j) =>
            start < from + length && start + long > from ? [`${i} ${j}`] : [],
          ),
        );
        expect(conflicts.map(({ node, with: what }) => `${node} ${what}`).sort()).toEqual(
          expected.sort(),
        );
      },
    ),
  );
});

it('compares thousands of blocks with thousands of events', () => {
  const blocks = Array.from({ length: 3000 }, (_, i) => ({
    ...block(`${i}`, '10 09:00', '10 09:00'),
    starts_at: new Date(now.getTime() + i * 3_600_000).toISOString(),
    ends_at: new Date(now.getTime() + i * 3_600_000 + 1_800_000).toISOString(),
  }));
  const busy = Array.from(
    { length: 5000 },
    (_, i): BusyTime => ({
      from: now.getTime() + i * 3_600_000 + 1_900_000,
      to: now.getTime() + i * 3_600_000 + 2_000_000,
      with: `${i}`,
      source: 'calendar',
      person: 'ana',
    }),
  );
  const before = process.cpuUsage();
  const { conflicts } = probeTimes(
    {
      outline: makeOutline(blocks.map(({ node }) => ({ id: node }))),
      roadmap: makeRoadmap(),
      schedule: scheduleOf(blocks),
      now: now.getTime(),
    },
    busy,
  );
  expect(conflicts).toEqual([]);
  expect(process.cpuUsage(before).user).toBeLessThan(3_000_000);
});
