// A plan's invariants while nothing is being written.
import { sql } from 'drizzle-orm';
import { expect } from 'vitest';
import type { Queryable } from '#db/database.ts';
import { readPlanRow } from '#db/plans/plans.ts';
import { countsOf } from '#db/steps/accounting.ts';
import { StepStatus } from '#domain/plan/plan.ts';

export type StepRow = {
  step_id: string;
  position: number;
  partition: string | null;
  status: StepStatus;
  unmet: number;
  dependents: number;
  attempt: number;
  lane: number;
  attempts: number;
  /** Microseconds since 1970. */
  first_start: number | null;
  success: number | null;
  first_success: number | null;
};

export async function readStepRows(db: Queryable, planId: string): Promise<StepRow[]> {
  const { rows } = await db.execute<StepRow>(sql`
    select s.step_id, s.position, s.partition, s.status, s.unmet, s.dependents, s.attempt, s.lane,
      count(a.*)::int as attempts,
      least(min(extract(epoch from a.started_at)), extract(epoch from min(s.started_at)))::float8 * 1e6 as first_start,
      (case when s.status = 'succeeded' or s.error ->> 'code' = 'condition_not_met' then extract(epoch from min(s.ended_at)) * 1e6 end)::float8 as success,
      (extract(epoch from min(a.ended_at) filter (where a.status in ('succeeded', 'skipped'))) * 1e6)::float8 as first_success
    from countersign.step_states s left join countersign.step_attempts a using (plan_id, position)
    where s.plan_id = ${planId} group by s.plan_id, s.position order by s.position`);
  return rows;
}

function countStatuses(rows: StepRow[]): Record<string, number> {
  const counts = Object.fromEntries(StepStatus.options.map((status) => [status, 0]));
  for (const { status } of rows) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

const countTotal = (counts: Record<StepStatus, number>) =>
  StepStatus.options.reduce((sum, status) => sum + counts[status], 0);

/** Against a full count. */
async function checkCounters(db: Queryable, planId: string, rows: StepRow[]): Promise<void> {
  const row = await readPlanRow(db, planId);
  expect(countsOf(row), 'counters').toEqual(countStatuses(rows));
  expect(row.total, 'total').toBe(rows.length);
  const { rows: partitions } = await db.execute<Record<StepStatus, number> & { name: string }>(
    sql`select * from countersign.plan_partitions where plan_id = ${planId}`,
  );
  for (const partition of partitions) {
    const own = rows.filter((step) => step.partition === partition.name);
    expect(countsOf(partition), `counters of ${partition.name}`).toEqual(countStatuses(own));
  }
  const { rows: blocks } = await db.execute<Record<StepStatus, number> & { block: number }>(
    sql`select * from countersign.step_blocks where plan_id = ${planId}`,
  );
  const byBlock = Map.groupBy(rows, ({ position }) => Math.floor(position / 128));
  for (const block of blocks) {
    const own = byBlock.get(block.block) ?? [];
    expect(countsOf(block), `counters of block ${block.block}`).toEqual(countStatuses(own));
  }
  expect(new Set(blocks.map(({ block }) => block))).toEqual(
    new Set([...byBlock.keys(), ...blocks.filter((b) => countTotal(b) === 0).map((b) => b.block)]),
  );
}

/** No step began before its prerequisites were met once. */
async function checkEdges(db: Queryable, planId: string, rows: StepRow[]): Promise<void> {
  const { rows: edges } = await db.execute<{
    predecessor: number;
    successor: number;
    type: string;
    lag_minutes: number;
  }>(
    sql`select predecessor, successor, type, lag_minutes from countersign.plan_edges where plan_id = ${planId}`,
  );
  const byPosition = new Map(rows.map((row) => [row.position, row]));
  const waitsFor = Map.groupBy(edges, ({ successor }) => successor);
  const after = Map.groupBy(edges, ({ predecessor }) => predecessor);
  for (const row of rows) {
    // A step removed by a patch has a row but no edges.
    if (row.lane === 0) continue;
    let open = 0;
    for (const { predecessor, type, lag_minutes } of waitsFor.get(row.position) ?? []) {
      const met = metBy(byPosition.get(predecessor), type);
      if (met === null) open++;
      // Dependents of a step that became stale or runs again began after its earlier run.
      const before = byPosition.get(predecessor);
      const done = type === 'SS' || type === 'SF' ? met : (before?.first_success ?? met);
      if (row.first_start === null || (done === null && (before?.attempts ?? 0) > 0)) continue;
      expect(done, `${row.step_id} began without ${predecessor}`).not.toBeNull();
      const lag = Math.max(lag_minutes, 0) * 60_000_000;
      expect(row.first_start).toBeGreaterThanOrEqual((done ?? Number.POSITIVE_INFINITY) + lag);
    }
    expect(row.unmet, `unmet of ${row.step_id}`).toBe(open);
    expect(row.dependents, `dependents of ${row.step_id}`).toBe(
      after.get(row.position)?.length ?? 0,
    );
  }
}

function metBy(predecessor: StepRow | undefined, type: string): number | null {
  if (predecessor === undefined) return null;
  return type === 'SS' || type === 'SF' ? predecessor.first_start : predecessor.success;
}

/** Revisions have no gap, and lead to the stored state. */
async function checkEvents(db: Queryable, planId: string, rows: StepRow[]): Promise<void> {
  const { rows: events } = await db.execute<{
    revision: number;
    step_id: string | null;
    status: string | null;
  }>(
    sql`select e.revision - e.n + coalesce(t.nth, 1) as revision, t.step_id, e.status from countersign.plan_events e
      left join lateral unnest(e.step_ids) with ordinality t(step_id, nth) on true
      where e.plan_id = ${planId} order by 1`,
  );
  const plan = await readPlanRow(db, planId);
  expect(events.map(({ revision }) => revision)).toEqual(events.map((_, index) => index + 1));
  expect(plan.revision).toBe(events.length);
  expect(
    events.findLast(({ step_id, status }) => step_id === null && status !== null)?.status,
  ).toBe(plan.status);
  const now = new Map<string, string>(rows.map(({ step_id }) => [step_id, 'pending']));
  for (const { step_id, status } of events) {
    if (step_id !== null && status !== null) now.set(step_id, status);
  }
  const stored = rows.map(({ step_id, status }) => [step_id, status]);
  expect(Object.fromEntries(now)).toEqual(Object.fromEntries(stored));
}

async function checkReservations(db: Queryable): Promise<void> {
  const { rows } = await db.execute<{
    name: string;
    in_use: string;
    held: string;
    free: boolean;
  }>(sql`
    select p.name, p.in_use::text, coalesce(sum(r.amount), 0)::text as held,
      p.in_use <= p.capacity - p.headroom as free
    from countersign.resource_pools p left join countersign.reservations r on r.pool = p.name group by p.name`);
  for (const { name, in_use, held, free } of rows) {
    expect(Number(in_use), `in use of ${name}`).toBe(Number(held));
    expect(free, `${name} is overcommitted`).toBe(true);
  }
  const { rows: orphans } = await db.execute(sql`
    select r.* from countersign.reservations r left join countersign.step_states s
      on s.plan_id = r.plan_id and s.position = r.position and s.status = 'running' where s.position is null`);
  expect(orphans).toEqual([]);
}

/** No gap; an ended step has a record of its last one. */
function checkAttempts(rows: StepRow[]): void {
  for (const { step_id, status, attempt, attempts } of rows) {
    expect(attempts, `attempts of ${step_id}`).toBe(status === 'running' ? attempt - 1 : attempt);
  }
}

/** Only running steps have one; its end is null while work continues without a worker. */
async function checkLeases(db: Queryable, planId: string): Promise<void> {
  const { rows } = await db.execute(sql`
    select step_id, status, lease_owner, lease_until from countersign.step_states
    where plan_id = ${planId} and (status = 'running') <> (lease_owner is not null and (lease_until is not null or lease_owner = 'later'))
      or plan_id = ${planId} and status <> 'running' and (lease_owner is not null or lease_until is not null)`);
  expect(rows, 'leases').toEqual([]);
}

export async function checkPlan(db: Queryable, planId: string): Promise<StepRow[]> {
  const rows = await readStepRows(db, planId);
  await checkCounters(db, planId, rows);
  await checkEdges(db, planId, rows);
  await checkEvents(db, planId, rows);
  await checkReservations(db);
  checkAttempts(rows);
  await checkLeases(db, planId);
  return rows;
}
