// Applies a patch to a stored plan. Callers hold the plan's lock.
import { sql } from 'drizzle-orm';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { accounting, changeSteps, type PlanProgress } from '../steps/accounting.ts';
import { isMet, isSkippedByCondition } from '../steps/conditions.ts';
import { insertEvents } from '../steps/events.ts';
import { type ChangeableContent, changeRecord, changeSettings } from '../steps/step-columns.ts';
import type { Edge, NewStep } from '../steps/steps.ts';
import { endable, noLane, notBegun } from './patch-reads.ts';

export type ChangedContent = ChangeableContent &
  Pick<NewStep, 'position' | 'seal' | 'review_rank' | 'lane'>;

const changedAtOnce = 1000;

/** From version `since` on; recounts partitions. */
export async function updateContents(
  tx: Queryable,
  planId: string,
  since: number,
  steps: ChangedContent[],
): Promise<void> {
  for (let from = 0; from < steps.length; from += changedAtOnce)
    await updateSome(tx, planId, since, steps.slice(from, from + changedAtOnce));
}

async function updateSome(
  tx: Queryable,
  planId: string,
  since: number,
  steps: ChangedContent[],
): Promise<void> {
  const counted = sql.raw(notBegun.join(', '));
  const sums = sql.raw(
    notBegun.map((s) => `coalesce(sum(n) filter (where status = '${s}'), 0) as ${s}`).join(', '),
  );
  const added = sql.raw(notBegun.map((s) => `${s} = p.${s} + excluded.${s}`).join(', '));
  await tx.execute(sql`
    with n as (
      select * from jsonb_to_recordset(${JSON.stringify(steps)}::jsonb) as n(
        position int, ${changeRecord}, seal text, review_rank smallint, lane int)
    ),
    moved as (
      select s.status, s.partition as old, n.partition as new
      from n join ${countersign}.step_states s on s.plan_id = ${planId} and s.position = n.position
      where s.partition is distinct from n.partition
    ),
    partitions as (
      insert into ${countersign}.plan_partitions as p (plan_id, name, ${counted})
      select ${planId}, name, ${sums} from (
        select new as name, status, 1 as n from moved where new is not null
        union all select old, status, -1 from moved where old is not null) m group by name
      on conflict (plan_id, name) do update set ${added}
    ),
    states as (
      update ${countersign}.step_states s set partition = n.partition, priority = n.priority, lane = n.lane
      from n where s.plan_id = ${planId} and s.position = n.position
    ),
    waits as (
      delete from ${countersign}.resource_waits w using n where w.plan_id = ${planId} and w.position = n.position
    )
    update ${countersign}.plan_steps c set ${changeSettings}, seal = n.seal, review_rank = n.review_rank, since = ${since}
    from n where c.plan_id = ${planId} and c.position = n.position`);
}

export async function deleteEdges(tx: Queryable, planId: string, edges: Edge[]): Promise<void> {
  if (edges.length === 0) return;
  await tx.execute(sql`
    delete from ${countersign}.plan_edges e
    using jsonb_to_recordset(${JSON.stringify(edges)}::jsonb) as g(predecessor int, successor int, type text)
    where e.plan_id = ${planId} and e.predecessor = g.predecessor and e.successor = g.successor and e.type = g.type`);
}

/** In an approved plan: rows end, but still show what was done. */
export async function leaveOutSteps(
  tx: Queryable,
  planId: string,
  until: number,
  positions: number[],
): Promise<void> {
  if (positions.length === 0) return;
  const gone = sql`${sql.param(positions)}::int[]`;
  await tx.execute(sql`
    delete from ${countersign}.plan_edges
    where plan_id = ${planId} and (predecessor = any(${gone}) or successor = any(${gone}))`);
  await tx.execute(sql`
    update ${countersign}.plan_steps set until = ${until} where plan_id = ${planId} and position = any(${gone})`);
  await changeSteps(tx, planId, {
    from: [...notBegun, ...endable],
    to: 'cancelled',
    kind: 'step_left_out',
    detail: 'removed by a change of the plan',
    where: sql`s.position = any(${gone})`,
    set: sql`, ended_at = coalesce(s.ended_at, clock_timestamp()), question = null, lane = ${noLane}`,
  });
}

/** In a proposal; the previous version keeps them. */
export async function deleteSteps(
  tx: Queryable,
  planId: string,
  positions: number[],
): Promise<void> {
  if (positions.length === 0) return;
  const gone = sql`${sql.param(positions)}::int[]`;
  await tx.execute(sql`
    with deleted as (
      delete from ${countersign}.step_states s where s.plan_id = ${planId} and s.position = any(${gone})
      returning s.position, s.step_id, s.partition, s.status
    ),
    contents as (
      delete from ${countersign}.plan_steps where plan_id = ${planId} and position = any(${gone})
    ),
    edges as (
      delete from ${countersign}.plan_edges
      where plan_id = ${planId} and (predecessor = any(${gone}) or successor = any(${gone}))
    ),
    changed as (
      select position, step_id, partition, status as from_status, null::text as to_status,
        'step_left_out'::text as kind, 'removed by a change of the proposal'::text as detail from deleted
    ),
    ${accounting(planId)}
    select * from plan`);
  await tx.execute(
    sql`update ${countersign}.plans set total = total - ${positions.length} where id = ${planId}`,
  );
}

/** An event for each added (then counted as pending) or changed step. */
export async function tellSteps(
  tx: Queryable,
  planId: string,
  kind: 'step_added' | 'step_changed',
  positions: number[],
): Promise<void> {
  if (positions.length === 0) return;
  const more = kind === 'step_added' ? positions.length : 0;
  await tx.execute(sql`
    with changed as (
      select s.step_id, s.status as to_status, ${kind}::text as kind, null::text as detail
      from ${countersign}.step_states s
      where s.plan_id = ${planId} and s.position = any(${sql.param(positions)}::int[])
    ),
    plan as (
      update ${countersign}.plans p set revision = p.revision + t.n, updated_at = clock_timestamp(),
        total = p.total + ${more}, pending = p.pending + ${more}
      from (select count(*)::int as n from changed) t where p.id = ${planId} returning p.revision, t.n
    )
    ${insertEvents(planId)}`);
}

/** Recounts prerequisites and start times of `successors`, and dependents of `predecessors`. Met prerequisites keep their lag. */
export async function recountSteps(
  tx: Queryable,
  planId: string,
  successors: number[],
  predecessors: number[],
): Promise<void> {
  if (successors.length > 0) {
    await tx.execute(sql`
      with needs as (
        select t.position, count(p.position) filter (where not m.met)::int as unmet,
          max(m.at + make_interval(mins => e.lag_minutes)) filter (where m.met and e.lag_minutes > 0) as lagged
        from unnest(${sql.param(successors)}::int[]) as t(position)
        left join ${countersign}.plan_edges e on e.plan_id = ${planId} and e.successor = t.position
        left join ${countersign}.step_states p on p.plan_id = ${planId} and p.position = e.predecessor
        left join lateral (
          select case when e.type in ('FS', 'FF') then ${isMet('p')}
              else p.attempt > 0 end as met,
            case when e.type in ('FS', 'FF') then p.ended_at else p.started_at end as at
        ) m on true
        group by t.position
      )
      update ${countersign}.step_states s set unmet = n.unmet,
        available_at = greatest(c.not_before, n.lagged, case when s.status = 'ready' then clock_timestamp() end)
      from needs n join ${countersign}.plan_steps c on c.plan_id = ${planId} and c.position = n.position
      where s.plan_id = ${planId} and s.position = n.position`);
  }
  if (predecessors.length > 0) {
    await tx.execute(sql`
      update ${countersign}.step_states s set dependents = n.dependents
      from (
        select t.position, count(x.position)::int as dependents
        from unnest(${sql.param(predecessors)}::int[]) as t(position)
        left join ${countersign}.plan_edges e on e.plan_id = ${planId} and e.predecessor = t.position
        left join ${countersign}.step_states x
          on x.plan_id = ${planId} and x.position = e.successor and x.lane <> ${noLane}
        group by t.position
      ) n
      where s.plan_id = ${planId} and s.position = n.position and s.dependents <> n.dependents`);
  }
}

/** Skipped after a failure they no longer depend on, and those skipped after them. */
export async function reviveSteps(
  tx: Queryable,
  planId: string,
  positions: number[],
): Promise<number[]> {
  const { rows } = await tx.execute<{ position: number }>(sql`
    with recursive reached(position) as (
      select s.position from ${countersign}.step_states s
      where s.plan_id = ${planId} and s.position = any(${sql.param(positions)}::int[]) and s.status = 'skipped'
        and not ${isSkippedByCondition('s')}
      union
      select s.position from reached r
      join ${countersign}.plan_edges e on e.plan_id = ${planId} and e.predecessor = r.position
      join ${countersign}.step_states s on s.plan_id = ${planId} and s.position = e.successor and s.status = 'skipped'
        and not ${isSkippedByCondition('s')}
    ),
    candidates as materialized (select position from reached),
    dead(position) as (
      select c.position from candidates c
      join ${countersign}.plan_edges e on e.plan_id = ${planId} and e.successor = c.position
      join ${countersign}.step_states p on p.plan_id = ${planId} and p.position = e.predecessor
      where (p.status = 'failed' and e.type in ('FS', 'FF')) or p.status = 'cancelled'
        or (p.status = 'skipped' and not ${isSkippedByCondition('p')}
          and p.position not in (select position from candidates))
      union
      select e.successor from dead d
      join ${countersign}.plan_edges e on e.plan_id = ${planId} and e.predecessor = d.position
      join candidates c on c.position = e.successor
    )
    select position from candidates where position not in (select position from dead)`);
  const revived = rows.map(({ position }) => position);
  if (revived.length > 0) {
    await changeSteps(tx, planId, {
      from: ['skipped'],
      to: 'pending',
      kind: 'step_pending',
      detail: 'what it waited for was changed',
      where: sql`s.position = any(${sql.param(revived)}::int[])`,
      set: sql`, ended_at = null`,
    });
  }
  return revived;
}

/** @param running steps without prerequisites become ready, instead of staying pending */
export async function settleReadiness(
  tx: Queryable,
  planId: string,
  positions: number[],
  running: boolean,
): Promise<PlanProgress | null> {
  if (positions.length === 0) return null;
  const among = sql`s.position = any(${sql.param(positions)}::int[])`;
  const held = await changeSteps(tx, planId, {
    from: ['ready'],
    to: 'pending',
    kind: 'step_pending',
    detail: 'it waits for another step now',
    where: sql`${among} and s.unmet > 0`,
  });
  const freed = running
    ? await changeSteps(tx, planId, {
        from: ['pending'],
        to: 'ready',
        kind: 'step_ready',
        where: sql`${among} and s.unmet = 0`,
        set: sql`, available_at = greatest(s.available_at, clock_timestamp())`,
      })
    : null;
  return freed ?? held;
}
