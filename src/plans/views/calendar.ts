// A plan as a calendar of its dated steps.
import type { Queryable } from '#db/database.ts';
import { readScheduledSteps, readScheduleHead } from '#db/planning/artifacts.ts';
import { readPlan } from '#db/plans/plans.ts';
import { readSteps } from '#db/steps/pages.ts';
import { sayHeadline } from '#domain/plan/call-words.ts';
import type { Plan, PlanStatus, Step } from '#domain/plan/plan.ts';
import { showWhole } from '#domain/shown-text.ts';
import { operationName } from '#domain/tool.ts';
import { shorten } from '#domain/words.ts';
import { type NewEvent, writeCalendar } from '#tools/calendar/add-event.ts';
import { describeCall } from '#tools/describe-call.ts';

/** Further steps are left out. */
const maxEntries = 2000;
const shortestMs = 15 * 60_000;

const undecided = new Set<PlanStatus>(['proposed', 'needs_review']);
const dropped = new Set<PlanStatus>(['rejected', 'cancelled']);

function statusOf(plan: Plan, step: Step): NonNullable<NewEvent['status']> {
  if (dropped.has(plan.status) || step.status === 'cancelled' || step.status === 'skipped')
    return 'CANCELLED';
  return undecided.has(plan.status) ? 'TENTATIVE' : 'CONFIRMED';
}

/** Past, current or possible start; null if unknown. */
function spanOf(
  { started_at, ended_at, not_before, duration_minutes }: Step,
  scheduled: { starts_at: string; ends_at: string } | undefined,
): { start: Date; end: Date } | null {
  const from = started_at ?? scheduled?.starts_at ?? not_before;
  if (from === null || from === undefined) return null;
  const start = new Date(from);
  const stated = started_at === null && scheduled !== undefined ? scheduled.ends_at : ended_at;
  const length = (duration_minutes ?? 0) * 60_000;
  const end = stated === null ? start.getTime() + length : Date.parse(stated);
  return { start, end: new Date(Math.max(end, start.getTime() + shortestMs)) };
}

/** @param link to the plan's page @throws `plan_not_found` */
export async function exportCalendar(
  db: Queryable,
  planId: string,
  { timezone, link, now }: { timezone: string; link: string | null; now: Date },
): Promise<string> {
  const plan = await readPlan(db, planId);
  const steps = await readSteps(db, planId, {}, 0, maxEntries);
  const head = await readScheduleHead(db, planId, plan.version);
  const scheduled = new Map(
    (await readScheduledSteps(db, planId, plan.version)).map((one) => [one.step_id, one]),
  );
  const events = steps.flatMap((step): NewEvent[] => {
    const span = spanOf(step, scheduled.get(step.id));
    if (span === null) return [];
    const name = operationName(step.tool, step.operation);
    const effect = sayHeadline(describeCall(name, undefined, step.args, step.seen));
    const question = typeof step.args.question === 'string' ? `: ${step.args.question}` : '';
    return [
      {
        uid: `${planId}.${encodeURIComponent(step.id)}@countersign`,
        title: shorten(showWhole(`${effect}${question}`), 200),
        ...span,
        allDay: false,
        timezone: head?.timezone ?? timezone,
        location: null,
        description: `Step ${step.label} of ${planId}: ${shorten(showWhole(plan.title), 200)}`,
        rrule: null,
        sequence: plan.revision,
        status: statusOf(plan, step),
        ...(link === null ? {} : { url: link }),
      },
    ];
  });
  return writeCalendar(events, now);
}
