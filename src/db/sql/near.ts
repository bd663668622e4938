// Steps that a change may affect. Callers hold the plan's lock or preview.
import { sql } from 'drizzle-orm';
import type { StepSelector } from '#domain/plan/step-selector.ts';
import type { JsonObject } from '#domain/text.ts';
import type { Effect } from '#domain/tool.ts';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import type { Edge } from '../steps/steps.ts';
import { affectedBy, positionsOf } from './impact.ts';
import { noLane } from './patch-reads.ts';

type NearRow = {
  id: string;
  position: number;
  label: string;
  tool: string;
  operation: string;
  effect: Effect;
  args: JsonObject;
  open: boolean;
  conditional: boolean;
};

/** Unfinished steps and those at `again`, by position; up to `limit` + 1. @param without arguments to omit, being long */
export async function readNearSteps(
  db: Queryable,
  planId: string,
  again: number[],
  without: string[],
  limit: number,
): Promise<NearRow[]> {
  return db.rows(sql`
    select c.step_id as id, c.position, coalesce(c.label, c.position::text) as label, c.tool, c.operation, c.effect,
      c.args - ${sql.param(without)}::text[] as args,
      c.args::text ~ '"\\$(from|artifact|template|decide)"' as open, c."when" is not null as conditional
    from ${countersign}.step_states s
    join ${countersign}.plan_steps c on c.plan_id = s.plan_id and c.position = s.position
    where s.plan_id = ${planId} and s.lane <> ${noLane}
      and (s.status not in ('succeeded', 'cancelled') or s.position = any(${sql.param(again)}::int[]))
    order by s.position limit ${limit + 1}`);
}

export async function readEdgesAmong(
  db: Queryable,
  planId: string,
  positions: number[],
): Promise<Edge[]> {
  if (positions.length === 0) return [];
  return db.rows(sql`
    with known as materialized (select unnest(${sql.param(positions)}::int[]) as position)
    select e.predecessor, e.successor, e.type, e.lag_minutes from ${countersign}.plan_edges e
    where e.plan_id = ${planId} and e.predecessor in (select position from known)
      and e.successor in (select position from known)`);
}

export async function findHeld(
  db: Queryable,
  planId: string,
  selector: StepSelector,
): Promise<number[]> {
  return db.values(sql`
    with recursive ${affectedBy(planId, positionsOf(planId, selector), true)}
    select position from affected`);
}

/** Their arguments name one of these partitions or tags. */
export async function findGroupReaders(
  db: Queryable,
  planId: string,
  partitions: string[],
  tags: string[],
): Promise<{ label: string; partition: string | null; tag: string | null }[]> {
  if (partitions.length + tags.length === 0) return [];
  return db.rows(sql`
    select coalesce(label, position::text) as label, args ->> 'partition' as partition, args ->> 'tag' as tag
    from ${countersign}.plan_steps
    where plan_id = ${planId} and (args ->> 'partition' = any(${sql.param(partitions)}::text[])
      or args ->> 'tag' = any(${sql.param(tags)}::text[]))
    order by position`);
}
