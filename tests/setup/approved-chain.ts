// Checks that a plan did only what was approved.
import { sql } from 'drizzle-orm';
import { expect } from 'vitest';
import type { Queryable } from '#db/database.ts';
import type { JsonObject } from '#domain/text.ts';

export type MadeCall = { step: string; operation: string; args: JsonObject };

/** Each change begins where the previous one ended; a person decided on widening ones. */
export async function checkChain(db: Queryable, planId: string): Promise<void> {
  const { rows } = await db.execute<{
    action: string;
    version: number;
    digest: string;
    base: string | null;
  }>(sql`
    select action, version, digest, data ->> 'base_digest' as base from countersign.audit
    where plan_id = ${planId} and action in ('approve', 'patch_applied') order by id`);
  const [approved, ...later] = rows;
  expect(approved?.action).toBe('approve');
  const versions = new Map([[approved?.version, approved?.digest]]);
  let digest = approved?.digest;
  for (const change of later.filter(({ action }) => action === 'patch_applied')) {
    expect(change.base).toBe(digest);
    digest = change.digest;
    versions.set(change.version, digest);
  }
  const { rows: now } = await db.execute<{ digest: string }>(
    sql`select digest from countersign.plans where id = ${planId}`,
  );
  expect(now).toEqual([{ digest }]);
  const { rows: kept } = await db.execute<{ version: number; digest: string }>(
    sql`select version, digest from countersign.plan_versions where plan_id = ${planId}`,
  );
  for (const version of kept)
    expect(versions.get(version.version), `version ${version.version}`).toBe(version.digest);
  const { rows: calls } = await db.execute<{ version: number }>(sql`
    select distinct version from countersign.audit where plan_id = ${planId} and action = 'call_allowed'`);
  for (const call of calls) expect([...versions.keys()]).toContain(call.version);
  const { rows: loose } = await db.execute(sql`
    select p.id from countersign.plan_patches p
    where p.plan_id = ${planId} and p.status = 'applied' and p.widening <> '{}' and not exists (
      select 1 from countersign.approvals a join countersign.audit d on d.plan_id = a.plan_id
        and d.action = 'patch_applied' and d.data ->> 'patch' = p.id and d.actor_kind = 'person' and d.actor = a.approver
      where a.plan_id = p.plan_id and a.approver = p.decided_by and a.digest = p.digest)`);
  expect(loose).toEqual([]);
}

async function readAllowed(db: Queryable, planId: string): Promise<MadeCall[]> {
  const { rows } = await db.execute<MadeCall>(sql`
    select a.step, s.tool || '_' || s.operation as operation, s.args
    from (
      select version, (data ->> 'attempt')::int as attempt, jsonb_array_elements_text(data -> 'steps') as step
      from countersign.audit where plan_id = ${planId} and action = 'call_allowed'
    ) a
    join (
      select step_id, tool, operation, args, since, until from countersign.plan_steps
      where plan_id = ${planId} and until is null
      union all
      select step_id, tool, operation, args, since, until from countersign.past_steps where plan_id = ${planId}
    ) s on s.step_id = a.step and s.since <= a.version and (s.until is null or s.until > a.version)
    order by a.step, a.attempt`);
  return rows;
}

/** One allowed attempt per call, with that version's arguments. */
export async function checkCalls(db: Queryable, planId: string, made: MadeCall[]): Promise<void> {
  const allowed = Map.groupBy(await readAllowed(db, planId), ({ step }) => step);
  for (const [step, calls] of Map.groupBy(made, (call) => call.step)) {
    const allowedCalls = allowed.get(step) ?? [];
    expect(calls, `calls of ${step}`).toEqual(allowedCalls);
  }
}
