// Recurring plans: 30 days of occurrences, missed ones not repeated.
import { eq, sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { planSeries, plans, planVersions } from '#db/schema.ts';
import { iterateSteps } from '#db/steps/pages.ts';
import type { PatchOperation } from '#domain/plan/patch.ts';
import type { Plan, PlanDraft, Series, StepStatus } from '#domain/plan/plan.ts';
import type { RecurringChange } from '#domain/plan/recurring.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import type { ExecutorContext } from '#executor/executor-context.ts';
import { recover } from '#executor/recover.ts';
import { extendPlan, extendSeries } from '#plans/change/extend-series.ts';
import { checkPatch } from '#plans/change/receive.ts';
import { missedNote } from '#plans/change/skip-missed.ts';
import type { PlansContext } from '#plans/plans-context.ts';
import { localDate } from '#timeline/recurrence.ts';
import { refusalCode } from '../../fixtures/refusal.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { ana, ben, noop, withOpened } from '../../setup/instance.ts';
import { checkPlan } from '../../setup/invariants.ts';
import { haveWorkedFor, ripen, runReady, startBy, statusesOf, useExecutor } from './bench.ts';

const day = 86_400_000;
const { instance, executor } = useExecutor();

function later(ms: number): PlansContext & ExecutorContext {
  const { guardedTools, resourcePools, approvers, schedule: profile } = instance.config.settings;
  const clock = { now: () => new Date(Date.now() + ms) };
  return {
    ...executor,
    guardedTools,
    resourcePools,
    profile,
    approvers,
    guardedApprovers: {},
    onFailure: 'continue_independent',
    replan: 'automatic',
    clock,
  };
}

const look: StepDraft = draftStep('look', 'Look', 'control_noop');

// From the next full minute.
function daily(rest: Partial<Series> = {}): Series {
  const starts = new Date(Math.ceil((Date.now() + 3_600_000) / 60_000) * 60_000);
  return {
    id: 'daily',
    title: 'Daily look',
    rrule: 'FREQ=DAILY',
    starts_at: starts.toISOString(),
    timezone: 'UTC',
    until: null,
    steps: [look],
    ...rest,
  };
}

const draftOf = (series: Series, ...steps: StepDraft[]): PlanDraft => ({
  title: 'Again',
  steps,
  series: [series],
});

const getPlan = (id: string): Promise<Plan> => instance.service.getPlan(id);
const idsOf = async (id: string) => Object.keys(await statusesOf(instance, id));
const seriesOf = (id: string) =>
  instance.db.query.select().from(planSeries).where(eq(planSeries.plan_id, id));

async function age(planId: string, ms: number): Promise<void> {
  const by = sql`make_interval(secs => ${ms / 1000})`;
  await instance.db.query.execute(
    sql`update countersign.step_states set available_at = available_at - ${by} where plan_id = ${planId}`,
  );
  await instance.db.query.execute(
    sql`update countersign.plan_steps set not_before = not_before - ${by} where plan_id = ${planId}`,
  );
}

describe('a plan that comes again', () => {
  test('has its occurrences of 30 days as steps when it is proposed, and is bound to its series', async () => {
    const series = daily();
    const plan = await instance.service.propose(draftOf(series), {}, ana);
    expect(plan.total_steps).toBe(30);
    expect(plan.series).toEqual([series]);
    expect(plan.open_until).toBe('9999-12-31T23:59:59.999Z');
    expect((await idsOf(plan.id))[0]).toBe(`look#${localDate(new Date(series.starts_at), 'UTC')}`);
    const [version] = await instance.db.query
      .select()
      .from(planVersions)
      .where(eq(planVersions.plan_id, plan.id));
    await instance.db.query
      .update(planVersions)
      .set({ series: (version?.series ?? []).map((one) => ({ ...one, rrule: 'FREQ=HOURLY' })) })
      .where(eq(planVersions.plan_id, plan.id));
    await expect(
      instance.service.approve(plan.id, { version: 1, digest: plan.digest }, ana),
    ).rejects.toThrow('its digest has changed');
  });

  test('is extended as time passes, by what has come within the horizon and nothing else', async () => {
    const series = daily();
    const { id } = await startBy(executor, instance, draftOf(series));
    await extendPlan(later(0), id);
    expect((await getPlan(id)).version).toBe(1);
    await extendPlan(later(3 * day), id);
    const plan = await getPlan(id);
    expect(plan).toMatchObject({ version: 2, total_steps: 33, status: 'executing' });
    const ids = await idsOf(id);
    expect(new Set(ids).size).toBe(33);
    const last = new Date(Date.parse(series.starts_at) + 32 * day);
    expect(ids.at(-1)).toBe(`look#${localDate(last, 'UTC')}`);
    const [step] = await instance.service.getSteps(id, [ids.at(-1) ?? '']);
    expect(step).toMatchObject({ not_before: last.toISOString(), status: 'ready' });
    const { patches } = await instance.service.listPatches(id, { limit: 10 });
    expect(patches).toMatchObject([
      { status: 'applied', proposed_by: 'countersign', added: 3, widening: [] },
    ]);
    const auditEntries = await instance.service.audit(id, { limit: 100 });
    expect(auditEntries.find(({ action }) => action === 'patch_applied')).toMatchObject({
      actor_kind: 'system',
      reason: 'The next occurrences of “Daily look”, as approved.',
    });
    await checkPlan(instance.db.query, id);
  });

  test('is extended once, whoever tries at the same moment and however often', async () => {
    const { id } = await startBy(executor, instance, draftOf(daily()));
    await Promise.all([1, 2, 3, 4].map(() => extendPlan(later(2 * day), id)));
    await extendPlan(later(2 * day), id);
    expect(await getPlan(id)).toMatchObject({ version: 2, total_steps: 32 });
    await checkPlan(instance.db.query, id);
  });

  test('is left as it was when extending it is cut off, and extended the next time', async () => {
    const { id } = await startBy(executor, instance, draftOf(daily()));
    const broken = later(2 * day);
    const enqueue: PlansContext['enqueue'] = async () => {
      throw new Error('the process died');
    };
    await expect(extendPlan({ ...broken, enqueue }, id)).rejects.toThrow('died');
    expect(await getPlan(id)).toMatchObject({ version: 1, total_steps: 30 });
    await extendPlan(later(2 * day), id);
    expect((await getPlan(id)).total_steps).toBe(32);
  });

  test('gets a version a day at most, however often it comes', async () => {
    const { id } = await startBy(
      executor,
      instance,
      draftOf(daily({ rrule: 'FREQ=HOURLY;INTERVAL=4' })),
    );
    const { total_steps: before } = await getPlan(id);
    await extendPlan(later(day), id);
    await extendPlan(later(day + 5 * 3_600_000), id);
    expect(await getPlan(id)).toMatchObject({ version: 2, total_steps: before + 6 });
  });

  test('ends with its last occurrence, and not before', async () => {
    const series = daily({ rrule: 'FREQ=DAILY;INTERVAL=20;COUNT=3' });
    const { id } = await startBy(executor, instance, draftOf(series));
    expect((await getPlan(id)).total_steps).toBe(2);
    await ripen(instance, id);
    expect(await runReady(executor, id)).toHaveLength(2);
    expect((await getPlan(id)).status).toBe('executing');
    await extendPlan(later(20 * day), id);
    expect(await getPlan(id)).toMatchObject({ status: 'executing', total_steps: 3 });
    await ripen(instance, id);
    await runReady(executor, id);
    expect(await getPlan(id)).toMatchObject({ status: 'completed' });
  });

  test('is not stalled while it waits for the next occurrence that is no step yet', async () => {
    const { id } = await startBy(executor, instance, draftOf(daily({ rrule: 'FREQ=YEARLY' })));
    await age(id, 2 * 3_600_000);
    await runReady(executor, id);
    expect(await getPlan(id)).toMatchObject({ status: 'executing' });
    await instance.db.query
      .update(plans)
      .set({ updated_at: new Date(Date.now() - 30 * day) })
      .where(eq(plans.id, id));
    await haveWorkedFor(instance, 30);
    await recover(executor);
    expect((await getPlan(id)).status).toBe('executing');
    const next = (await instance.service.overview(id)).next_at;
    expect(Date.parse(next ?? '')).toBeGreaterThan(Date.now() + 300 * day);
  });

  test('is not extended while it is paused, waits for a word about a change, or is cancelled', async () => {
    const { id } = await startBy(executor, instance, draftOf(daily()));
    const plan = await getPlan(id);
    await instance.service.pause(id, { version: 1 }, ana);
    await extendPlan(later(2 * day), id);
    await instance.service.resume(id, { version: 1 }, ana);
    const widening = await instance.service.patch(
      id,
      {
        base_revision: (await getPlan(id)).revision,
        operations: [
          {
            op: 'add_step',
            step: draftStep('own', 'Write', 'workspace_write', { path: 'a.md', content: 'x' }),
          },
        ],
      },
      ana,
    );
    expect(widening.status).toBe('needs_approval');
    await extendPlan(later(2 * day), id);
    expect(await getPlan(id)).toMatchObject({ version: 1, total_steps: plan.total_steps });
    await instance.service.cancel(id, { version: 1 }, ana);
    await extendSeries(later(2 * day));
    expect(await getPlan(id)).toMatchObject({ status: 'cancelled', version: 1 });
    expect((await seriesOf(id))[0]?.expand_at).toBeNull();
  });
});

describe('what was missed', () => {
  test('is skipped with a note when nobody worked for a week, and today’s is done', async () => {
    const series = daily({ steps: [look, { ...look, id: 'tell', after: ['look'] }] });
    const { id } = await startBy(executor, instance, draftOf(series));
    // Due daily, first seven days and some hours ago.
    const due = Date.parse(series.starts_at);
    const sinceMidnight = Date.now() % day;
    await age(id, 7 * day + (due - Date.now()) + Math.min(sinceMidnight, 60_000));
    expect(await runReady(executor, id)).toHaveLength(1);
    expect(await runReady(executor, id)).toHaveLength(1);
    const { steps } = await instance.service.listSteps(id, { limit: 100 });
    const skipped = steps.filter(({ status }) => status === 'skipped');
    expect(skipped).toHaveLength(14);
    expect(skipped.every(({ result_summary }) => result_summary === missedNote)).toBe(true);
    expect(steps.filter(({ status }) => status === 'succeeded')).toHaveLength(2);
    expect((await getPlan(id)).status).toBe('executing');
    await checkPlan(instance.db.query, id);
  });

  test('is brought to its end when it had begun', async () => {
    const series = daily({ steps: [look, { ...look, id: 'tell', after: ['look'] }] });
    const { id } = await startBy(executor, instance, draftOf(series));
    await age(id, 2 * 3_600_000);
    expect(await runReady(executor, id)).toHaveLength(1);
    await age(id, 3 * day);
    const ran = await runReady(executor, id);
    expect(ran).toContain(`tell#${localDate(new Date(series.starts_at), 'UTC')}`);
  });

  test('never becomes a step when the plan was not extended for longer than its horizon', async () => {
    const { id } = await startBy(executor, instance, draftOf(daily()));
    await extendPlan(later(45 * day), id);
    const plan = await getPlan(id);
    expect(plan.total_steps).toBeLessThanOrEqual(30 + 31);
    const { changes } = await instance.service.diff(id, 1, 500);
    expect(changes.find(({ kind }) => kind === 'series_missed')?.detail).toMatch(
      /^Occurrences of “Daily look” since \d{4}-\d\d-\d\d were skipped/,
    );
    await checkPlan(instance.db.query, id);
  });
});

describe('what is in force', () => {
  test('is what was approved: a step whose occurrences were all left out does not come again', async () => {
    const series = daily({ steps: [look, { ...look, id: 'tell', after: ['look'] }] });
    const plan = await instance.service.propose(draftOf(series), {}, ana);
    const tells = (await idsOf(plan.id)).filter((id) => id.startsWith('tell#'));
    await instance.service.approve(
      plan.id,
      { version: 1, digest: plan.digest, except: tells },
      ana,
    );
    const [row] = await seriesOf(plan.id);
    expect(row?.steps.map(({ id }) => id)).toEqual(['look']);
  });

  test('stops when what is stored of it is not what was approved', async () => {
    const { id } = await startBy(executor, instance, draftOf(daily()));
    await instance.db.query
      .update(planSeries)
      .set({ steps: [{ ...look, description: 'Something else' }] })
      .where(eq(planSeries.plan_id, id));
    await extendPlan(later(2 * day), id);
    expect(await getPlan(id)).toMatchObject({ version: 1, total_steps: 30 });
    expect((await seriesOf(id))[0]?.stopped_at).not.toBeNull();
    const auditEntries = await instance.service.audit(id, { limit: 100 });
    expect(auditEntries.at(-1)).toMatchObject({ action: 'series_stopped', actor_kind: 'system' });
  });

  test('stops when its operation does more by now than people have approved', async () => {
    const { id } = await startBy(executor, instance, draftOf(daily()));
    const context = later(2 * day);
    const catalogue = withOpened(context.catalogue, (own) => ({
      get(name) {
        const known = own.get(name);
        return known === undefined ? undefined : { ...known, effect: 'write' };
      },
    }));
    await extendPlan({ ...context, catalogue }, id);
    expect(await getPlan(id)).toMatchObject({ version: 1, total_steps: 30 });
    const { changes } = await instance.service.diff(id, 1, 500);
    expect(changes.find(({ kind }) => kind === 'series_stopped')?.detail).toContain(
      'would do more than was approved, or their operations have changed (look)',
    );
  });

  test('waits an hour when a tool is away, and goes on then', async () => {
    const { id } = await startBy(executor, instance, draftOf(daily()));
    const context = later(2 * day);
    const catalogue = withOpened(context.catalogue, () => ({ get: () => undefined }));
    const warned = executor.warnings.length;
    await extendSeries({ ...context, catalogue });
    expect(executor.warnings.slice(warned).join()).toContain(id);
    expect((await getPlan(id)).version).toBe(1);
    await extendSeries(later(2 * day + 60_000));
    expect((await getPlan(id)).version).toBe(1);
    await extendSeries(later(2 * day + 3_700_000));
    expect((await getPlan(id)).total_steps).toBe(33);
  });
});

describe('a draft with series', () => {
  test('comes through Markdown without loss', async () => {
    const series = daily({ rrule: 'FREQ=WEEKLY;BYDAY=MO', until: '2099-01-01T00:00:00.000Z' });
    const draft: PlanDraft = {
      ...draftOf(series, noop('setup')),
      step_approval: 'each',
      context: {
        tool_outputs: {},
        notes: 'n',
        artifacts: [],
        pattern: {
          pattern_type: 'recurring_cycle',
          subtype: 'standup',
          variant: 'short',
          introduced_by: 'system',
        },
      },
    };
    const plan = await instance.service.propose(draft, {}, ana);
    expect(plan).toMatchObject({
      pattern_type: 'recurring_cycle',
      pattern_subtype: 'standup',
      pattern_variant: 'short',
      step_approval: 'each',
      open_until: '2099-01-01T00:00:00.000Z',
    });
    let text = '';
    for await (const chunk of instance.service.exportMarkdown(plan.id)) text += chunk;
    expect(text).toContain('“Daily look” repeats every Monday');
    const copy = await instance.service.commit(await instance.service.checkMarkdown(text, ana));
    const { id: _a, digest: _b, created_at: _c, updated_at: _d, ...rest } = plan;
    expect(copy).toMatchObject(rest);
    expect(await idsOf(copy.id)).toEqual(await idsOf(plan.id));
  });
});

type SeriesSet = Extract<PatchOperation, { op: 'change_series' }>['set'];

describe('a change of a series', () => {
  const note = draftStep('note', 'Write', 'workspace_write', {
    path: 'a.txt',
    content: 'old',
    overwrite: false,
  });
  const ofSeries = (set: SeriesSet): PatchOperation => ({
    op: 'change_series',
    series: 'daily',
    set,
  });

  /** @returns the reasons for an approval */
  async function change(
    planId: string,
    operations: PatchOperation[],
    context: PlansContext = later(0),
  ): Promise<string[]> {
    const { revision: base_revision } = await getPlan(planId);
    const patch = { base_revision, operations };
    const commit = await checkPatch(context, planId, patch, ana, async () => {});
    const outcome = await instance.db.transaction(commit);
    if (outcome.status === 'needs_approval')
      await instance.service.approve(
        planId,
        { version: outcome.version, digest: outcome.digest },
        ana,
      );
    await checkPlan(instance.db.query, planId);
    return outcome.widening;
  }

  const openOf = async (planId: string) =>
    (await instance.service.listSteps(planId, { limit: 100, status: ['pending', 'ready'] })).steps;

  test('leaves an occurrence alone that has begun or is due', async () => {
    const series = daily({ steps: [look, { ...look, id: 'tell', after: ['look'] }] });
    const { id } = await startBy(executor, instance, draftOf(series));
    await age(id, 2 * 3_600_000);
    const [first = ''] = await runReady(executor, id);
    await age(id, day);
    const day1 = first.slice('look'.length);
    const [second] = (await openOf(id)).filter(({ id: one }) => one.startsWith('look'));
    await change(id, [ofSeries({ rrule: 'FREQ=YEARLY;BYMONTH=7;BYMONTHDAY=1' })]);
    const statuses = await statusesOf(instance, id);
    expect(statuses[`tell${day1}`]).toBe('ready');
    expect(statuses[second?.id ?? '']).toBe('ready');
    expect((await openOf(id)).map((step) => step.id)).toEqual([
      `tell${day1}`,
      second?.id,
      second?.id.replace('look', 'tell'),
      ...['look', 'tell'].map((one) => expect.stringMatching(`^${one}#\\d{4}-07-01$`)),
    ]);
  });

  test.each<[string, Partial<Series>, SeriesSet]>([
    [
      'its last time of day',
      { rrule: 'FREQ=DAILY;UNTIL=20991214T090000Z' },
      { rrule: 'FREQ=DAILY;UNTIL=20991214T180000Z' },
    ],
    ['its second', { rrule: 'FREQ=DAILY;BYSECOND=1' }, { rrule: 'FREQ=DAILY;BYSECOND=2' }],
    ['its end', { until: '2099-12-14T09:00:00.000Z' }, { until: '2099-12-14T09:00:30.000Z' }],
    ['its zone', {}, { timezone: 'Etc/UTC' }],
    ['its start', {}, { starts_at: '2099-01-01T00:00:30.000Z' }],
  ])('asks about %s, although its words may be the same', async (_, before, set) => {
    const series = daily(before);
    const { id } = await startBy(executor, instance, draftOf(series));
    const [reason = '', ...others] = await change(id, [ofSeries(set)]);
    expect(others).toEqual([]);
    const [is, was] = reason.split(' instead of ');
    expect(was).toBeDefined();
    expect(is).not.toContain(was?.slice(0, -1));
  });

  test('asks about an occurrence that its author changes himself as well', async () => {
    const { id } = await startBy(executor, instance, draftOf(daily({ steps: [note] })));
    const [first] = await openOf(id);
    const reasons = await change(id, [
      {
        op: 'update_steps',
        steps: { ids: [first?.id ?? ''] },
        set: { args: { path: 'b.txt' } },
      },
      ofSeries({ args: { note: { content: 'new' } } }),
    ]);
    expect(reasons.join()).toContain(`Changes the arguments of step ${first?.label}`);
  });

  test('removes an argument from what is to come', async () => {
    const { id } = await startBy(executor, instance, draftOf(daily({ steps: [note] })));
    await change(id, [ofSeries({ args: { note: { overwrite: null, content: 'new' } } })]);
    const open = await openOf(id);
    expect(open).toHaveLength(30);
    for (const { args } of open) expect(args).toEqual({ path: 'a.txt', content: 'new' });
  });

  test('is refused for arguments that would fail, with and without an occurrence to change', async () => {
    const far = { rrule: 'FREQ=YEARLY', starts_at: new Date(Date.now() + 200 * day).toISOString() };
    for (const more of [{}, far]) {
      const { id } = await startBy(executor, instance, draftOf(daily({ ...more, steps: [note] })));
      const refused = (args: NonNullable<SeriesSet['args']>) =>
        expect(change(id, [ofSeries({ rrule: 'FREQ=WEEKLY', args })])).rejects;
      await refused({ note: { overwrite: 'often' } }).toMatchObject({ code: 'invalid_arguments' });
      await refused({ note: { path: '../a.txt' } }).toMatchObject({
        code: 'path_outside_workspace',
      });
      await refused({ nothing: { path: 'a.txt' } }).toMatchObject({ code: 'unknown_step' });
    }
  });

  test('keeps what was left out once, and what was moved once', async () => {
    const { id } = await startBy(executor, instance, draftOf(daily({ steps: [note] })));
    const [moved] = (await openOf(id)).slice(5);
    const not_before = new Date(Date.parse(moved?.not_before ?? '') + 3 * day).toISOString();
    const ids = [moved?.id ?? ''];
    await change(id, [{ op: 'update_steps', steps: { ids }, set: { not_before } }]);
    await instance.service.changeRecurring(
      `${id}/daily`,
      { action: 'skip' },
      { user: ana.id },
      ana,
    );
    await change(id, [ofSeries({ args: { note: { content: 'new' } } })]);
    expect(await getPlan(id)).toMatchObject({ total_steps: 30, counts: { skipped: 1 } });
    const open = await openOf(id);
    expect(open).toHaveLength(29);
    expect(open.find((step) => step.id === moved?.id)).toMatchObject({ not_before });
    for (const { args } of open) expect(args).toMatchObject({ content: 'new' });
  });

  test('keeps what was left out once before it was a step', async () => {
    const far = new Date(Date.now() + 200 * day).toISOString();
    const { id } = await startBy(
      executor,
      instance,
      draftOf(daily({ rrule: 'FREQ=YEARLY', starts_at: far, steps: [note] })),
    );
    const entryOf = async () =>
      (await instance.service.listRecurring({ user: ana.id })).find((one) => one.plan_id === id);
    for (const _ of [1, 2])
      await instance.service.changeRecurring(
        `${id}/daily`,
        { action: 'skip' },
        { user: ana.id },
        ana,
      );
    const next = (await entryOf())?.next_at;
    await change(id, [ofSeries({ args: { note: { content: 'new' } } })]);
    expect((await entryOf())?.next_at).toBe(next);
    expect((await openOf(id)).map((step) => step.not_before)).toEqual([next]);
  });

  // Later than the first start at any time of day.
  const hour = new Date(Date.now() + 3_600_000).getUTCHours();
  const hoursLater = `FREQ=DAILY;BYHOUR=${(hour + 2) % 24}`;

  test.each([
    ['days', 'FREQ=DAILY', 'FREQ=WEEKLY', [30, 5, 30, 5, 30]],
    ['times of day', `${hoursLater},${(hour + 6) % 24}`, hoursLater, [60, 30, 60, 30, 60]],
  ])('brings back the %s that earlier changes removed', async (_, all, some, expected) => {
    const steps = [note, { ...look, id: 'tell', after: ['note'] }];
    const { id } = await startBy(executor, instance, draftOf(daily({ rrule: all, steps })));
    const timesOf = async (): Promise<string[]> => {
      const found: string[] = [];
      for await (const step of iterateSteps(instance.db.query, id)) {
        if (step.status !== 'pending' && step.status !== 'ready') continue;
        if (step.id.startsWith('note')) found.push(step.not_before ?? '');
        else expect(step.after[0]?.id).toBe(step.id.replace('tell', 'note'));
      }
      return found.sort();
    };
    const before = await timesOf();
    const counts = [before.length];
    for (const rrule of [some, all, some, all]) {
      await change(id, [ofSeries({ rrule })]);
      counts.push((await timesOf()).length);
    }
    expect(counts).toEqual(expected);
    expect(await timesOf()).toEqual(before);
    let text = '';
    for await (const chunk of instance.service.exportMarkdown(id)) text += chunk;
    const copy = await instance.service.commit(await instance.service.checkMarkdown(text, ana));
    expect(copy.total_steps).toBe(2 * before.length);
  });

  test('keeps out a step that a change removed from one occurrence', async () => {
    const steps = [note, { ...look, id: 'tell', after: ['note'] }];
    const { id } = await startBy(executor, instance, draftOf(daily({ steps })));
    const tellStep = (await openOf(id)).findLast((step) => step.id.startsWith('tell'))?.id ?? '';
    await change(id, [{ op: 'remove_steps', steps: { ids: [tellStep] } }]);
    await change(id, [ofSeries({ rrule: hoursLater })]);
    const open = (await openOf(id)).map((step) => step.id);
    expect(open).toHaveLength(59);
    expect(open).not.toContain(tellStep);
  });

  test('is extended on a date that it removed', async () => {
    const far = new Date(Date.now() + 40 * day);
    const yearly = `FREQ=YEARLY;BYMONTH=${far.getUTCMonth() + 1};BYMONTHDAY=${far.getUTCDate()}`;
    const series = daily({ rrule: yearly, steps: [note] });
    const { id } = await startBy(executor, instance, draftOf(series));
    const [first] = await openOf(id);
    await change(id, [ofSeries({ rrule: 'FREQ=DAILY' })]);
    await extendPlan(later(15 * day), id);
    const times = (await openOf(id)).map(({ not_before }) => not_before);
    expect(times).toContain(first?.not_before);
  });

  test('is approved although its operation was reworded since it was proposed', async () => {
    const { id } = await startBy(executor, instance, draftOf(daily({ steps: [note] })));
    const { catalogue } = executor;
    const older: typeof catalogue.of = (tenant) => {
      const { get, ...own } = catalogue.of(tenant);
      const reword = (spec: ReturnType<typeof get>) => spec && { ...spec, description: 'Older' };
      return { ...own, get: (name) => reword(get(name)) };
    };
    const context = { ...later(0), catalogue: { ...catalogue, of: older } };
    await change(id, [ofSeries({ rrule: `${hoursLater},${(hour + 6) % 24}` })], context);
    expect(await getPlan(id)).toMatchObject({ version: 2, pending_patch: null });
  });

  test('is refused if it has two operations for one series', async () => {
    const { id } = await startBy(executor, instance, draftOf(daily({ steps: [note] })));
    const twice = change(id, [
      ofSeries({ args: { note: { content: 'new' } } }),
      ofSeries({ rrule: 'FREQ=WEEKLY' }),
    ]);
    expect(await refusalCode(twice)).toBe('invalid_request');
    expect(await getPlan(id)).toMatchObject({ version: 1, pending_patch: null });
  });
});

describe('a plan that repeats, in its person’s list', () => {
  async function begin(rest: Partial<Series> = {}, ...steps: StepDraft[]) {
    const series = daily(rest);
    const { id } = await startBy(executor, instance, draftOf(series, ...steps));
    const read = async () =>
      (await instance.service.listRecurring({ user: ana.id })).find(
        ({ plan_id }) => plan_id === id,
      );
    const entry = await read();
    if (entry === undefined) throw new Error('It is not listed.');
    const change = (wanted: RecurringChange) =>
      instance.service.changeRecurring(entry.id, wanted, { user: ana.id }, ana);
    return { id, series, entry, read, change };
  }

  test('is skipped once: that occurrence never runs, and the next one is said', async () => {
    const { id, series, entry, change } = await begin();
    const [first = '', second] = await idsOf(id);
    expect(entry).toMatchObject({ id: `${id}/daily`, next_at: series.starts_at, others: 0 });
    const { entry: after } = await change({ action: 'skip', next_at: entry.next_at });
    expect(after?.next_at).toBe(entry.then_at);
    expect((await statusesOf(instance, id))[first]).toBe('skipped');
    expect(await refusalCode(change({ action: 'skip', next_at: entry.next_at }))).toBe(
      'already_decided',
    );
    await ripen(instance, id);
    expect(await runReady(executor, id)).not.toContain(first);
    expect((await statusesOf(instance, id))[second ?? '']).toBe('succeeded');
    expect((await getPlan(id)).version).toBe(1);
    await checkPlan(instance.db.query, id);
  });

  test('is skipped although the next occurrence is no step yet', async () => {
    const far = new Date(Date.now() + 200 * day).toISOString();
    const { id, entry, read, change } = await begin({ rrule: 'FREQ=YEARLY', starts_at: far });
    await change({ action: 'skip' });
    expect((await read())?.next_at).toBe(entry.then_at);
    await change({ action: 'skip' });
    expect(Date.parse((await read())?.next_at ?? '')).toBeGreaterThan(
      Date.parse(entry.then_at ?? ''),
    );
    expect(await getPlan(id)).toMatchObject({ status: 'executing' });
  });

  test('ends with its unstarted steps, and the rest of its plan continues', async () => {
    const held = { not_before: new Date(Date.now() + 5 * day).toISOString() };
    const { id, entry, read, change } = await begin({}, { ...noop('a'), ...held });
    expect(entry.others).toBe(1);
    await ripen(instance, id);
    expect(await change({ action: 'end' })).toMatchObject({ entry: null, waits: null });
    expect(await read()).toBeUndefined();
    expect(await getPlan(id)).toMatchObject({ status: 'executing', counts: { skipped: 30 } });
    expect(await runReady(executor, id)).toEqual(['a']);
    expect((await getPlan(id)).status).toBe('completed');
  });

  test('takes its plan to its end when nothing else is left of it', async () => {
    const { id, change } = await begin();
    await change({ action: 'end' });
    expect((await getPlan(id)).status).toBe('completed');
    await extendPlan(later(40 * day), id);
    expect((await getPlan(id)).total_steps).toBe(30);
  });

  test('changes its rule and its text in a version that waits for approval', async () => {
    const write = draftStep('note', 'Write', 'workspace_write', { path: 'a.txt', content: 'old' });
    const { id, read, change } = await begin({ steps: [write] });
    const changed = await change({ action: 'change', when: 'every Tuesday at 9:00', text: 'new' });
    expect(changed.waits).toBe(2);
    const [waiting] = (await instance.service.listPatches(id, { limit: 1 })).patches;
    expect(waiting?.widening[0]).toContain('every Tuesday');
    const { digest = '' } = waiting ?? {};
    await instance.service.approve(id, { version: 2, digest }, ana);
    const plan = await getPlan(id);
    expect(plan).toMatchObject({ version: 2, status: 'executing', pending_patch: null });
    expect(plan.series[0]?.rrule).toContain('BYDAY=TU');
    expect((await read())?.rule).toContain('Tuesday');
    const status: StepStatus[] = ['pending', 'ready'];
    const open = await instance.service.listSteps(id, { limit: 100, status });
    const starts = open.steps.map(({ not_before }) => new Date(not_before ?? '').getUTCDay());
    expect(new Set(starts)).toEqual(new Set([2]));
    expect(open.steps[0]?.args).toMatchObject({ content: 'new' });
    const diff = await instance.service.versionDiff(id, 1, 2);
    expect(diff.terms[0]).toContain('Tuesday');
    await extendPlan(later(40 * day), id);
    expect((await getPlan(id)).total_steps).toBeGreaterThan(plan.total_steps);
    await checkPlan(instance.db.query, id);
  });

  test('is nobody else’s to see or to change', async () => {
    const { entry } = await begin();
    expect(await instance.service.listRecurring({ user: ben.id })).toEqual([]);
    const end = instance.service.changeRecurring(
      entry.id,
      { action: 'end' },
      { user: ben.id },
      ben,
    );
    expect(await refusalCode(end)).toBe('not_found');
  });
});
