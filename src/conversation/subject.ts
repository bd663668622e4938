// What a conversation is about: the runs that were begun in it, and the plans that were made or shown there.
import type { Queryable } from '#store/database.ts';
import { isShownIn } from '#store/messages.ts';
import { readPlanRow } from '#store/plans.ts';
import { readRun } from '#store/runs.ts';

/** @throws `plan_not_found`, `run_not_found` */
export async function isAbout(
  db: Queryable,
  conversation: string,
  subject: { plan_id: string } | { run_id: string },
): Promise<boolean> {
  if ('run_id' in subject) return (await readRun(db, subject.run_id)).conversation === conversation;
  const plan = await readPlanRow(db, subject.plan_id);
  return plan.conversation === conversation || isShownIn(db, conversation, subject.plan_id);
}
