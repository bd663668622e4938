// Reminders that will still ring.
import { and, asc, eq, isNotNull, isNull, or, sql } from 'drizzle-orm';
import type { Queryable } from '../database.ts';
import { plans, reminders, runs } from '../schema.ts';

const maxReminders = 50;

/** Those of the requester of a run, in their organisation, the next first. */
export async function listReminders(
  db: Queryable,
  runId: string,
): Promise<{ text: string; rrule: string | null; timezone: string; next_at: Date }[]> {
  const rows = await db
    .select({
      text: reminders.text,
      rrule: reminders.rrule,
      timezone: reminders.timezone,
      next_at: reminders.next_at,
    })
    .from(reminders)
    .innerJoin(runs, and(eq(runs.user, reminders.user), eq(runs.id, runId)))
    .leftJoin(plans, eq(plans.id, reminders.plan_id))
    .where(
      and(
        isNotNull(reminders.next_at),
        or(isNull(reminders.plan_id), sql`${plans.tenant} is not distinct from ${runs.tenant}`),
      ),
    )
    .orderBy(asc(reminders.next_at))
    .limit(maxReminders);
  return rows.flatMap(({ next_at, ...rest }) => (next_at === null ? [] : [{ ...rest, next_at }]));
}
