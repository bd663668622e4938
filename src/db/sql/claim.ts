// Claims ready steps: leases, counts and audits in one statement.
import { type SQL, sql } from 'drizzle-orm';
import type { Step } from '#domain/plan/plan.ts';
import type { SealedField } from '#domain/plan/step-content.ts';
import type { JsonObject } from '#domain/text.ts';
import { prepareStatement, type Queryable, type Transaction } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { accounting } from '../steps/accounting.ts';
import { sealedColumns } from '../steps/step-columns.ts';
import { isoOf } from '../time.ts';

/** `attempt` is the fencing token. */
export type ClaimedStep = Pick<
  Step,
  Exclude<SealedField, 'id'> | 'position' | 'description' | 'effect' | 'guarded' | 'attempt'
> & {
  step_id: string;
  lane: number;
  waited: number;
  /** Attempts since a person or the plan's start made it ready; 1 for the first. */
  tries: number;
  final_args: JsonObject | null;
  /** Null if proposed before seals were kept. */
  seal: string | null;
};

/** Who claims, for how long, and the audit's reasons by lane (none: nothing recorded yet). */
export type ClaimTerms = {
  worker: string;
  leaseSeconds: number;
  version: number;
  calls: Record<number, { operation: string; reason: string }>;
};

const plan = sql.placeholder('plan');
const worker = sql.placeholder('worker');
const calls = sql`${sql.placeholder('calls')}::jsonb`;
const order = sql.raw('best.priority desc, best.dependents desc, best.available_at, best.position');

export const allowCalls = (source: 'claimed' | 'started'): SQL => sql`
  ${sql.raw(`allowed_${source}`)} as (
    insert into ${countersign}.audit (plan_id, actor, actor_kind, via, action, version, reason, data)
    select ${plan}, 'countersign', 'system', 'system', 'call_allowed', ${sql.placeholder('version')}::int,
      ${calls} -> lane::text ->> 'reason',
      jsonb_build_object('operation', ${calls} -> lane::text ->> 'operation',
        'attempt', attempt, 'steps', to_jsonb(array_agg(step_id order by position)))
    from ${sql.raw(source)} where ${calls} ? lane::text group by lane, attempt
  )`;

/** `s` is `plan_steps`. */
const neededColumns = sql`s.description, s.effect, s.guarded, s.seal, ${sealedColumns}`;

/** Best first. By position and name, since either index may serve. */
export const contentsOf = (source: 'claimed' | 'started'): SQL => sql`
  select c.position, c.step_id, c.lane, c.attempt, c.tries, c.final_args, content.*,
    extract(epoch from clock_timestamp() - c.available_at)::float8 as waited
  from ${sql.raw(source)} c cross join lateral (
    select ${neededColumns} from ${countersign}.plan_steps s
    where s.plan_id = ${plan} and s.position = c.position and s.step_id = c.step_id offset 0
  ) content
  order by c.priority desc, c.dependents desc, c.available_at, c.position`;

const candidatesOf = (columns: string, where: SQL = sql`true`): SQL => sql`
  select c.* from unnest(${sql.placeholder('lanes')}::int[]) l(lane)
  cross join lateral (
    select ${sql.raw(columns)} from ${countersign}.step_states s
    where s.plan_id = ${plan} and s.lane = l.lane and s.queued_at <= clock_timestamp() and ${where}
    order by s.priority desc, s.dependents desc, s.queued_at, s.position limit ${sql.placeholder('limit')}
  ) c`;

/** `picked`: ready positions, read under the plan's lock. Rechecking the status would scan the index of all ready steps. */
const claimOf = (picked: SQL): SQL => sql`
  with picked as materialized (${picked}),
  claimed as (
    update ${countersign}.step_states s set status = 'running', attempt = s.attempt + 1, tries = s.tries + 1,
      lease_owner = ${worker},
      lease_until = clock_timestamp() + make_interval(secs => ${sql.placeholder('seconds')}),
      started_at = clock_timestamp(), called_at = null, ended_at = null, error = null, result_summary = null,
      question = null
    where s.plan_id = ${plan} and s.position = any(array(select position from picked))
    returning s.position, s.step_id, s.partition, s.lane, s.attempt, s.tries, s.final_args, s.priority, s.dependents,
      s.available_at
  ),
  ${allowCalls('claimed')},
  changed as (
    select position, step_id, partition, 'ready' as from_status, 'running' as to_status,
      'step_started' as kind, null::text as detail from claimed
  ),
  ${accounting(plan)}
  ${contentsOf('claimed')}`;

const claimBest = prepareStatement(
  'claim_best',
  claimOf(
    sql`select position from (${candidatesOf('s.position, s.priority, s.dependents, s.available_at')}) best
      order by ${order} limit ${sql.placeholder('limit')}`,
  ),
);
const claimThese = prepareStatement(
  'claim_these',
  claimOf(sql`select unnest(${sql.placeholder('positions')}::int[]) as position`),
);
/** Step `s` fits the total of each pool. Others would block fitting steps of their lane. */
const canEverFit = sql`not exists (
  select 1 from ${countersign}.plan_steps c
  cross join lateral jsonb_each_text(c.resources) need
  join ${countersign}.resource_pools p on p.name = need.key
  where c.plan_id = s.plan_id and c.position = s.position and c.step_id = s.step_id
    and p.name = any(${sql.placeholder('pools')}::text[]) and need.value::numeric > p.capacity - p.headroom
)`;

const candidates = prepareStatement(
  'claim_candidates',
  sql`select best.position, content.resources
    from (${candidatesOf('s.position, s.priority, s.dependents, s.available_at', canEverFit)}) best
    cross join lateral (
      select s.resources from ${countersign}.plan_steps s where s.plan_id = ${plan} and s.position = best.position offset 0
    ) content
    order by ${order}`,
);

export function claimValues(planId: string, { worker, leaseSeconds, version, calls }: ClaimTerms) {
  return { plan: planId, worker, seconds: leaseSeconds, version, calls: JSON.stringify(calls) };
}

/** By priority, dependents, then age. The caller holds the plan's lock and knows it is executing. */
export function claimBestSteps(
  tx: Transaction,
  planId: string,
  lanes: number[],
  limit: number,
  terms: ClaimTerms,
): Promise<ClaimedStep[]> {
  return tx.run<ClaimedStep>(claimBest, { ...claimValues(planId, terms), lanes, limit });
}

/** The caller has read them as ready under the plan's lock. */
export function claimStepsAt(
  tx: Transaction,
  planId: string,
  positions: number[],
  terms: ClaimTerms,
): Promise<ClaimedStep[]> {
  return tx.run<ClaimedStep>(claimThese, { ...claimValues(planId, terms), positions });
}

/** Up to `limit` per lane in claim order, without those that need more of a pool than `pools` has. */
export function readCandidates(
  tx: Transaction,
  planId: string,
  lanes: number[],
  pools: string[],
  limit: number,
): Promise<{ position: number; resources: Record<string, number> }[]> {
  return tx.run(candidates, { plan: planId, lanes, pools, limit });
}

export type NextAvailable = {
  /** ISO 8601 in UTC, to the microsecond. */
  at: string;
  in_ms: number;
};

export async function readNextAvailable(
  tx: Queryable,
  planId: string,
): Promise<NextAvailable | null> {
  return tx.row(sql`
    select ${isoOf('available_at', 'microseconds')} as at,
      ceil(extract(epoch from available_at - clock_timestamp()) * 1000)::float8 as in_ms
    from ${countersign}.step_states
    where plan_id = ${planId} and queued_at > clock_timestamp()
    order by available_at limit 1`);
}
