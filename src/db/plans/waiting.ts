// Finds what has long waited for a person: questions, unknown outcomes, patches.
import { type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { stepsOf } from '../steps/blocks.ts';
import { isoOf } from '../time.ts';

type Overdue = PageCursor & {
  plan_id: string;
  /** Intervals passed since it was asked. */
  period: number;
  /** Limits reminders to one per period. */
  once: string;
};

export type OverdueQuestion = Overdue & {
  step_id: string;
  attempt: number;
  status: 'waiting' | 'unknown';
};

export type OverdueChange = Overdue & { patch_id: string };

const periodOf = (asked: string, now: Date, everySeconds: number): SQL =>
  sql`floor(extract(epoch from ${now.toISOString()}::timestamptz - ${sql.raw(asked)}) / ${everySeconds}::float8)::int`;

/** Plan `p` can remind a person in its conversation now. */
const remindable = sql`p.paused_at is null and p.conversation is not null`;

const unreminded = sql`not exists (select 1 from ${countersign}.messages m where m.once = n.once)`;

/** Waiting for `everySeconds` without a reminder in the current period, oldest first. Not in paused plans. */
export async function findOverdueQuestions(
  db: Queryable,
  now: Date,
  everySeconds: number,
  limit: number,
  after: PageCursor | null,
): Promise<OverdueQuestion[]> {
  return db.rows(sql`
    with open as (
      select s.plan_id, s.step_id, s.attempt, s.status,
        case s.status when 'unknown' then coalesce(s.ended_at, s.started_at) else s.started_at end as asked
      from ${countersign}.plans p
      cross join lateral ${stepsOf(sql`p.id`, ['waiting', 'unknown'])}
      where p.status in ('executing', 'stalled') and p.waiting + p.unknown > 0 and ${remindable}
    ),
    named as (
      select *, plan_id || ':step:' || step_id || ':' || attempt || case status when 'unknown' then ':unknown' else '' end
        || ':reminder:' || period as once, plan_id || ':' || step_id as name
      from (select *, ${periodOf('asked', now, everySeconds)} as period from open) overdue where period > 0
    )
    select plan_id, step_id, attempt, status, period, once, ${isoOf('asked', 'microseconds')} as since, name from named n
    where ${unreminded} and ${comesAfter(sql`asked`, sql`name`, after)}
    order by asked, name limit ${limit}`);
}

export async function findOverdueChanges(
  db: Queryable,
  now: Date,
  everySeconds: number,
  limit: number,
  after: PageCursor | null,
): Promise<OverdueChange[]> {
  return db.rows(sql`
    with named as (
      select *, plan_id || ':patch:' || patch_id || ':reminder:' || period as once
      from (
        select p.id as plan_id, c.id as patch_id, c.created_at, ${periodOf('c.created_at', now, everySeconds)} as period
        from ${countersign}.plan_patches c join ${countersign}.plans p on p.id = c.plan_id
        where c.status = 'needs_approval' and ${remindable}
      ) overdue where period > 0
    )
    select plan_id, patch_id, period, once, ${isoOf('created_at', 'microseconds')} as since, patch_id as name from named n
    where ${unreminded} and ${comesAfter(sql`created_at`, sql`patch_id`, after)}
    order by created_at, patch_id limit ${limit}`);
}

// Failed items are found again, so each round continues after the previous one: younger items get their turn.

/** In processing order: start in microseconds, then a unique name. */
export type PageCursor = { since: string; name: string };

export function comesAfter(since: SQL, name: SQL, after: PageCursor | null): SQL {
  return after === null
    ? sql`true`
    : sql`(${since}, ${name}) > (${after.since}::timestamptz, ${after.name}::text)`;
}

export function createPages<Found extends PageCursor>(
  limit: number,
  find: (limit: number, after: PageCursor | null) => Promise<Found[]>,
): () => Promise<Found[]> {
  let after: PageCursor | null = null;
  return async () => {
    const found = await find(limit, after);
    const last = found.length < limit ? undefined : found.at(-1);
    after = last === undefined ? null : { since: last.since, name: last.name };
    return found;
  };
}
