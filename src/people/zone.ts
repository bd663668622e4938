// The time zone in which people mean their times: "tomorrow at 9:30" is the speaker's, wherever the instance runs. A run keeps the
// zone of its requester, as last known; cards with several readers use it too, so that they show the times that were agreed.
import type { Queryable } from '#db/database.ts';
import { isOnePerson } from '#db/people/identities.ts';
import { type RunRow, readRun } from '#db/planning/runs.ts';
import { readPlanRow } from '#db/plans/plans.ts';
import type { Actor } from '#domain/people/actor.ts';
import { checkTimezone } from '#timeline/recurrence.ts';

/** The speaker's zone; null: unknown or invalid. */
export function zoneOf({ timezone }: Actor): string | null {
  return timezone === undefined || checkTimezone(timezone) !== null ? null : timezone;
}

/**
 * The zone that words of `actor` give a run; null: they leave it as it is. Only the requester's words do: in their zone are
 * its working hours and days, which somebody else's wish does not move.
 */
export async function readZoneOf(
  db: Queryable,
  actor: Actor,
  { user }: Pick<RunRow, 'user'>,
): Promise<string | null> {
  return (await isOnePerson(db, actor.id, user)) ? zoneOf(actor) : null;
}

/** The zone of a run; null: nobody knows it. */
export async function readZoneOfRun(db: Queryable, runId: string): Promise<string | null> {
  return (await readRun(db, runId)).decision?.timezone ?? null;
}

/** The zone of the run that made a plan; null: nobody knows it. @throws `plan_not_found` */
export async function readZoneOfPlan(db: Queryable, planId: string): Promise<string | null> {
  const { run_id } = await readPlanRow(db, planId);
  return run_id === null ? null : readZoneOfRun(db, run_id);
}
