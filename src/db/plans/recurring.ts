// A person's upcoming reminders and recurring steps.
import { and, asc, eq, inArray, isNotNull, isNull, or, sql } from 'drizzle-orm';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { plans, reminders } from '../schema.ts';
import { stepsOf } from '../steps/blocks.ts';
import { isoOf } from '../time.ts';

const maxListed = 100;

export type ReminderRow = Omit<typeof reminders.$inferSelect, 'next_at'> & { next_at: Date };

/** All names; the organisation if others share the instance. */
export type RecurringOf = { names: string[]; tenant?: string | undefined };

const isOf = ({ tenant }: RecurringOf) =>
  tenant === undefined ? undefined : or(isNull(plans.tenant), eq(plans.tenant, tenant));

export async function readReminders(
  db: Queryable,
  of: RecurringOf,
  id?: string,
): Promise<ReminderRow[]> {
  const rows = await db
    .select({ reminder: reminders })
    .from(reminders)
    .leftJoin(plans, eq(plans.id, reminders.plan_id))
    .where(
      and(
        inArray(reminders.user, of.names),
        isNotNull(reminders.next_at),
        id === undefined ? undefined : eq(reminders.id, id),
        isOf(of),
      ),
    )
    .orderBy(asc(reminders.next_at))
    .limit(maxListed);
  return rows.flatMap(({ reminder: { next_at, ...rest } }) =>
    next_at === null ? [] : [{ ...rest, next_at }],
  );
}

/** @returns false if no longer due at `seen` */
export async function changeReminder(
  tx: Queryable,
  { id, next_at: seen }: Pick<ReminderRow, 'id' | 'next_at'>,
  set: Partial<Pick<typeof reminders.$inferSelect, 'next_at' | 'rrule' | 'starts_at' | 'text'>>,
): Promise<boolean> {
  const changed = await tx
    .update(reminders)
    .set(set)
    .where(and(eq(reminders.id, id), eq(reminders.next_at, seen)))
    .returning({ id: reminders.id });
  return changed.length > 0;
}

export async function findRecurringPlans(db: Queryable, of: RecurringOf): Promise<string[]> {
  const rows = await db
    .select({ id: plans.id })
    .from(plans)
    .where(
      and(
        inArray(plans.requester, of.names),
        eq(plans.status, 'executing'),
        isNotNull(plans.open_until),
        isOf(of),
      ),
    )
    .orderBy(asc(plans.created_at))
    .limit(maxListed);
  return rows.map(({ id }) => id);
}

export type UpcomingStep = { id: string; position: number; not_before: string };

/** Not begun, by start. @param limit of different starts */
export async function readUpcoming(
  db: Queryable,
  planId: string,
  templates: string[],
  limit: number,
): Promise<UpcomingStep[]> {
  return db.rows(sql`
    select id, position, not_before from (
      select c.step_id as id, c.position, ${isoOf('c.not_before', 'milliseconds')} as not_before,
        dense_rank() over (order by c.not_before) as nth
      from ${stepsOf(planId, ['pending', 'ready'], sql`s.attempt = 0 and s.lane <> 0`)}
      join ${countersign}.plan_steps c
        on c.plan_id = s.plan_id and c.position = s.position and c.step_id = s.step_id
      where c.not_before is not null and strpos(c.step_id, '#') > 0
        and split_part(c.step_id, '#', 1) = any(${sql.param(templates)}::text[])
    ) as upcoming where nth <= ${limit} order by not_before, position`);
}
