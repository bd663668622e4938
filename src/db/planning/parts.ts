// Parts of a two-layer planning turn, leased by planners.
// The attempt number is the fencing token, and an ended turn accepts nothing.
import { sql } from 'drizzle-orm';
import { parseExactly } from '#domain/exact-json.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import type { PartPlace, PartStatus, ScaffoldPart } from '#domain/planning/part.ts';
import { AnyJson, makeStorable } from '#domain/text.ts';
import type { Queryable, Transaction } from '../database.ts';
import { schemaName } from '../instance.ts';
import { countersign } from '../schema/columns.ts';

type TurnPlace = Omit<PartPlace, 'part_id'>;
export type NewPart = { part_id: string; scaffold: ScaffoldPart };

export async function insertParts(
  tx: Transaction,
  { run_id, turn }: TurnPlace,
  parts: NewPart[],
): Promise<void> {
  await tx.execute(sql`
    insert into ${countersign}.planning_parts (run_id, turn, part_id, position, scaffold)
    select ${run_id}, ${turn}, part ->> 'part_id', place, part -> 'scaffold'
    from jsonb_array_elements(${storable(parts)}::jsonb) with ordinality as given(part, place)
    on conflict do nothing`);
}

/** As JSON that jsonb accepts. */
function storable(value: unknown): string {
  return JSON.stringify(makeStorable(AnyJson.parse(parseExactly(JSON.stringify(value)))));
}

const isCurrent = sql`exists (select from ${countersign}.runs r
  where r.id = p.run_id and r.turn = p.turn and r.planning_status = 'running')`;

function isPart({ run_id, turn, part_id }: PartPlace) {
  return sql`p.run_id = ${run_id} and p.turn = ${turn} and p.part_id = ${part_id}`;
}

const until = (seconds: number) =>
  sql`clock_timestamp() + make_interval(secs => ${seconds}::float8)`;

/** @returns its attempt, from 1, or null if it is taken or ended, or its turn ended */
export async function claimPart(
  db: Queryable,
  place: PartPlace,
  leaseSeconds: number,
): Promise<{ attempt: number; scaffold: ScaffoldPart } | null> {
  return db.row(sql`
    update ${countersign}.planning_parts p
    set status = 'planning', attempt = p.attempt + 1, lease_until = ${until(leaseSeconds)},
      updated_at = clock_timestamp()
    where ${isPart(place)} and ${isCurrent}
      and (p.status = 'waiting' or (p.status = 'planning' and p.lease_until < clock_timestamp()))
    returning p.attempt, p.scaffold`);
}

/** @returns false if the lease was lost or the turn ended */
export async function keepPart(
  db: Queryable,
  place: PartPlace,
  attempt: number,
  leaseSeconds: number,
): Promise<boolean> {
  return db.hasRows(sql`
    update ${countersign}.planning_parts p set lease_until = ${until(leaseSeconds)}
    where ${isPart(place)} and p.attempt = ${attempt} and p.status = 'planning' and ${isCurrent}
    returning 1`);
}

export async function releasePart(db: Queryable, place: PartPlace, attempt: number): Promise<void> {
  await db.execute(sql`
    update ${countersign}.planning_parts p
    set status = 'waiting', lease_until = null, updated_at = clock_timestamp()
    where ${isPart(place)} and p.attempt = ${attempt} and p.status = 'planning'`);
}

export type PartEnd = {
  status: Extract<PartStatus, 'planned' | 'failed' | 'held'>;
  steps: StepDraft[];
  /** The assumptions made, or why it could not be planned. */
  message: string | null;
  cost_usd: number;
};

/** Deletes its session states and wakes the waiting planner. @returns false if it is a late attempt or the turn ended */
export async function settlePart(
  db: Queryable,
  place: PartPlace,
  attempt: number,
  { status, steps, message, cost_usd }: PartEnd,
): Promise<boolean> {
  const { run_id, turn, part_id } = place;
  return db.hasRows(sql`
    with settled as (
      update ${countersign}.planning_parts p
      set status = ${status}, steps = ${storable(steps)}::jsonb, step_count = ${steps.length},
        message = ${message === null ? null : makeStorable(message)}, cost_usd = ${cost_usd},
        lease_until = null, updated_at = clock_timestamp()
      where ${isPart(place)} and p.attempt = ${attempt} and p.status = 'planning' and ${isCurrent}
      returning p.run_id
    ), forgotten as (
      delete from ${countersign}.planning_checkpoints c using settled
      where c.run_id ^@ ${`${run_id}/${turn}/${part_id}/`}
    )
    select pg_notify(${schemaName}, 'parts:' || run_id) from settled`);
}

export type PartsProgress = {
  planned: number;
  ended: number;
  /** Waiting too long, or their planner is gone. */
  stalled: string[];
};

export async function readProgress(
  db: Queryable,
  { run_id, turn }: TurnPlace,
  parts: string[],
  waitedSeconds: number,
): Promise<PartsProgress> {
  const { rows } = await db.execute<PartsProgress>(sql`
    select count(*) filter (where status = 'planned')::int as planned,
      count(*) filter (where status not in ('waiting', 'planning'))::int as ended,
      coalesce(array_agg(part_id) filter (where lease_until < clock_timestamp()
        or (status = 'waiting' and updated_at < clock_timestamp() - make_interval(secs => ${waitedSeconds}))), '{}') as stalled
    from ${countersign}.planning_parts
    where run_id = ${run_id} and turn = ${turn} and part_id in ${parts}`);
  return rows[0] ?? { planned: 0, ended: 0, stalled: [] };
}

export async function failOpenParts(
  db: Queryable,
  { run_id, turn }: TurnPlace,
  parts: string[],
  message: string,
): Promise<void> {
  await db.execute(sql`
    update ${countersign}.planning_parts set status = 'failed', message = ${message}, lease_until = null,
      updated_at = clock_timestamp()
    where run_id = ${run_id} and turn = ${turn} and part_id in ${parts}
      and status in ('waiting', 'planning')`);
}

export type PartRow = {
  part_id: string;
  scaffold: ScaffoldPart;
  status: PartStatus;
  steps: StepDraft[] | null;
  message: string | null;
  cost_usd: number;
};

export async function readParts(
  db: Queryable,
  { run_id, turn }: TurnPlace,
  parts: string[],
): Promise<PartRow[]> {
  return db.rows(sql`
    select part_id, scaffold, status, steps, message, cost_usd from ${countersign}.planning_parts
    where run_id = ${run_id} and turn = ${turn} and part_id in ${parts}
    order by position, part_id`);
}

/** Up to this turn; per ID the latest planned one, otherwise the latest attempt. */
export async function readEndedParts(
  db: Queryable,
  { run_id, turn }: TurnPlace,
): Promise<{ part: ScaffoldPart; status: PartStatus; message: string | null }[]> {
  return db.rows(sql`
    select distinct on (scaffold ->> 'id') scaffold as part, status, message
    from ${countersign}.planning_parts
    where run_id = ${run_id} and turn <= ${turn} and status not in ('waiting', 'planning')
    order by scaffold ->> 'id', (status = 'planned') desc, updated_at desc`);
}

export async function readScaffold(
  db: Queryable,
  { run_id, turn }: TurnPlace,
): Promise<ScaffoldPart[]> {
  return db.values(sql`
    select scaffold from ${countersign}.planning_parts
    where run_id = ${run_id} and turn = ${turn} order by position, part_id`);
}

/** The waiting planner's heartbeat. @returns false if the turn ended */
export async function noteWaiting(db: Queryable, { run_id, turn }: TurnPlace): Promise<boolean> {
  return db.hasRows(sql`
    update ${countersign}.runs set updated_at = clock_timestamp()
    where id = ${run_id} and turn = ${turn} and planning_status = 'running' returning 1`);
}
