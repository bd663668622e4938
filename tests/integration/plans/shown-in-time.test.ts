// Every wait, date and stop of the executor was shown.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { tellLimit, tellTime } from '#cards/times.ts';
import { checkSchedule } from '#conversation/shift.ts';
import { sayLag } from '#domain/length.ts';
import type { Plan, Series, Step } from '#domain/plan/plan.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import type { Json } from '#domain/text.ts';
import { startPlan } from '#executor/turn.ts';
import { nextOccurrences } from '#timeline/recurrence.ts';
import { describeRule } from '#timeline/repetition.ts';
import { readReviews, squeeze } from '../../fixtures/read-reviews.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { rounds } from '../../rounds.ts';
import { ana, settleAsRead } from '../../setup/instance.ts';
import { ripen, runReady, storeSchedule, useExecutor, watchContext } from './bench.ts';

const minuteMs = 60_000;
const dayMs = 1440 * minuteMs;
const toleranceMs = 5000;
const mostSteps = 6;
const { instance, executor } = useExecutor();
beforeAll(async () => {
  const found = join(instance.workspace, 'found');
  await mkdir(found);
  for (let at = 0; at < mostSteps; at += 1) await writeFile(join(found, `${at}.md`), 'found');
});

const zone = fc.constantFrom('Europe/Berlin', 'Asia/Kathmandu', 'Australia/Lord_Howe');
// Distinct, so that each is found alone.
const lags = fc.shuffledSubarray([10, 90, 1440, 1680, 2880, 4330, 10_080, 20_160], {
  minLength: 6,
});
const shape = fc.array(
  fc.record({
    before: fc.nat(),
    type: fc.constantFrom('FS' as const, 'SS' as const),
    lagged: fc.boolean(),
    // Minutes from now.
    dated: fc.option(fc.integer({ min: 120, max: 30_000 }), { freq: 3 }),
    open: fc.boolean(),
    // Minutes from its start.
    due: fc.option(fc.integer({ min: 100, max: 50_000 }), { freq: 2 }),
  }),
  { minLength: 2, maxLength: mostSteps },
);
const rule = fc.option(
  fc.constantFrom(
    'FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=30',
    'FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,FR;BYHOUR=17;BYMINUTE=0',
    'FREQ=MONTHLY;BYDAY=1MO;BYHOUR=8;BYMINUTE=0;COUNT=3',
    'FREQ=DAILY;INTERVAL=9;BYHOUR=2;BYMINUTE=30;UNTIL=20991231T120000Z',
  ),
);

type Drawn<A> = A extends fc.Arbitrary<infer Value> ? Value : never;
type Shape = Drawn<typeof shape>;

const everyKind: [Shape, number[], Drawn<typeof rule>, Drawn<typeof zone>] = [
  [
    { before: 0, type: 'FS', lagged: false, dated: null, open: true, due: null },
    { before: 0, type: 'FS', lagged: true, dated: null, open: false, due: 2000 },
    { before: 0, type: 'FS', lagged: false, dated: 300, open: false, due: null },
  ],
  [10, 90, 1440, 1680, 2880, 4330],
  'FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=30',
  'Europe/Berlin',
];

const write = (id: string, path: Json, after: StepDraft['after'] = []): StepDraft => ({
  ...draftStep(id, `Write ${id}`, 'workspace_write', { path, content: id }),
  after,
});

function stepsOf(drawn: Shape, waits: number[], now: number): StepDraft[] {
  const read = draftStep('r', 'Read', 'workspace_list', { path: 'found' });
  const steps = drawn.map(({ before, type, lagged, dated, open }, at): StepDraft => {
    // Confirmed at run time; again after another step wrote there.
    const path = open ? { $from: 'r', path: `/entries/${at}/name` } : `s${at}.md`;
    const [id, lag] = [at === 0 ? 'r' : `s${before % at}`, lagged ? (waits[at] ?? 0) : 0];
    const after = [{ id, type: id === 'r' ? ('FS' as const) : type, lag_minutes: lag }];
    const moment = now + (dated ?? 0) * minuteMs + at * minuteMs;
    const not_before = dated === null ? {} : { not_before: new Date(moment).toISOString() };
    return { ...write(`s${at}`, path, after), ...not_before };
  });
  return [read, ...steps];
}

// Null if claimable at once.
function explain(
  step: Step,
  steps: Map<string, Step>,
  plan: Plan,
  series: Series | null,
): string | null {
  const at = Date.parse(step.available_at ?? '');
  const reading = { now: plan.created_at, viewer: { user: 'ana', timezone: zoneOf(series) } };
  const isNear = (moment: number) => Math.abs(moment - at) < toleranceMs;
  if (isNear(Date.now())) return null;
  if (step.not_before !== null && isNear(Date.parse(step.not_before))) {
    if (series === null || !step.id.includes('#')) return tellTime(step.not_before, reading);
    const recurrence = { ...series, startsAt: new Date(series.starts_at) };
    const [due] = nextOccurrences(recurrence, new Date(Date.parse(step.not_before) - 1), 1);
    expect(due?.toISOString()).toBe(step.not_before);
    return describeRule(series);
  }
  for (const { id, type } of step.after) {
    const before = steps.get(id);
    const anchor = Date.parse((type === 'SS' ? before?.started_at : before?.ended_at) ?? '');
    const minutes = Math.round((at - anchor) / minuteMs);
    if (isNear(anchor + minutes * minuteMs)) return `${sayLag(minutes)} after`;
  }
  return expect.fail(`${step.id} waits for ${step.available_at}, and nothing says why.`);
}

const Promised = z.object({ kind: z.literal('deadline'), limit: z.string() });
const readNothing = async () => ({ busy: [], failed: false });

const zoneOf = (series: Series | null): string => series?.timezone ?? 'Europe/Berlin';

test('no step waits, starts or stops in a way that its review did not say', async () => {
  const counts = { waits: 0, dates: 0, stops: 0, deadlines: 0, repetitions: 0 };
  await fc.assert(
    fc.asyncProperty(shape, lags, rule, zone, async (drawn, waits, rrule, timezone) => {
      const now = Math.floor(Date.now() / minuteMs) * minuteMs;
      const series: Series | null =
        rrule === null
          ? null
          : {
              ...{ id: 'again', title: 'Again', rrule, timezone, until: null },
              starts_at: new Date(now + dayMs).toISOString(),
              steps: [
                write('first', 'first.md'),
                write('then', 'then.md', [{ id: 'first', type: 'FS', lag_minutes: 45 }]),
              ],
            };
      const own = stepsOf(drawn, waits, now);
      const draft = {
        title: 'Timed',
        steps: own,
        series: series === null ? [] : [series],
      };
      const plan = await instance.service.propose(draft, { user: 'ana' }, ana);
      const viewer = { user: 'ana', timezone: zoneOf(series) };
      const parts = own.map((step, at) => {
        const from = step.not_before == null ? now : Date.parse(step.not_before);
        const due = drawn[at - 1]?.due ?? null;
        return { step, from, minutes: 1, deadline: due === null ? null : from + due * minuteMs };
      });
      await storeSchedule(instance, plan, parts);
      const texts = await readReviews(instance.service, plan, viewer);
      // Not the calls alone.
      texts.delete('console');
      const expectShown = (words: string) => {
        for (const [surface, text] of texts)
          if (!text.includes(squeeze(words))) expect.fail(`${surface} does not say “${words}”`);
      };
      await instance.service.approve(plan.id, { version: 1, digest: plan.digest }, ana);
      await startPlan(executor, plan.id, { approvers: [], guardedApprovers: {} });
      // All kept occurrences are missed.
      await checkSchedule(
        watchContext(instance, readNothing, () => 60 * dayMs),
        plan.id,
      );
      const { findings } = await instance.service.listFindings(plan.id, { limit: 50 });
      const missed = findings.flatMap(({ evidence }) =>
        evidence.flatMap(({ data }) => Promised.safeParse(data).data?.limit ?? []),
      );
      for (const limit of missed)
        expectShown(`by ${tellLimit(limit, { now: plan.created_at, viewer })}`);
      counts.deadlines += missed.length;
      const [seen, stopped] = [new Set<string>(), new Set<string>()];
      for (let round = 0; round < 60; round += 1) {
        const { steps } = await instance.service.listSteps(plan.id, { limit: 500 });
        const byId = new Map<string, Step>(steps.map((step) => [step.id, step]));
        const ready = steps.filter(({ status }) => status === 'ready');
        for (const step of ready.filter(({ id }) => !seen.has(id) && !stopped.has(id))) {
          seen.add(step.id);
          const words = explain(step, byId, plan, series);
          if (words === null) continue;
          expectShown(words);
          counts[
            words.endsWith('after') ? 'waits' : step.id.includes('#') ? 'repetitions' : 'dates'
          ] += 1;
        }
        // Its target changed after the confirmation.
        const waiting = steps.filter(({ status }) => status === 'waiting');
        for (const { id } of waiting) {
          stopped.add(id);
          expectShown('asks you before it runs');
          counts.stops += 1;
          await settleAsRead(instance, plan.id, { [id]: 'retry' });
        }
        if (ready.length + waiting.length === 0) break;
        await ripen(instance, plan.id);
        await runReady(executor, plan.id);
      }
      const open = drawn.flatMap((one, at) => (one.open ? [`s${at}`] : []));
      expect([...stopped].sort()).toEqual(open);
      const { steps } = await instance.service.listSteps(plan.id, { limit: 500 });
      const left = steps.filter(({ status }) => status !== 'succeeded');
      expect(left.map(({ id, status, error, question }) => [id, status, error, question])).toEqual(
        [],
      );
      if (series !== null)
        await instance.service.cancel(plan.id, { version: 1 }, ana).catch(() => {});
    }),
    { numRuns: rounds(20), endOnFailure: true, examples: [everyKind] },
  );
  expect(
    Object.values(counts).every((count) => count > 0),
    JSON.stringify(counts),
  ).toBe(true);
});
