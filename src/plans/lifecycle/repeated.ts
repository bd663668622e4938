// Recognises a decision that the same person repeats; it succeeds without changes.
import { sql } from 'drizzle-orm';
import type { Queryable } from '#db/database.ts';
import { countersign } from '#db/schema.ts';
import type { Actor } from '#domain/people/actor.ts';
import type { PlanEvent } from './lifecycle-table.ts';

/** A decision of a person, under the name it has in the audit. */
type Made =
  | Extract<
      PlanEvent,
      'approve' | 'reject' | 'request_changes' | 'keep' | 'fail' | 'cancel' | 'resume' | 'retry'
    >
  | 'pause';

const decisions: (Made | PlanEvent)[] = [
  'approve',
  'reject',
  'request_changes',
  'escalate',
  'revise',
  'keep',
  'cancel',
  'expire',
  'pause',
  'resume',
  'retry',
];

/** As which entries of the audit a decision stands. */
function entriesOf(made: Made): string[] {
  if (made === 'approve') return ['approve', 'approve_in_part'];
  return made === 'request_changes' ? [made, 'escalate'] : [made];
}

/**
 * Whether `actor` has decided exactly this about version `version` of the plan already, and nothing else was decided since.
 * Asked only where a decision is about to be refused: it looks through the plan's audit.
 */
export async function isRepeated(
  q: Queryable,
  planId: string,
  made: Made,
  actor: Actor,
  about: { version: number; digest?: string; reason?: string | undefined; part?: string | null },
): Promise<boolean> {
  const entries = entriesOf(made);
  const others = decisions.filter((one) => !entries.includes(one));
  const textArray = (names: string[]) => sql`${sql.param(names)}::text[]`;
  const { rows } = await q.execute(sql`
    select 1 from ${countersign}.audit a
    where a.plan_id = ${planId} and a.actor = ${actor.id} and a.action = any(${textArray(entries)})
      and a.version = ${about.version} and a.data ->> 'part' is not distinct from ${about.part ?? null}
      and (a.reason is not distinct from ${about.reason ?? null} or a.data ? 'part')
      and a.digest is not distinct from coalesce(${about.digest ?? null}, a.digest)
      and not exists (
        select 1 from ${countersign}.audit later
        where later.plan_id = a.plan_id and later.id > a.id and later.action = any(${textArray(others)}))
    limit 1`);
  return rows.length > 0;
}
