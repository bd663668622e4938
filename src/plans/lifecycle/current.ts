// The current state of a plan, for the answer to a refused caller.
import type { PlanRow } from '#db/plans/plans.ts';

/** 14:02 UTC */
export function clockTime(date: Date | null): string {
  return date === null ? 'an unknown time' : `${date.toISOString().slice(11, 16)} UTC`;
}

/** The plan as a refused caller should see it now. */
export function currentOf(row: PlanRow): Record<string, unknown> {
  return {
    version: row.version,
    digest: row.digest,
    status: row.status,
    revision: row.revision,
    decided_by: row.decided_by,
    decided_at: row.decided_at?.toISOString() ?? null,
  };
}
