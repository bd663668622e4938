// Running plans against their schedule: delays, and broken promises.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, expect, test } from 'vitest';
import { checkSchedule, checkSchedules, readShift } from '#conversation/shift.ts';
import type { PlanPatch } from '#domain/plan/patch.ts';
import type { Plan } from '#domain/plan/plan.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import { createReads } from '#planner/reads/open-reads.ts';
import { createReadBusy } from '#planner/schedule/busy.ts';
import { holdStep, writeStep } from '../../fixtures/steps.ts';
import { ana } from '../../setup/instance.ts';
import {
  claimReady,
  outcomeOf,
  settleOutcomes,
  startBy,
  storeSchedule,
  useExecutor,
  watchContext,
} from './bench.ts';

const hour = 3_600_000;
const day = { days: ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'], from: '00:00', to: '24:00' };
const folder = await mkdtemp(join(tmpdir(), 'countersign-calendars-'));
afterAll(() => rm(folder, { recursive: true }));
const file = join(folder, 'ana.ics');
const { instance, executor } = useExecutor({
  settings: {
    calendars: { ana: { at: file, people: ['ana'] }, ben: { at: file, people: ['ben'] } },
    schedule: { working_hours: [day] },
  },
});

const iso = (at: number) => new Date(at).toISOString();

// Milliseconds; calendars are read every five minutes.
let ahead = 0;
const readBusy = createReadBusy(
  (tenant) => {
    const { plannerTools: allowed, guardedTools: guarded } = instance.config.settings;
    const registry = instance.registry.of(tenant);
    return createReads({ registry, allowed, guarded, timezone: 'UTC' });
  },
  { now: () => new Date(Date.now() + ahead) },
);

// An hour each, the first from `begun` hours ago.
async function begin(begun: number, deadline: number) {
  const [a, b] = [writeStep('a', 'a.md'), writeStep('b', 'b.md', 'a')];
  const plan = await startBy(executor, instance, [a, b]);
  await schedule(plan, a, b, begun, deadline);
  await claimReady(executor, plan.id, 1);
  await startedAt(plan.id, 'a', iso(Date.now() - begun * hour));
  return plan.id;
}

function schedule(
  plan: Plan,
  a: StepDraft,
  b: StepDraft,
  begun: number,
  deadline: number,
  who: string | null = null,
) {
  const from = Date.now() - begun * hour;
  return storeSchedule(instance, plan, [
    { step: a, from, minutes: 60, person: who },
    { step: b, from: from + hour, minutes: 60, deadline: from + deadline * hour },
  ]);
}

const startedAt = (id: string, step: string, at: string | null) =>
  instance.db.query.execute(
    sql`update countersign.step_states set started_at = ${at}::timestamptz where plan_id = ${id} and step_id = ${step}`,
  );

const context = () => watchContext(instance, readBusy);
const card = (id: string) => instance.service.card(id, { user: ana.id, timezone: 'UTC' });
const findings = async (id: string) =>
  (await instance.service.listFindings(id, { limit: 10 })).findings;

test('an overrun within its slack is shown and asks nobody', async () => {
  const id = await begin(2, 9);
  await checkSchedule(context(), id);
  expect((await card(id)).moved?.map(({ title }) => title)).toEqual(['Part A', 'Part B']);
  expect(await findings(id)).toEqual([]);
  await instance.service.cancel(id, { version: 1 }, ana);
});

test('a plan in time shows no shift', async () => {
  const id = await begin(0, 9);
  await checkSchedule(context(), id);
  expect(await card(id)).not.toHaveProperty('moved');
  expect(await findings(id)).toEqual([]);
  await instance.service.cancel(id, { version: 1 }, ana);
});

test('a deadline that breaks is asked about once, holds no step and offers a change', async () => {
  const id = await begin(4, 2);
  await checkSchedules(context(), AbortSignal.abort());
  expect(await findings(id)).toEqual([]);
  for (let round = 0; round < 3; round++)
    await checkSchedules(context(), new AbortController().signal);
  const found = await findings(id);
  expect(found).toMatchObject([
    { category: 'schedule', severity: 'ERROR', status: 'open', stale_steps: 0 },
  ]);
  expect(found[0]?.actions).toEqual(['replan', 'dismiss']);
  expect(found[0]?.evidence).toMatchObject([{ data: { node: 'B', kind: 'deadline' } }]);
  const { groups } = await instance.service.inbox({ user: ana.id, limit: 10 });
  const mine = groups.find(({ group }) => group === 'needs_you')?.plans;
  expect(mine).toMatchObject([{ id, waits: 'problem' }]);

  await settleOutcomes(executor, id, [outcomeOf({ position: 1, attempt: 1 }, 'succeeded')]);
  await claimReady(executor, id, 1);
  await settleOutcomes(executor, id, [outcomeOf({ position: 2, attempt: 1 }, 'succeeded')]);
  expect(await instance.service.getPlan(id)).toMatchObject({ status: 'completed' });
  expect(await findings(id)).toMatchObject([{ status: 'resolved', actions: [] }]);
});

test('a deadline that can be kept again is no problem, and is one once more if it breaks again', async () => {
  const id = await begin(4, 4.5);
  const check = async () => {
    await checkSchedule(context(), id);
    return (await findings(id)).map(({ status }) => status);
  };
  expect(await check()).toEqual(['open']);
  await startedAt(id, 'b', iso(Date.now() - 3 * hour));
  expect(await check()).toEqual(['resolved']);
  await startedAt(id, 'b', null);
  expect(await check()).toEqual(['open', 'resolved']);
  await instance.service.cancel(id, { version: 1 }, ana);
});

test('an appointment that moves shifts only what it overlaps, and asks when a promise breaks', async () => {
  const [a, b] = [holdStep('a'), writeStep('b', 'b.md', 'a')];
  const plan = await startBy(executor, instance, [a, b]);
  const { id } = plan;
  await schedule(plan, a, b, -24, 5, 'ana');
  const start = Date.now() + 24 * hour;
  const stamp = (at: number) => iso(start + at * hour).replace(/[-:]|\.\d+/g, '');
  const appoint = async (uid: string, from: number, to: number) => {
    const event = [`UID:${uid}`, `DTSTART:${stamp(from)}`, `DTEND:${stamp(to)}`];
    const lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'BEGIN:VEVENT', ...event];
    await writeFile(file, [...lines, 'END:VEVENT', 'END:VCALENDAR', ''].join('\r\n'));
  };
  const check = async (minutes = 6) => {
    ahead += minutes * 60_000;
    const shift = await readShift(context(), instance.db.query, plan, null);
    await checkSchedule(context(), id);
    return {
      moved: shift?.moved.map(({ node, moved_to }) => [
        node,
        Math.round((Date.parse(moved_to) - start) / 60_000),
      ]),
      found: (await findings(id)).map(({ status }) => status),
    };
  };
  const inTime = { moved: [], found: [] };
  const late = [
    ['A', 180],
    ['B', 240],
  ];
  await appoint('review', -3, -1);
  expect(await check()).toEqual(inTime);
  await appoint(`${id}.a@countersign`, 0, 2);
  expect(await check()).toEqual(inTime);
  await appoint('review', -1, 2);
  expect(await check(1)).toEqual(inTime);
  expect(await check()).toEqual({ moved: late, found: [] });
  await appoint('review', -1, 6);
  expect((await check()).found).toEqual(['open']);
  await writeFile(file, 'no calendar');
  expect((await check()).found).toEqual(['open']);
  await appoint('review', -1, 2);
  expect(await check()).toEqual({ moved: late, found: ['resolved'] });
  expect((await card(id)).moved?.map(({ title }) => title)).toEqual(['Part A', 'Part B']);
  await instance.service.cancel(id, { version: 1 }, ana);
});

test("a plan that reads someone else's calendar is refused when it or its change is proposed", async () => {
  const { service } = instance;
  const reads = (calendar: string) => ({
    id: calendar,
    description: 'Read it',
    ...{ tool: 'calendar', operation: 'read', args: { calendar } },
  });
  const propose = (calendar: string) =>
    service.propose({ title: 'Look', steps: [reads(calendar)] }, { user: ana.id }, ana);
  await expect(propose('ben')).rejects.toMatchObject({ code: 'not_allowed' });
  const plan = await propose('ana');
  const change = (operation: PlanPatch['operations'][number]) =>
    service.patch(plan.id, { base_revision: plan.revision, operations: [operation] }, ana);
  const set = { args: { calendar: 'ben' } };
  for (const operation of [
    { op: 'add_step' as const, step: { ...reads('ben'), id: 'more' } },
    { op: 'update_steps' as const, steps: { ids: ['ana'] }, set },
  ])
    await expect(change(operation)).rejects.toMatchObject({ code: 'not_allowed' });
  expect(await service.getPlan(plan.id)).toMatchObject({ revision: plan.revision });
});
