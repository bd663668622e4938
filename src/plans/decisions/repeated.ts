// Recognises repeated decisions, which succeed without changes.
import { sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '#db/database.ts';
import { lockPlan, type PlanRow } from '#db/plans/plans.ts';
import { countersign } from '#db/schema.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import { requireManager } from '../authority/authority.ts';
import { currentOf, type Ruling } from '../lifecycle/decide.ts';
import type { PlansContext } from '../plans-context.ts';

const made = [
  'approve',
  'reject',
  'request_changes',
  'keep',
  'fail',
  'cancel',
  'pause',
  'resume',
  'retry',
] as const;
type Made = (typeof made)[number];

const decisions = [...made, 'escalate', 'revise', 'expire'];

/** The audit actions of a decision. */
function entriesOf(one: Made): string[] {
  if (one === 'approve') return ['approve', 'approve_in_part'];
  return one === 'request_changes' ? [one, 'escalate'] : [one];
}

/** With no other decision since. Searches the audit, so only called before a refusal. */
export async function wasMadeBefore(
  q: Queryable,
  planId: string,
  decision: Made,
  actor: Actor,
  about: { version: number; digest?: string; reason?: string | undefined; part?: string | null },
): Promise<boolean> {
  const entries = entriesOf(decision);
  const others = decisions.filter((one) => !entries.includes(one));
  const textArray = (names: string[]) => sql`${sql.param(names)}::text[]`;
  return q.hasRows(sql`
    select 1 from ${countersign}.audit a
    where a.plan_id = ${planId} and a.actor = ${actor.id} and a.action = any(${textArray(entries)})
      and a.version = ${about.version} and a.data ->> 'part' is not distinct from ${about.part ?? null}
      and (a.reason is not distinct from ${about.reason ?? null} or a.data ? 'part')
      and a.digest is not distinct from coalesce(${about.digest ?? null}, a.digest)
      and not exists (
        select 1 from ${countersign}.audit later
        where later.plan_id = a.plan_id and later.id > a.id and later.action = any(${textArray(others)})
          and not (later.action = 'fail' and later.actor_kind = 'system'))
    limit 1`);
}

/** For versions unchanged since. */
export const checkRepeated =
  (
    id: string,
    decision: Made,
    actor: Actor,
    about: { version: number; reason?: string | undefined },
    isLeft: (row: PlanRow) => boolean,
  ) =>
  async (q: Queryable, row: PlanRow): Promise<boolean> =>
    row.version === about.version && isLeft(row) && wasMadeBefore(q, id, decision, actor, about);

/** @throws `stale_version` */
export function requireVersion(row: PlanRow, version: number): void {
  if (row.version === version) return;
  throw new CountersignError(
    'stale_version',
    `Your decision was about version ${version}; the current version is ${row.version}. Read it and decide again.`,
    { details: { current: currentOf(row) } },
  );
}

export function managedPlan(context: PlansContext, id: string, actor: Actor) {
  return {
    lock: (tx: Transaction) => lockPlan(tx, id),
    requireAllowed: (q: Queryable, row: PlanRow) => requireManager(q, context, row, actor),
  };
}

export type PlanRuling<Outcome = PlanRow> = Ruling<PlanRow, void, Outcome>;
