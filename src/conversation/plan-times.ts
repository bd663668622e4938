// A plan's times on cards and in lists.
import type { Queryable } from '#db/database.ts';
import { readTenantOf } from '#db/people/identities.ts';
import { readScheduledSteps, readScheduleHead } from '#db/planning/artifacts.ts';
import { readPlanRow } from '#db/plans/plans.ts';
import { readRhythms } from '#db/plans/series.ts';
import type { PlanCardFacts } from '#domain/chat/card.ts';
import { isByClock } from '#domain/length.ts';
import type { Plan, PlanSummary, Series, Step } from '#domain/plan/plan.ts';
import { type Links, longestChain } from '#graph/longest-chain.ts';
import type { ConversationContext } from '#messages/context.ts';
import { type PlacedPlan, placeSteps } from '#plans/views/forecast.ts';
import { describeRhythm } from '#timeline/repetition.ts';
import {
  measureWorkingDay,
  openWorkingTime,
  workingMinutesWithin,
} from '#timeline/working-time.ts';
import { readShift } from './shift.ts';

/** Statuses whose cards show changes and conflicts. */
export const compared = new Set<Plan['status']>(['proposed', 'needs_review', 'approved']);

const takesWork = ({ tool, duration }: Step): boolean => tool === 'human' && !isByClock(duration);

/** Null if mixed with elapsed days, which have no sum. */
function countsAsWork(steps: Step[], day: number | null): boolean | null {
  const timed = steps.filter(({ duration_minutes }) => (duration_minutes ?? 0) > 0);
  if (!timed.some(takesWork)) return false;
  // Under a working day both are the same.
  const isLong = (minutes: number | null) => day !== null && (minutes ?? 0) >= day;
  const waits = steps.flatMap(({ after }) => after.map(({ lag_minutes }) => lag_minutes));
  const mixed = timed.some((step) => !takesWork(step) && isLong(step.duration_minutes));
  return mixed || waits.some(isLong) ? null : true;
}

export async function readTimes(context: ConversationContext, plan: Plan, steps: Step[]) {
  const db = context.db.query;
  const head = await readScheduleHead(db, plan.id, plan.version);
  const { starts_at = null, ends_at = null, profile = context.profile } = head ?? {};
  const { earliest_end } = head ?? {};
  const working_day_minutes = measureWorkingDay(profile);
  const common = {
    working_day_minutes,
    ...describeRepeats(plan.series),
    ...(compared.has(plan.status) ? await readStepTimes(context, plan, steps) : {}),
  };
  if (head === null || starts_at === null || ends_at === null || plan.series.length > 0) {
    const isWork = countsAsWork(steps, working_day_minutes);
    const expected_minutes = isWork === null ? null : longestMinutes(plan, steps);
    return { ...common, expected_minutes, expected_is_work: isWork === true, scheduled: null };
  }
  const span = { from: Date.parse(starts_at), to: Date.parse(ends_at) };
  const isWork = steps.some((step) => (step.duration_minutes ?? 0) > 0 && takesWork(step));
  return {
    ...common,
    // Between dates: work and waits have no sum.
    expected_minutes: isWork
      ? workingMinutesWithin(openWorkingTime(profile, head.timezone), span)
      : (span.to - span.from) / 60_000,
    expected_is_work: isWork,
    scheduled: { starts_at, ends_at, ...(earliest_end === undefined ? {} : { earliest_end }) },
    ...(plan.status === 'executing' ? await readMoved(context, plan) : {}),
  };
}

async function readMoved(context: ConversationContext, plan: Plan) {
  const db = context.db.query;
  const shift = await readShift(context, db, plan, await readTenantOf(db, plan.id));
  return shift === null || shift.moved.length === 0 ? {} : { moved: shift.moved };
}

async function readStepTimes(
  { db, clock }: ConversationContext,
  plan: Plan,
  steps: Step[],
): Promise<Pick<PlanCardFacts, 'times' | 'deadline'>> {
  const ids = steps.map(({ id }) => id);
  const scheduled = await readScheduledSteps(db.query, plan.id, plan.version, ids);
  if (scheduled.length === 0) return {};
  const times = Object.fromEntries(scheduled.map(({ step_id, ...one }) => [step_id, one]));
  const spareOf = ({ deadline, ends_at }: (typeof scheduled)[number]) =>
    Date.parse(deadline ?? '') - Date.parse(ends_at);
  const [tightest] = scheduled
    .filter(({ deadline }) => deadline !== null)
    .sort((a, b) => spareOf(a) - spareOf(b));
  if (tightest === undefined || tightest.deadline === null) return { times };
  const { step_id, deadline, ends_at } = tightest;
  const row = await readPlanRow(db.query, plan.id);
  const placed = await placeSteps(db.query, row, clock.now());
  const labels = new Map(steps.map(({ position, label }) => [position, label]));
  const longest = (placed?.path ?? []).toSorted(
    (a, b) => lengthAt(placed, b) - lengthAt(placed, a),
  )[0];
  return {
    times,
    deadline: {
      at: deadline,
      ends_at,
      label: steps.find(({ id }) => id === step_id)?.label ?? step_id,
      decides:
        steps.length === 1 ? null : (labels.get(placed?.positions[longest ?? -1] ?? -1) ?? null),
    },
  };
}

const lengthAt = (placed: PlacedPlan | null, step: number): number =>
  (placed?.ends[step] ?? 0) - (placed?.begins[step] ?? 0);

/** Longest chain; null without durations or with steps missing. */
function longestMinutes(plan: Plan, steps: Step[]): number | null {
  if (plan.total_steps > steps.length) return null;
  if (steps.every(({ duration_minutes }) => duration_minutes === null)) return null;
  const index = new Map(steps.map(({ id }, i) => [id, i]));
  const links: Links = { from: [], to: [], types: [], lags: [] };
  for (const [to, step] of steps.entries()) {
    for (const { id, type, lag_minutes } of step.after) {
      const from = index.get(id);
      if (from === undefined) continue;
      links.from.push(from);
      links.to.push(to);
      links.types.push(type);
      links.lags.push(lag_minutes);
    }
  }
  return longestChain(
    steps.map(({ duration_minutes }) => duration_minutes ?? 0),
    links,
  );
}

export type Rhythm = Pick<Series, 'rrule' | 'timezone' | 'starts_at'>;

/** `every Monday`, each once. */
export function describeRepeats(series: readonly Rhythm[]): { repeats?: string[] } {
  if (series.length === 0) return {};
  const rhythms = series.map(({ rrule, timezone, starts_at }) =>
    describeRhythm({ rrule, timezone, startsAt: new Date(starts_at) }),
  );
  return { repeats: [...new Set(rhythms)] };
}

/** Free for those that run once. */
export async function addRepeats<P extends PlanSummary>(db: Queryable, plans: P[]): Promise<P[]> {
  const ids = plans.filter(({ open_until }) => open_until !== null).map(({ id }) => id);
  if (ids.length === 0) return plans;
  const rhythms = await readRhythms(db, ids);
  return plans.map((plan) => ({ ...plan, ...describeRepeats(rhythms.get(plan.id) ?? []) }));
}
