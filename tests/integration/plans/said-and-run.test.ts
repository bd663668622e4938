// Times in words: from the command to the executor's wait.
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { drawText } from '#cards/text.ts';
import { viewPlan } from '#cards/view-model.ts';
import { checkSchedule } from '#conversation/shift.ts';
import { readLength, sayLag, writeLength } from '#domain/length.ts';
import { person } from '#domain/people/actor.ts';
import { type Plan, PlanDraft, type Step } from '#domain/plan/plan.ts';
import { StrategyProfile } from '#domain/planning/schedule.ts';
import type { PlannerTools } from '#planner/ports.ts';
import { extendPlan } from '#plans/change/extend-series.ts';
import { createMemoryPlanner } from '../../fixtures/memory-planner.ts';
import { settled } from '../../fixtures/model-instance.ts';
import { readReviews, squeeze } from '../../fixtures/read-reviews.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { ana, reach } from '../../setup/instance.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { builtins, toolsOf } from '../../unit/planner/manifest.ts';
import { limits } from '../../unit/planner/planners.ts';
import { waitFor } from '../../wait.ts';
import { makeExecutor, ripen, runReady, watchContext } from './bench.ts';

const minuteMs = 60_000;
const Missed = z.object({ kind: z.literal('deadline'), limit: z.string() });
const readNothing = async () => ({ busy: [], failed: false });

// The database's clock is far behind, so nothing runs early.
let now = new Date();
const afternoons = Array.from({ length: 60 }, (_, day) => {
  const date = new Date(Date.parse('2099-11-29') + day * 1440 * minuteMs)
    .toISOString()
    .slice(0, 10);
  const [start, end] = [`${date}T13:00:00+01:00`, `${date}T17:00:00+01:00`];
  return { uid: date, title: 'Away', start, end, busy: true };
});
const everyDay = { days: ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'], from: '09:00', to: '17:00' };
const known = toolsOf(builtins);
const tools: PlannerTools = {
  ...known,
  call: (name, args, signal, caller) =>
    name === 'calendar_read' && caller?.user === 'Clara'
      ? Promise.resolve({ summary: '', data: { events: afternoons, calendars: ['clara'] } })
      : known.call(name, args, signal, caller),
};
const profile = StrategyProfile.parse({ working_hours: [everyDay] });
const clock = { now: () => now };
const planner = createMemoryPlanner({ tools, model: null, limits, clock, profile });
const instance = useInstance({
  planner: {
    ...planner,
    plan: (request, signal) => planner.plan({ ...request, now }, signal),
  },
  settings: { schedule: { working_hours: profile.working_hours } },
});

type Reviewed = {
  plan: Plan;
  expectShown: (words: string) => void;
  expectHidden: (words: RegExp) => void;
  steps: () => Promise<Step[]>;
};

async function review(plan: Plan, timezone: string): Promise<Reviewed> {
  const viewer = { user: 'ana', timezone };
  const reviews = await readReviews(instance.service, plan, viewer);
  const card = viewPlan(await instance.service.card(plan.id, viewer));
  reviews.set('console', squeeze(drawText(card)));
  return {
    plan,
    expectShown: (words) => {
      for (const [surface, shown] of reviews)
        if (!shown.includes(squeeze(words))) expect.fail(`${surface} does not say “${words}”`);
    },
    expectHidden: (words) => expect([...reviews.values()].join('\n')).not.toMatch(words),
    steps: async () => (await instance.service.listSteps(plan.id, { limit: 100 })).steps,
  };
}

/** @param answers to its questions */
async function say(text: string, timezone: string, at: string, ...answers: string[]) {
  now = new Date(at);
  const speaker = person('ana', 'api', timezone);
  const { run_id } = await instance.service.startRun({ text }, speaker);
  let run = await settled(instance, run_id);
  for (const answer of answers) {
    await instance.service.reply(run_id, answer, speaker);
    run = await settled(instance, run_id);
  }
  const plan = await instance.service.getPlan(run.plan_id ?? run.response_text);
  return review(plan, timezone);
}

async function start({ plan, steps }: Reviewed): Promise<Step[]> {
  await instance.service.approve(plan.id, { version: 1, digest: plan.digest }, ana);
  await reach(instance, plan.id, 'executing');
  return steps();
}

// Around each clock change; São Paulo and Kathmandu have none.
const changes = [
  ['America/New_York', '7 Mar, 8 Mar, 9 Mar', ['03-07T14:00', '03-08T13:00', '03-09T13:00']],
  ['America/New_York', '31 Oct, 1 Nov, 2 Nov', ['10-31T13:00', '11-01T14:00', '11-02T14:00']],
  ['Australia/Lord_Howe', '3 Oct, 4 Oct, 5 Oct', ['10-02T22:30', '10-03T22:00', '10-04T22:00']],
  ['Australia/Lord_Howe', '4 Apr, 5 Apr, 6 Apr', ['04-03T22:00', '04-04T22:30', '04-05T22:30']],
  ['Asia/Kathmandu', '28 Mar, 29 Mar, 30 Mar', ['03-28T03:15', '03-29T03:15', '03-30T03:15']],
  ['America/Sao_Paulo', '17 Oct, 18 Oct, 19 Oct', ['10-17T12:00', '10-18T12:00', '10-19T12:00']],
  ['Europe/Berlin', '28 Mar, 29 Mar, 30 Mar', ['03-28T08:00', '03-29T07:00', '03-30T07:00']],
  ['Europe/Berlin', '24 Oct, 25 Oct, 26 Oct', ['10-24T07:00', '10-25T08:00', '10-26T08:00']],
] as const;

const waits = {
  ...{ '90 min': 90, '2 h': 120, '72 h': 4320, '1 day': 1440, '2 days': 2880, '1 week': 10_080 },
  ...{ 'two weeks': 20_160, '1 day 4 h': 1680, '1 hour 30 minutes': 90, '1.5 days': 2160 },
};
const isoWaits = { PT36H: 2160, P1D: 1440, P1DT4H: 1680, P2W: 20_160 };

// Work begun at 9:00: days later, and the hour.
const work = {
  '2 working days': [1, 17],
  '3 business days': [2, 17],
  '12 working hours': [1, 13],
  '4 h': [0, 13],
} as const;

/** @returns the minutes before each next step */
async function waitedFor({ plan, steps }: Reviewed): Promise<number[]> {
  const executor = makeExecutor(instance);
  const waited: number[] = [];
  for (let at = 0; ; at += 1) {
    await ripen(instance, plan.id);
    await runReady(executor, plan.id);
    const [before, next] = await waitFor(`step ${at} of ${plan.id}`, async () => {
      const found = (await steps()).slice(at, at + 2);
      return found[0]?.status === 'succeeded' && found;
    });
    if (next === undefined) break;
    const ms = Date.parse(next.available_at ?? '') - Date.parse(before?.ended_at ?? '');
    waited.push(Math.round(ms / minuteMs));
  }
  executor.leases.stop();
  return waited;
}

describe.each(changes)('in %s, %s', (zone, named, mornings) => {
  const moments = mornings.map((one) => `2099-${one}:00.000Z`);
  const [first = ''] = moments;
  const names = named.split(', ');
  const on = `On ${names[0]} 2099 at 9:00`;
  const before = new Date(Date.parse(first) - 20 * 60 * minuteMs).toISOString();

  test('a date and the waits after it', async () => {
    const writes = Object.keys(waits).map((wait, at) => `${wait} later write "x" to ${at}.txt`);
    const said = await say([`${on} write "x" to x.txt`, ...writes].join(', then '), zone, before);
    const stored = await said.steps();
    const minutes = Object.values(waits);
    expect(stored[0]?.not_before).toBe(first);
    expect(stored.slice(1).map(({ after }) => after[0]?.lag_minutes)).toEqual(minutes);
    said.expectShown(`${names[0]} 2099, 09:00`);
    for (const [at, one] of minutes.entries())
      said.expectShown(`${sayLag(one)} after step ${at + 1}`);
    const [waiting] = await start(said);
    expect(waiting).toMatchObject({ status: 'ready', available_at: first });
    expect(await waitedFor(said)).toEqual(minutes);
  });

  test('the lengths of people’s work, and a deadline', async () => {
    const asked = Object.keys(work).map((length, at) => `ask P${at} "Review" takes ${length}`);
    const due = `by ${names[2]} 2099 at 18:00`;
    const text = asked.map((one) => `- ${on} ${one} ${due}`).join('\n');
    const said = await say(text, zone, before);
    const { schedule } = await instance.service.planning(said.plan.id);
    const ends = Object.values(work).map(([day, hour]) =>
      new Date(Date.parse(moments[day] ?? '') + (hour - 9) * 60 * minuteMs).toISOString(),
    );
    const expected = ends.map((ends_at) => ({ starts_at: first, ends_at }));
    expect(schedule?.blocks).toMatchObject(expected);
    for (const [length, [day, hour]] of Object.entries(work)) {
      const date = day === 0 ? '' : `${names[day]} 2099, `;
      const words = readLength(length);
      const end = `${date}${hour}:00 (${words === null ? '' : writeLength(words)})`;
      said.expectShown(`${names[0]} 2099, 09:00 – ${end}`);
    }
    said.expectShown(`by ${names[2]} 2099, 18:00`);
    const waiting = await start(said);
    expect(waiting.map(({ available_at }) => available_at)).toEqual(waiting.map(() => first));
    const ahead = () => Date.parse(first) + 60 * 1440 * minuteMs - Date.now();
    await checkSchedule(watchContext(instance, readNothing, ahead), said.plan.id);
    const { findings } = await instance.service.listFindings(said.plan.id, { limit: 50 });
    const limits = findings.flatMap(({ evidence }) =>
      evidence.flatMap(({ data }) => Missed.safeParse(data).data?.limit ?? []),
    );
    const limit = new Date(Date.parse(moments[2] ?? '') + 9 * 60 * minuteMs).toISOString();
    expect([...new Set(limits)]).toEqual([limit]);
  });

  test('a repetition', async () => {
    const said = await say('Every day at 9:00 for 3 times write "x" to x.txt', zone, before);
    expect(said.plan.series).toMatchObject([{ timezone: zone }]);
    said.expectShown(`every day at 09:00 for 3 times (${zone})`);
    said.expectShown(named);
    await start(said);
    const { settings } = instance.config;
    const clock = { now: () => new Date(before) };
    const executor = { ...makeExecutor(instance), ...settings, profile: settings.schedule, clock };
    await extendPlan(
      {
        ...executor,
        ...{ guardedApprovers: {}, onFailure: 'continue_independent', replan: 'automatic' },
      },
      said.plan.id,
    );
    const occurrences = await said.steps();
    expect(occurrences.map(({ available_at }) => available_at)).toEqual(moments);
    executor.leases.stop();
  });
});

test('waits in ISO 8601, which tools and the API take', async () => {
  const writes = Object.keys(isoWaits).map((lag, at) => ({
    ...draftStep(`${at + 1}`, 'Write', 'workspace_write', { path: `${at}.txt`, content: 'x' }),
    after: [{ id: `${at}`, lag }],
  }));
  const look = draftStep('0', 'Look', 'control_noop');
  const draft = PlanDraft.parse({ title: 'Waits', steps: [look, ...writes] });
  const said = await review(await instance.service.propose(draft, { user: 'ana' }, ana), 'UTC');
  const minutes = Object.values(isoWaits);
  expect((await said.steps()).slice(1).map(({ after }) => after[0]?.lag_minutes)).toEqual(minutes);
  for (const one of minutes) said.expectShown(`${sayLag(one)} after step`);
  await start(said);
  expect(await waitedFor(said)).toEqual(minutes);
});

describe('on a Sunday at 9:00 in Berlin, or at 3:00 in New York', () => {
  const berlin = 'Europe/Berlin';
  const write = (name: string) => `write "${name}" to ${name}.txt`;
  test.each([
    [
      `${write('go')}, then ask Clara "Legal review" takes 3 days, then ${write('live')}`,
      ['29 Nov 2099, 09:00 – 2 Dec 2099, 09:00 (3 days)'],
    ],
    [`${write('a')} and a day later ${write('b')}`, ['1 day after step 1']],
    [
      `every first Monday of the month at 9:00 until June ${write('rent')}`,
      [`every month on the 1st Monday at 09:00 (${berlin})`, '7 Dec, 4 Jan, 1 Feb …'],
      '2100-05-31',
    ],
    [`${write('backup')} at 22:00 Berlin`, ['29 Nov 2099, 16:00'], 'America/New_York'],
    ['remind me "Update your tickets" every weekday at 9:00', ['every weekday at 09:00']],
    [`${write('a')}, 10 minutes later ${write('b')}`, ['10 min after step 1']],
    ['ask Ben "Check the numbers" by Friday noon', ['by 4 Dec 2099, 12:00']],
    [
      'ask Clara "Write the book" takes 2 working weeks by 31 December',
      ['29 Nov 2099, 09:00 – 26 Dec 2099, 13:00 (2 working weeks)', 'by 31 Dec 2099, 24:00'],
    ],
    [
      `every Monday at 9:00 New York ${write('done')}`,
      ['every Monday at 09:00 (America/New_York), until you stop it: 30 Nov, 7 Dec, 14 Dec …'],
    ],
    ['ask Leo "Plan" takes two weeks', ['29 Nov 2099, 09:00 – 13 Dec 2099, 09:00 (2 weeks)']],
    [
      `on 3 December at 9:00 ${write('x')}, then after 90 min ${write('y')} by 4 December noon`,
      ['3 Dec 2099, 09:00', '1 h 30 min after step 1', 'by 4 Dec 2099, 12:00'],
    ],
    [
      `every month on the last Friday at 17:00 for 5 times ${write('z')}`,
      ['every month on the last Friday at 17:00 for 5 times'],
    ],
  ])('“%s” is shown as said', async (text, words, more?: string) => {
    const isZone = more?.includes('/') === true;
    const answers = more === undefined || isZone ? [] : [more];
    const said = await say(text, isZone ? more : berlin, '2099-11-29T08:00:00Z', ...answers);
    for (const one of words) said.expectShown(one);
    said.expectHidden(/FREQ=|BYDAY/);
  });
});
