// Two versions of a plan beside each other, in the database: what is many stays there, what is told is bounded.
import { type SQL, sql } from 'drizzle-orm';
import type { JsonObject } from '#contracts/text.ts';
import type { Queryable } from './database.ts';
import { isoOf } from './sql/iso.ts';

/** A version; the current one is in `plan_steps`, earlier ones are archived. */
export type VersionRef = { planId: string; version: number; current: boolean };

/** Its steps as (step_id, position, content), as `archiveSteps` keeps them. */
function contentsOf({ planId, version, current }: VersionRef): SQL {
  if (!current) {
    return sql`
      select step_id, position, content from countersign.plan_version_steps
      where plan_id = ${planId} and version = ${version}`;
  }
  return sql`
    select s.step_id, s.position, jsonb_build_object(
      'id', s.step_id, 'description', s.description, 'tool', s.tool, 'operation', s.operation, 'target', s.target,
      'args', s.args, 'priority', s.priority, 'partition', s.partition, 'tags', to_jsonb(s.tags),
      'resources', s.resources, 'capabilities', to_jsonb(s.capabilities), 'notes', s.notes,
      'duration_minutes', s.duration_minutes, 'not_before', s.not_before, 'after', coalesce(x.after, '[]')) as content
    from countersign.plan_steps s
    left join (
      select e.successor, jsonb_agg(jsonb_build_object(
        'id', p.step_id, 'type', e.type, 'lag_minutes', e.lag_minutes) order by e.predecessor, e.type) as after
      from countersign.plan_edges e
      join countersign.plan_steps p on p.plan_id = e.plan_id and p.position = e.predecessor
      where e.plan_id = ${planId} group by e.successor
    ) x on x.successor = s.position
    where s.plan_id = ${planId}`;
}

export type StepDifference = {
  kind: 'added' | 'removed' | 'changed';
  /** How many steps differ in this way; the rows are the first of them. */
  total: number;
  before: JsonObject | null;
  after: JsonObject | null;
};

/**
 * The first `limit` steps of each kind of difference, in the order of their positions. Times are compared as moments,
 * dependencies as sets.
 */
export async function compareSteps(
  db: Queryable,
  from: VersionRef,
  to: VersionRef,
  limit: number,
): Promise<StepDifference[]> {
  const { rows } = await db.execute<StepDifference>(sql`
    with a as materialized (${contentsOf(from)}), b as materialized (${contentsOf(to)}),
    compared as (
      select coalesce(b.position, a.position) as position, a.content as before, b.content as after,
        case when a.step_id is null then 'added' when b.step_id is null then 'removed'
          when a.content = b.content then 'same'
          when a.content - '{after,not_before}'::text[] = b.content - '{after,not_before}'::text[]
            and (a.content ->> 'not_before')::timestamptz
              is not distinct from (b.content ->> 'not_before')::timestamptz
            and a.content -> 'after' @> (b.content -> 'after') and b.content -> 'after' @> (a.content -> 'after')
            then 'same'
          else 'changed' end as kind
      from a full join b on a.step_id = b.step_id
    ),
    ranked as (
      select *, row_number() over (partition by kind order by position) as place,
        count(*) over (partition by kind)::int as total
      from compared where kind <> 'same'
    )
    select kind, total, before, after from ranked where place <= ${limit} order by kind, place`);
  return rows;
}

/** When the first dated step may begin, and whether any step states how long it takes. */
export async function readTiming(
  db: Queryable,
  version: VersionRef,
): Promise<{ steps: number; earliest: string | null; timed: boolean }> {
  const { rows } = await db.execute<{ steps: number; earliest: string | null; timed: boolean }>(sql`
    with times as (
      select (content ->> 'not_before')::timestamptz as not_before, content -> 'duration_minutes' as minutes
      from (${contentsOf(version)}) c)
    select count(*)::int as steps, ${isoOf('min(not_before)', 'milliseconds')} as earliest,
      coalesce(bool_or(minutes <> 'null'), false) as timed
    from times`);
  return rows[0] ?? { steps: 0, earliest: null, timed: false };
}

/** Durations and links of a version as columns; steps are counted from 0, types by their place in `types`. */
export async function readChainColumns(db: Queryable, version: VersionRef, types: string[]) {
  type Columns = {
    durations: number[] | null;
    from: number[] | null;
    to: number[] | null;
    types: number[] | null;
    lags: number[] | null;
  };
  const { rows } = await db.execute<Columns>(sql`
    with steps as materialized (
      select step_id, content, (row_number() over (order by position) - 1)::int as n from (${contentsOf(version)}) c),
    links as (
      select p.n as from, s.n as to, array_position(${sql.param(types)}::text[], e ->> 'type') - 1 as type,
        (e ->> 'lag_minutes')::int as lag
      from steps s cross join lateral jsonb_array_elements(s.content -> 'after') e
      join steps p on p.step_id = e ->> 'id')
    select (select array_agg(coalesce((content ->> 'duration_minutes')::float8, 0) order by n) from steps) as durations,
      array_agg("from") as from, array_agg("to") as to, array_agg(type) as types, array_agg(lag) as lags
    from links`);
  const [columns] = rows;
  return {
    durations: columns?.durations ?? [],
    from: columns?.from ?? [],
    to: columns?.to ?? [],
    types: columns?.types ?? [],
    lags: columns?.lags ?? [],
  };
}
