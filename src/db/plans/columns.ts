// A plan's steps and links as columns of numbers, for scheduling.
import { sql } from 'drizzle-orm';
import type { DependencyType } from '#domain/plan/dependency.ts';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { isPresent } from '../steps/steps.ts';

/** The current version by position. Minutes since 1970, or NaN. */
export type StepColumns = {
  positions: number[];
  durations: number[];
  notBefore: number[];
  started: number[];
  ended: number[];
  /** 1 if it no longer changes by itself. */
  over: number[];
};

/** By position; lags in minutes. */
export type LinkColumns = {
  from: number[];
  to: number[];
  types: DependencyType[];
  lags: number[];
};

const epoch = (column: string) =>
  sql.raw(`string_agg(coalesce((extract(epoch from ${column}) / 60)::float8::text, ''), ',')`);

function readNumbers(column: string | null): number[] {
  if (column === null) return [];
  return column.split(',').map((one) => (one === '' ? Number.NaN : Number(one)));
}

export async function readStepColumns(db: Queryable, planId: string): Promise<StepColumns> {
  const [row] = await db.rows<{ [Name in keyof StepColumns]: string | null }>(sql`
    select string_agg(position::text, ',') as positions,
      string_agg(coalesce(duration_minutes::text, ''), ',') as durations,
      ${epoch('not_before')} as "notBefore", ${epoch('started_at')} as started, ${epoch('ended_at')} as ended,
      string_agg(case when status in ('succeeded', 'failed', 'skipped', 'cancelled') then '1' else '0' end, ',') as over
    from (
      select s.position, c.duration_minutes, c.not_before, s.started_at, s.ended_at, s.status
      from ${countersign}.step_states s
      join ${countersign}.plan_steps c on c.plan_id = s.plan_id and c.position = s.position
      where s.plan_id = ${planId} and ${isPresent} order by s.position
    ) steps`);
  return {
    positions: readNumbers(row?.positions ?? null),
    durations: readNumbers(row?.durations ?? null),
    notBefore: readNumbers(row?.notBefore ?? null),
    started: readNumbers(row?.started ?? null),
    ended: readNumbers(row?.ended ?? null),
    over: readNumbers(row?.over ?? null),
  };
}

export async function readLinkColumns(
  db: Queryable,
  planId: string,
  most: number,
): Promise<LinkColumns | null> {
  const [row] = await db.rows<{ [Name in keyof LinkColumns]: string | null }>(sql`
    select string_agg(predecessor::text, ',') as "from", string_agg(successor::text, ',') as "to",
      string_agg(type, ',') as types, string_agg(lag_minutes::text, ',') as lags
    from (
      select predecessor, successor, type, lag_minutes from ${countersign}.plan_edges
      where plan_id = ${planId} limit ${most + 1}
    ) links`);
  const from = readNumbers(row?.from ?? null);
  if (from.length > most) return null;
  return {
    from,
    to: readNumbers(row?.to ?? null),
    types: (row?.types?.split(',') ?? []).map(readType),
    lags: readNumbers(row?.lags ?? null),
  };
}

function readType(type: string): DependencyType {
  return type === 'SS' || type === 'FF' || type === 'SF' ? type : 'FS';
}
