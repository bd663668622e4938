import { describe, expect, it } from 'vitest';
import type { PlanOutline } from '#domain/planning/outline.ts';
import type { Roadmap } from '#domain/planning/roadmap.ts';
import { StrategyProfile } from '#domain/planning/schedule.ts';
import type { PlanningState } from '#domain/planning/state.ts';
import type { JsonObject } from '#domain/text.ts';
import { draftPlan } from '#planner/draft/draft-plan.ts';
import { readCalendars } from '#planner/schedule/busy.ts';
import { validateSchedule } from '#planner/schedule/validate-schedule.ts';
import type { ToolContext } from '#planner/tool.ts';
import { generateSchedule as tool } from '#planner/tools/generate-schedule.ts';
import {
  machineStep,
  makeDesk,
  makeOutline,
  makeRoadmap,
  makeTools,
  now,
  personStep,
  print,
  timezone,
} from './bench.ts';

type Wanted = {
  outline: PlanOutline;
  roadmap?: Roadmap;
  state?: Partial<PlanningState>;
  toolContext?: Partial<ToolContext>;
  profile?: Partial<StrategyProfile>;
  input?: JsonObject;
};

async function run({
  outline,
  roadmap = makeRoadmap(),
  state,
  toolContext,
  profile,
  input = {},
}: Wanted) {
  const desk = makeDesk({ outline, roadmap, ...state }, toolContext);
  const settings = { ...desk.settings, profile: { ...StrategyProfile.parse({}), ...profile } };
  const used = { ...desk, settings };
  const prepared = tool.prepare(input);
  if ('problems' in prepared) throw new Error(prepared.problems.join(' '));
  const outcome = await tool.execute(prepared.input, used);
  const schedule = outcome.changes?.schedule ?? null;
  const after = outcome.changes?.outline ?? outline;
  return {
    outcome,
    outline: after,
    roadmap,
    schedule,
    blocks: schedule?.blocks.map(({ node, starts_at, ends_at, holds, fixed, person }) =>
      [
        node,
        print(starts_at),
        ...(ends_at === starts_at ? [] : ['–', print(ends_at)]),
        ...(person === null ? [] : [person]),
        ...(holds ? ['held'] : []),
        ...(fixed ? ['fixed'] : []),
      ].join(' '),
    ),
    violations: schedule === null ? [] : validateSchedule(after, roadmap, schedule),
    escalation: outcome.changes?.result?.kind === 'escalation' ? outcome.changes.result : null,
  };
}

const at = (clock: string) => `2026-03-${clock.replace(' ', 'T')}:00+01:00`;

describe('a plain plan', () => {
  it('gets no times, and its calendars are not looked at', async () => {
    const calls: JsonObject[] = [];
    const { blocks, outcome, schedule } = await run({
      outline: makeOutline([{ id: '1' }, { id: '2' }, { id: '3', steps: [personStep('3')] }]),
      roadmap: makeRoadmap([
        ['1', '2'],
        ['2', '3'],
      ]),
      toolContext: { tools: makeTools([], calls) },
    });
    expect(blocks).toEqual([]);
    expect(schedule).toMatchObject({ starts_at: null, ends_at: null, timezone });
    expect(outcome.ends).toBe('drafted');
    expect(outcome.changes).not.toHaveProperty('outline');
    expect(calls).toEqual([]);
  });

  it('comes out as the same steps, with the moments as they were said', async () => {
    const deadline = '2026-03-12T18:00:00+01:00';
    const outline = makeOutline([
      { id: '1', not_before: deadline, steps: [machineStep('1', { not_before: deadline })] },
      { id: '2', not_before: deadline, steps: [machineStep('2', { not_before: deadline })] },
    ]);
    const { schedule, roadmap, blocks } = await run({
      outline,
      roadmap: makeRoadmap([['1', '2']]),
    });
    expect(blocks).toEqual(['1 03-12 18:00 held fixed', '2 03-12 18:00 held fixed']);
    const { steps } = draftPlan(outline, roadmap, schedule);
    expect(steps.map(({ not_before }) => not_before)).toEqual([deadline, deadline]);
  });

  it('gets a forecast where durations are known, which holds nothing back', async () => {
    const { blocks, schedule, outline, roadmap } = await run({
      outline: makeOutline([
        { id: '1', duration_minutes: 30 },
        { id: '2', steps: [machineStep('2', { duration_minutes: 15 })] },
        { id: '3', duration_minutes: 60, steps: [personStep('3', 'ben')] },
      ]),
      roadmap: makeRoadmap([
        ['1', '2'],
        ['2', '3'],
      ]),
    });
    expect(blocks).toEqual([
      '1 03-10 08:15 – 03-10 08:45',
      '2 03-10 08:45 – 03-10 09:00',
      '3 03-10 09:00 – 03-10 10:00 ben',
    ]);
    expect(draftPlan(outline, roadmap, schedule).steps.map(({ not_before }) => not_before)).toEqual(
      [undefined, undefined, undefined],
    );
  });

  it.each([
    ['no back end that is known', [], ['09:15', '09:15', '09:15', '09:15']],
    ['one back end for two steps', [['cpu', 2]], ['09:15', '09:15', '10:15', '10:15']],
    [
      'two back ends, of which one can run steps c and d,',
      [
        ['cpu', 1],
        ['gpu', 1],
      ],
      ['09:15', '09:15', '10:15', '10:15'],
    ],
    ['back ends that run something else', [['other', 1]], ['09:15', '09:15', '09:15', '09:15']],
  ] as const)('lets %s bound what runs at once', async (_, alive, ends) => {
    const onGpu = (id: string) => ({
      steps: [machineStep(id, alive.length < 2 ? {} : { capabilities: ['gpu'] })],
    });
    const backends = async () =>
      alive.map(([id, concurrency]) => ({
        ...{ id, concurrency, capabilities: [id] },
        operations: [id === 'other' ? 'http_request' : 'workspace_write'],
      }));
    const { schedule } = await run({
      outline: makeOutline([
        { id: 'a', duration_minutes: 60 },
        { id: 'b', duration_minutes: 60 },
        { id: 'c', duration_minutes: 60, ...onGpu('c') },
        { id: 'd', duration_minutes: 60, ...onGpu('d') },
      ]),
      toolContext: { tools: { ...makeTools(), backends } },
    });
    const found = schedule?.blocks.map(({ ends_at }) => print(ends_at)?.slice(6));
    expect(found?.toSorted()).toEqual(ends);
  });

  it('holds the moment of a step that says it, not the one a forecast moves it to', async () => {
    const start = at('10 09:00');
    const { schedule, outline, roadmap, blocks } = await run({
      outline: makeOutline([
        { id: '1', duration_minutes: 240 },
        {
          id: '2',
          not_before: start,
          duration_minutes: 5,
          steps: [machineStep('2', { not_before: start })],
        },
      ]),
      roadmap: makeRoadmap([['1', '2']]),
    });
    expect(blocks?.[1]).toBe('2 03-10 12:15 – 03-10 12:20');
    expect(draftPlan(outline, roadmap, schedule).steps[1]?.not_before).toBe(start);
  });

  it('asks a person at the hour that was named, even in the evening', async () => {
    const { blocks, violations } = await run({
      outline: makeOutline([{ id: '1', not_before: at('12 20:00'), steps: [personStep('1')] }]),
    });
    expect(blocks).toEqual(['1 03-12 20:00 ana held fixed']);
    expect(violations).toEqual([]);
  });
});

describe('people’s work in a schedule that was asked for', () => {
  const project = makeOutline([
    { id: 'design', structure: 'phase' },
    { id: '1', parent: 'design', duration_minutes: 360, steps: [personStep('1')] },
    { id: '2', parent: 'design', duration_minutes: 180, steps: [personStep('2')] },
    { id: 'launch', structure: 'phase', deadline: at('12 17:00') },
    { id: '3', parent: 'launch', duration_minutes: 60, steps: [personStep('3', 'ben')] },
    { id: '4', parent: 'launch', steps: [machineStep('4')] },
  ]);
  const order = makeRoadmap([
    ['design', 'launch'],
    ['3', '4'],
  ]);

  it('lies in working hours, one after another, and a whole waits for a whole', async () => {
    const { blocks, violations } = await run({ outline: project, roadmap: order });
    expect(blocks).toEqual([
      '1 03-10 09:00 – 03-10 15:00 ana held',
      '2 03-11 09:00 – 03-11 12:00 ana held',
      '3 03-11 12:00 – 03-11 13:00 ben held',
    ]);
    expect(violations).toEqual([]);
  });

  it('keeps free of calendars, and says which could not be read', async () => {
    const tools = makeTools([
      { title: 'Standup', start: at('10 09:00'), end: at('10 09:30') },
      { title: 'Urlaub', start: '2026-03-11', end: '2026-03-12' },
      { title: 'Birthday of Cy', start: '2026-03-10', end: '2026-03-11', busy: false },
    ]);
    const { blocks } = await run({ outline: project, roadmap: order, toolContext: { tools } });
    expect(blocks?.slice(0, 2)).toEqual([
      '1 03-10 09:30 – 03-10 15:30 ana held',
      '2 03-12 09:00 – 03-12 12:00 ana held',
    ]);
    const failing = await run({
      outline: project,
      roadmap: order,
      toolContext: { tools: makeTools(new Error('the server is down')) },
    });
    expect(failing.outcome.result.explanations).toContain('Calendars: the server is down');
    expect(failing.blocks).toHaveLength(3);
  });

  it('keeps each person’s work free of their own calendar, under any name that a step gives them', async () => {
    const outline = makeOutline([
      { id: '1', duration_minutes: 60, steps: [personStep('1')] },
      { id: '2', duration_minutes: 60, deadline: at('20 17:00'), steps: [personStep('2', '@Ben')] },
      { id: '3', duration_minutes: 60, steps: [personStep('3', 'U2')] },
    ]);
    const tools = makeTools({
      ana: [{ title: 'Standup', start: at('10 09:00'), end: at('10 09:30') }],
      '@Ben': [{ title: 'Dentist', start: at('10 09:00'), end: at('10 12:00') }],
    });
    const personsOf = async () =>
      new Map([
        ['@Ben', 'slack:T1:U2'],
        ['U2', 'slack:T1:U2'],
      ]);
    const { blocks } = await run({ outline, toolContext: { tools: { ...tools, personsOf } } });
    expect(blocks).toEqual([
      '1 03-10 09:30 – 03-10 10:30 ana held',
      '2 03-10 12:00 – 03-10 13:00 @Ben held',
      '3 03-10 13:00 – 03-10 14:00 @Ben held',
    ]);
  });

  it('reads the calendars of its people at once, and names no appointment of theirs', async () => {
    const isRead = Promise.withResolvers<void>();
    const tools = makeTools({
      ana: [{ title: '', start: at('10 09:00'), end: at('10 10:00') }],
      '@Ben': [{ title: 'Dentist', start: at('10 09:00'), end: at('10 10:00') }],
    });
    const call: typeof tools.call = async (...about) => {
      const output = await tools.call(...about);
      if (about[3]?.user === '@Ben') isRead.resolve();
      else await isRead.promise;
      return output;
    };
    const { signal } = new AbortController();
    const window = { from: Date.parse(at('10 09:00')), to: Date.parse(at('10 17:00')) };
    const query = { tools: { ...tools, call }, user: 'ana', timezone, signal };
    const { busy } = await readCalendars(query, ['ana', '@Ben'], window);
    expect(busy.map((time) => time.with)).toEqual([
      'an appointment of “ana”',
      'an appointment of “@Ben”',
    ]);
  });

  it('has its buffer, and no more a day than the profile allows', async () => {
    const { blocks } = await run({
      outline: makeOutline([
        { id: '1', duration_minutes: 60, deadline: at('20 17:00'), steps: [personStep('1')] },
        { id: '2', duration_minutes: 60, steps: [personStep('2')] },
      ]),
      profile: { buffer: 0.5, minutes_a_day: 120 },
    });
    expect(blocks).toEqual([
      '1 03-10 09:00 – 03-10 10:30 ana held',
      '2 03-11 09:00 – 03-11 10:30 ana held',
    ]);
  });

  it('keeps to working hours where the person wants that, and in later versions too', async () => {
    const outline = makeOutline([{ id: '1', steps: [personStep('1')] }]);
    const input = { in_working_hours: true };
    const asked = await run({
      outline,
      input,
      toolContext: { request: 'Ask me outside of hours' },
    });
    expect(asked.blocks).toEqual(['1 03-10 09:00 ana held']);
    expect((await run({ outline: asked.outline })).blocks).toEqual(asked.blocks);
  });
});

describe('what a lead leads to', () => {
  it('is held before the moment that it counts from, which edges alone cannot do', async () => {
    const { blocks, violations } = await run({
      outline: makeOutline([{ id: 'launch', not_before: at('20 18:00') }, { id: 'invite' }]),
      roadmap: makeRoadmap([['launch', 'invite', 'SS', -2880]]),
    });
    expect(blocks).toEqual(['launch 03-20 18:00 held fixed', 'invite 03-18 18:00 held']);
    expect(violations).toEqual([]);
  });

  it('is not held to a forecast', async () => {
    const { blocks } = await run({
      outline: makeOutline([
        { id: '1', duration_minutes: 600 },
        { id: '2', duration_minutes: 10 },
      ]),
      roadmap: makeRoadmap([['1', '2', 'FS', -30]]),
    });
    expect(blocks).toEqual(['1 03-10 08:15 – 03-10 18:15', '2 03-10 17:45 – 03-10 17:55']);
  });
});

it('gives a whole’s moment to all that is in it, and holds only what nothing else holds', async () => {
  const { blocks } = await run({
    outline: makeOutline([
      { id: 'phase', structure: 'phase', not_before: at('16 00:00') },
      { id: '1', parent: 'phase', duration_minutes: 30 },
      { id: '2', parent: 'phase', duration_minutes: 30 },
    ]),
    roadmap: makeRoadmap([['1', '2']]),
  });
  expect(blocks).toEqual(['1 03-16 00:00 – 03-16 00:30 held', '2 03-16 00:30 – 03-16 01:00']);
});

it('leaves what comes again by a rule to the rule', async () => {
  const recurs = { rrule: 'FREQ=DAILY', starts_at: at('11 07:00'), timezone };
  const { blocks } = await run({
    outline: makeOutline([{ id: '1', rhythm: 'recurring', recurs, duration_minutes: 20 }]),
  });
  expect(blocks).toEqual(['1 03-11 07:00 – 03-11 07:20 fixed']);
});

describe('what does not fit', () => {
  const late = makeOutline([
    { id: '1', title: 'Write', duration_minutes: 480, steps: [personStep('1')] },
    {
      id: '2',
      title: 'Review',
      duration_minutes: 480,
      deadline: at('13 12:00'),
      steps: [personStep('2')],
    },
    { id: '3', title: 'Correct', duration_minutes: 480, steps: [personStep('3')] },
  ]);
  const chain = makeRoadmap([['1', '2']]);

  it('is put before the person with a reason and changes that help', async () => {
    const outline = {
      ...late,
      nodes: late.nodes.map((node) =>
        node.id === '1' ? { ...node, not_before: at('12 09:00') } : node,
      ),
    };
    const { escalation, outcome } = await run({ outline, roadmap: chain });
    expect(outcome.ends).toBe('infeasible');
    expect(outcome.result.ok).toBe(false);
    expect(outcome.changes?.pause).toMatchObject({ kind: 'escalation', resume: 'DRAFT_SCHEDULE' });
    expect(escalation?.infeasible.reason).toBe(
      '“Review” can’t end earlier than Fri, 13 Mar 2026, 17:00, 5 hours after its deadline (Fri, 13 Mar 2026, 12:00).',
    );
    expect(escalation?.infeasible.relaxations.map(({ text }) => text)).toEqual([
      'Move the deadline of “Review” to Fri, 13 Mar 2026, 17:00.',
      'Let “Write” start as soon as it can.',
      'Give “Review” 3 h.',
    ]);
    expect(escalation?.text).toMatch(/Any one of these would help:\n- Move the deadline/);
  });

  it.each([
    [{ node: '2', deadline: at('13 17:00') }],
    [{ node: '1', drop: ['not_before'] }],
    [{ node: '2', duration_minutes: 180 }],
  ])('fits after each single change that was offered: %j', async (change) => {
    const outline = {
      ...late,
      nodes: late.nodes.map((node) =>
        node.id === '1' ? { ...node, not_before: at('12 09:00') } : node,
      ),
    };
    const { outcome, violations } = await run({
      outline,
      roadmap: chain,
      input: { changes: [change] },
    });
    expect(outcome.ends).toBe('drafted');
    expect(violations).toEqual([]);
  });

  it('reads durations in working days, and asks where minutes may be days of the clock', async () => {
    const outline = makeOutline([
      { id: '1', duration_minutes: 60, steps: [personStep('1')] },
      { id: '2', duration_minutes: 60 },
    ]);
    const change = (duration_minutes: string | number, node = '1') =>
      run({ outline, input: { changes: [{ node, duration_minutes }] } });
    const { outcome } = await change('3 working days');
    const minutes = outcome.changes?.outline?.nodes.map((node) => node.duration_minutes);
    expect(minutes).toEqual([null, 1440, 60]);
    expect((await change('3 days', '2')).outcome.changes?.outline?.nodes[2]?.duration_minutes).toBe(
      4320,
    );
    const asked = await change(4320);
    expect(asked.outcome.result).toMatchObject({
      ok: false,
      explanations: [
        '1: 4320 minutes are 3 days by the clock, and 72 working hours. Say which in words: “3 days” or “72 working hours”.',
      ],
    });
  });

  it('fits when somebody works on a Saturday, which was offered and is remembered', async () => {
    const outline = makeOutline([
      {
        id: '1',
        title: 'Write',
        duration_minutes: 480 * 5,
        deadline: at('16 12:00'),
        steps: [personStep('1')],
      },
    ]);
    const first = await run({ outline });
    const [saturday] =
      first.escalation?.infeasible.relaxations.filter(({ text }) => text.startsWith('Work')) ?? [];
    expect(saturday?.text).toBe('Work on Sat, 14 Mar 2026.');
    const next = await run({ outline, input: { work_on: ['2026-03-14'] } });
    expect(next.blocks).toEqual(['1 03-10 09:00 – 03-14 17:00 ana held']);
    expect(next.schedule?.profile.days_on).toEqual(['2026-03-14']);
    const again = await run({ outline, state: { schedule: next.schedule } });
    expect(again.blocks).toEqual(next.blocks);
  });

  it('is a fixed moment before what it waits for; dropping it helps', async () => {
    const outline = makeOutline([
      { id: '1', title: 'Build', duration_minutes: 600 },
      { id: '2', title: 'Publish' },
    ]);
    const roadmap = makeRoadmap([['1', '2']]);
    const { escalation } = await run({
      outline,
      roadmap,
      input: { changes: [{ node: '2', not_before: at('10 10:00'), exact: true }] },
    });
    expect(escalation?.infeasible.reason).toBe(
      '“Publish” is fixed at Tue, 10 Mar 2026, 10:00, 8 hours 15 minutes too early: it waits for “Build”.',
    );
    expect(escalation?.infeasible.relaxations[0]?.text).toBe(
      'Let “Publish” start as soon as it can.',
    );
  });

  it('tells nobody’s working time plainly', async () => {
    const { outcome } = await run({ outline: late, profile: { working_hours: [] } });
    expect(outcome.result.ok).toBe(false);
    expect(outcome.result.explanations[0]).toMatch(/finds no working time/);
  });
});

describe('a change', () => {
  const outline = makeOutline([
    {
      id: '1',
      title: 'Publish',
      not_before: at('12 18:00'),
      steps: [
        machineStep('1', {
          not_before: at('12 18:00'),
          description: 'Publish (not before 2026-03-12 at 18:00)',
        }),
      ],
    },
    { id: '2', title: 'Check', steps: [machineStep('2')] },
  ]);
  const roadmap = makeRoadmap([['1', '2']]);

  it('moves the moment in the outline, its steps and its words, and is traced', async () => {
    const changed = await run({
      outline,
      roadmap,
      state: { change: { feedback: 'as the model read it', gate: 'schedule' } },
      input: { changes: [{ node: '1', not_before: at('13 09:30'), exact: true }] },
    });
    expect(changed.blocks).toEqual(['1 03-13 09:30 held fixed']);
    const [step] = draftPlan(changed.outline, roadmap, changed.schedule).steps;
    expect(step).toMatchObject({
      not_before: '2026-03-13T09:30:00+01:00',
      description: 'Publish (not before 2026-03-13 at 09:30)',
    });
    expect(changed.outcome.adaptations).toMatchObject([
      { what: 'rescheduled', node: '1', introduced_by: 'user_feedback' },
    ]);
    expect(changed.outcome.changes?.change).toBeNull();
  });

  it('can come from a model, by the id of a step, with only what changes', async () => {
    const { blocks, outcome } = await run({
      outline,
      roadmap,
      input: { changes: [{ node: '1.1', not_before: at('14 10:00') }] },
    });
    expect(blocks).toEqual(['1 03-14 10:00 held fixed']);
    expect(outcome.adaptations).toMatchObject([{ introduced_by: 'ai_adaptation' }]);
    const unknown = await run({
      outline,
      roadmap,
      input: { changes: [{ node: '9', deadline: at('14 10:00') }] },
    });
    expect(unknown.outcome.result).toMatchObject({
      ok: false,
      explanations: [expect.stringMatching(/no 9/)],
    });
  });

  it('is nothing that the tool reads out of words', async () => {
    const { blocks } = await run({
      outline,
      roadmap,
      state: { change: { feedback: 'publish on Friday at 9:30', gate: 'schedule' } },
      toolContext: { request: 'publish on Friday at 9:30' },
    });
    expect(blocks).toEqual((await run({ outline, roadmap })).blocks);
  });
});

describe('the tool', () => {
  it('needs nothing from a model', () => {
    expect(tool.prepare({})).toHaveProperty('input');
    expect(tool.prepare({ changes: [{ node: '1', not_before: 'soon' }] })).toHaveProperty(
      'problems',
    );
  });

  it('schedules five thousand tasks of people and machines in one go', async () => {
    const nodes = Array.from({ length: 4990 }, (_, i) => ({
      id: `n${i}`,
      duration_minutes: 30,
      ...(i % 3 === 0 ? { steps: [personStep(`n${i}`, `p${i % 7}`)] } : {}),
    }));
    const edges = nodes.flatMap((_, i) =>
      [1, 2, 7]
        .filter((back) => i >= back * 3)
        .map((back): [string, string] => [`n${i - back * 3}`, `n${i}`]),
    );
    const before = process.cpuUsage();
    const { blocks, violations } = await run({
      outline: makeOutline(nodes),
      roadmap: makeRoadmap(edges),
    });
    expect(process.cpuUsage(before).user).toBeLessThan(8_000_000);
    expect(blocks).toHaveLength(4990);
    expect(violations).toEqual([]);
  });
});

it('keeps the morning of a summer time change in its zone', async () => {
  const outline = makeOutline([
    {
      id: '1',
      duration_minutes: 60,
      deadline: '2026-03-31T17:00:00+02:00',
      not_before: '2026-03-28T00:00:00+01:00',
      steps: [personStep('1')],
    },
  ]);
  const berlin = await run({
    outline,
    profile: { working_hours: [{ days: ['SU'], from: '01:00', to: '24:00' }] },
  });
  expect(berlin.schedule?.blocks[0]?.starts_at).toBe('2026-03-29T00:00:00.000Z');
  const newYork = await run({
    outline: makeOutline([
      {
        id: '1',
        duration_minutes: 120,
        deadline: '2026-03-31T17:00:00Z',
        not_before: '2026-03-07T05:00:00Z',
        steps: [personStep('1')],
      },
    ]),
    state: { timezone: 'America/New_York', now: now.toISOString() },
    toolContext: { now: new Date('2026-03-06T12:00:00Z') },
    profile: { working_hours: [{ days: ['SU'], from: '01:00', to: '04:00' }] },
  });
  expect(newYork.schedule?.blocks[0]).toMatchObject({
    starts_at: '2026-03-08T06:00:00.000Z',
    ends_at: '2026-03-08T08:00:00.000Z',
  });
});
