// Watches running plans' schedules for broken promises.
import { readBackends } from '#db/backends.ts';
import type { Queryable } from '#db/database.ts';
import { readPersons } from '#db/people/identities.ts';
import { findScheduledPlans, readArtifacts } from '#db/planning/artifacts.ts';
import { readOpenFindings } from '#db/plans/findings.ts';
import { lockPlan, type PlanRow, readPlanRow } from '#db/plans/plans.ts';
import { readStepsById } from '#db/steps/pages.ts';
import { system } from '#domain/people/actor.ts';
import type { RaisedFinding } from '#domain/plan/finding.ts';
import type { Plan, Step, StepStatus } from '#domain/plan/plan.ts';
import type { BrokenPromise, Shift } from '#domain/planning/shift.ts';
import { quoteWords } from '#domain/shown-text.ts';
import type { ConversationContext } from '#messages/context.ts';
import { readOperations } from '#planner/order/durations.ts';
import { type Progress, shiftWork } from '#planner/schedule/shift-work.ts';
import { unitePeople } from '#planner/schedule/time-model.ts';
import { raiseFindings } from '#plans/findings/raise.ts';
import { withdrawBroken } from '#plans/findings/settle.ts';
import { usablePools } from '#plans/plans-context.ts';
import { formatLimit, formatMoment } from '#timeline/recurrence.ts';

type ShiftContext = Pick<
  ConversationContext,
  'catalogue' | 'profile' | 'clock' | 'readBusy' | 'resourcePools'
>;

const lookAheadMs = 60 * 86_400_000;

/** Steps; placing more takes too long for a card. */
const maxShifted = 200;

const over = new Set<StepStatus>(['succeeded', 'failed', 'skipped', 'cancelled']);

const latest = (times: (string | null)[]): number | null => {
  const known = times.flatMap((at) => (at === null ? [] : [Date.parse(at)]));
  return known.length === 0 ? null : Math.max(...known);
};

function progressOf(steps: Step[]): Progress {
  const started = steps.flatMap(({ started_at }) => started_at ?? []).sort()[0];
  return {
    started: started === undefined ? null : Date.parse(started),
    ended: steps.every(({ status }) => over.has(status))
      ? latest(steps.map(({ ended_at }) => ended_at))
      : null,
    notBefore: latest(steps.map(({ not_before }) => not_before)),
  };
}

/** `unread`: not every calendar could be read. */
type SeenShift = Shift & { timezone: string; unread: boolean };

/** Null without a schedule or if too large. */
export async function readShift(
  { catalogue, profile, clock, readBusy, resourcePools }: ShiftContext,
  db: Queryable,
  {
    id,
    version,
    requester,
    total_steps,
  }: Pick<Plan, 'id' | 'version' | 'requester' | 'total_steps'>,
  tenant: string | null,
): Promise<SeenShift | null> {
  if (total_steps > maxShifted) return null;
  const { outline, roadmap, schedule, node_steps } = await readArtifacts(db, id, version);
  if (outline === null || roadmap === null || schedule === null) return null;
  const { timezone, blocks, ends_at } = schedule;
  if (blocks.length === 0) return null;
  const steps = await readStepsById(db, id, Object.values(node_steps).flat());
  const byId = new Map(steps.map((step) => [step.id, step]));
  const progress = new Map(
    Object.entries(node_steps).flatMap(([node, ids]): [string, Progress][] => {
      const own = ids.flatMap((one) => byId.get(one) ?? []);
      return own.length === 0 ? [] : [[node, progressOf(own)]];
    }),
  );
  const operations = readOperations(catalogue.of(tenant).list());
  const sameAs = await unitePeople(outline, requester, (names) => readPersons(db, names));
  const context = { outline, roadmap, schedule, operations, user: requester, sameAs };
  const now = clock.now().getTime();
  const people = [...new Set(blocks.flatMap(({ person }) => person ?? []))];
  const window = { from: now, to: Math.max(now, Date.parse(ends_at ?? '') || now) + lookAheadMs };
  const plan = { id, requester, tenant, timezone };
  const { busy, failed } =
    people.length === 0 ? { busy: [], failed: false } : await readBusy(plan, people, window);
  const appointments = Map.groupBy(busy, ({ person }) => person);
  const days = { daysOff: profile.days_off, busy: appointments, now };
  const capacity = { pools: usablePools(resourcePools), backends: await readBackends(db) };
  return { ...shiftWork({ ...context, ...days, ...capacity }, progress), timezone, unread: failed };
}

function describePromise(
  { node, title, kind, who, limit }: BrokenPromise,
  { moved, timezone }: SeenShift,
): string {
  const say = (iso: string) => formatMoment(new Date(iso), timezone, { zone: true });
  const name = quoteWords(title, 200);
  const end = moved.find((one) => one.node === node)?.moved_to;
  const now = end === undefined ? '' : ` It ends ${say(end)} as things are.`;
  switch (kind) {
    case 'deadline':
      return `${name} misses its deadline, ${formatLimit(new Date(limit), timezone, { zone: true })}.${now}`;
    case 'fixed':
      return `${name} can't begin at its fixed time, ${say(limit)}: what it waits for ends later.`;
    case 'person':
      return `${name} takes ${quoteWords(who ?? '', 80)} another time than planned, ${say(limit)}.${now}`;
    default:
      return kind satisfies never;
  }
}

type WatchContext = Pick<
  ConversationContext,
  keyof ShiftContext | 'db' | 'enqueue' | 'random' | 'warn'
>;

const maxRead = 500;

/** One finding per promise, withdrawn when it can be kept again. */
export async function checkSchedule(context: WatchContext, planId: string): Promise<void> {
  const { db } = context;
  const seen: PlanRow = await readPlanRow(db.query, planId);
  const plan = { ...seen, total_steps: seen.total };
  const shift = await readShift(context, db.query, plan, seen.tenant);
  if (shift === null) return;
  const findings = shift.broken.map(
    (promise): RaisedFinding => ({
      severity: 'ERROR',
      category: 'schedule',
      message: describePromise(promise, shift),
      evidence: [{ data: { ...promise } }],
      key: `schedule ${promise.kind} ${promise.node} ${promise.limit}`,
      raisedBy: system.id,
    }),
  );
  const kept = findings.map(({ key }) => key);
  const open = await readOpenFindings(db.query, planId, 'ERROR', maxRead);
  if (kept.length === 0 && !open.some(({ category }) => category === 'schedule')) return;
  await db.transaction(async (tx) => {
    const row = await lockPlan(tx, planId);
    if (row.status !== 'executing' || row.version !== seen.version) return;
    // Unread appointments may still break them.
    if (!shift.unread) await withdrawBroken(context, tx, planId, kept);
    await raiseFindings(context, tx, row, findings);
  });
}

const plansATurn = 200;

/** Isolates failures. @param signal ends it after the current plan */
export async function checkSchedules(context: WatchContext, signal: AbortSignal): Promise<void> {
  const { db, warn } = context;
  let ids: string[] = [];
  do {
    ids = await findScheduledPlans(db.query, plansATurn, ids.at(-1) ?? '');
    for (const id of ids) {
      if (signal.aborted) return;
      await checkSchedule(context, id).catch((error: unknown) =>
        warn(`Could not check the schedule of ${id}; retrying.`, error),
      );
    }
  } while (ids.length === plansATurn);
}
