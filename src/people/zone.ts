// The time zone people mean: "tomorrow at 9:30" is the speaker's. A run keeps its requester's last known zone, and cards with
// several readers use it too.
import type { Queryable } from '#db/database.ts';
import { isOnePerson } from '#db/people/identities.ts';
import { type RunRow, readRun } from '#db/planning/runs.ts';
import { readPlanRow } from '#db/plans/plans.ts';
import type { Actor } from '#domain/people/actor.ts';
import { checkTimezone } from '#timeline/recurrence.ts';

/** The speaker's zone, or null if unknown or invalid. */
export function zoneOf({ timezone }: Actor): string | null {
  return timezone === undefined || checkTimezone(timezone) !== null ? null : timezone;
}

/**
 * The zone that a message gives a run, or null for no change. Only the requester's messages count: their working hours are in it.
 */
export async function readZoneOf(
  db: Queryable,
  actor: Actor,
  { user }: Pick<RunRow, 'user'>,
): Promise<string | null> {
  return (await isOnePerson(db, actor.id, user)) ? zoneOf(actor) : null;
}

/** A run's zone, or null if unknown. */
export async function readZoneOfRun(db: Queryable, runId: string): Promise<string | null> {
  return (await readRun(db, runId)).decision?.timezone ?? null;
}

/** The zone of the run that made a plan, or null if unknown. @throws `plan_not_found` */
export async function readZoneOfPlan(db: Queryable, planId: string): Promise<string | null> {
  const { run_id } = await readPlanRow(db, planId);
  return run_id === null ? null : readZoneOfRun(db, run_id);
}
