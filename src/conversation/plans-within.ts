// Which plans people of one organisation see where several share an instance: those in its own chats, and those they requested or are
// asked in outside any chat. Never a plan in another organisation's chat.
import { findPlaceOf } from '#db/chat-places.ts';
import type { Queryable } from '#db/database.ts';
import { readNamesOf, readPerson } from '#db/identities.ts';
import { readOpenQuestions } from '#db/plan-groups.ts';
import { readPlanStats } from '#db/plan-stats.ts';
import { listPlans, planNotFound } from '#db/plans.ts';
import { keepWithin, type Within } from '#db/plans-within.ts';
import { readRun } from '#db/runs.ts';
import type { Platform } from '#domain/chat/inbox.ts';
import { isSamePerson } from '#domain/people/names.ts';
import type { PlanReads, PlanScope, ReadWithin } from '#domain/plan/scope.ts';
import type { Service } from '#domain/service.ts';
import { nameRequesters } from '#people/people-named.ts';
import { nameInbox, readInbox } from './inbox.ts';
import type { Asking } from './waiting-for.ts';

/** Read afresh each time: an account can be linked and a task be asked meanwhile. */
async function readWithin(
  { db, approvers, guardedApprovers }: Asking,
  { platform, tenant, reader }: PlanScope,
): Promise<Within> {
  const person = await readPerson(db.query, reader);
  const names = (await readNamesOf(db.query, [person])).map(({ name }) => name);
  const tasks = (await readOpenQuestions(db.query, null)).filter(
    ({ tool, assignee }) =>
      tool === 'human' && assignee !== null && names.some((name) => isSamePerson(name, assignee)),
  );
  const operations = Object.entries(guardedApprovers).flatMap(([operation, policy]) =>
    'people' in policy && policy.people.some((one) => names.includes(one)) ? [operation] : [],
  );
  return {
    platform,
    tenant,
    names,
    tasks: tasks.map(({ plan_id }) => plan_id),
    approves: approvers.some((one) => names.includes(one)),
    operations,
  };
}

/** @param service what reads plans that are within */
export function createReadWithin(
  context: Asking,
  service: Pick<Service, keyof PlanReads | 'shownNames'>,
): ReadWithin {
  const db = context.db.query;
  return (scope) => {
    /** @throws `plan_not_found`, as of a plan that does not exist */
    const check = async (id: string) => {
      const shown = await keepWithin(db, [id], await readWithin(context, scope));
      if (!shown.has(id)) throw planNotFound(id);
    };
    const reads: PlanReads = {
      async listPlans({ user, ...filter }) {
        const within = await readWithin(context, scope);
        const names =
          user === undefined ? null : await readNamesOf(db, [await readPerson(db, user)]);
        const asked = names === null ? {} : { requesters: names.map(({ name }) => name) };
        const { plans, next_cursor } = await listPlans(db, { ...filter, ...asked, within });
        return { plans: await nameRequesters(service, plans), next_cursor };
      },
      async inbox(query) {
        const within = await readWithin(context, scope);
        const user = await readPerson(db, query.user);
        return nameInbox(service, await readInbox(context, { ...query, user }, within));
      },
      stats: async (leastPeople) =>
        readPlanStats(db, await readWithin(context, scope), leastPeople),
      async getPlan(id) {
        await check(id);
        return service.getPlan(id);
      },
      async listSteps(id, filter) {
        await check(id);
        return service.listSteps(id, filter);
      },
      async card(id, viewer) {
        await check(id);
        return service.card(id, viewer);
      },
      async *exportMarkdown(id) {
        await check(id);
        yield* service.exportMarkdown(id);
      },
      async *exportLog(id) {
        await check(id);
        yield* service.exportLog(id);
      },
      async trace(id) {
        await check(id);
        return service.trace(id);
      },
    };
    return reads;
  };
}

/**
 * The plans that a planner may show in a run; null: all of the instance.
 * @param apart platforms on which several organisations share the instance
 */
export async function findPlansOfRun(
  db: Queryable,
  readWithin: ReadWithin,
  apart: Platform[],
  runId: string,
): Promise<PlanReads | null> {
  if (apart.length === 0) return null;
  const { conversation, user } = await readRun(db, runId);
  const place = await findPlaceOf(db, conversation);
  if (place === null || !apart.includes(place.platform)) return null;
  return readWithin({ ...place, reader: user });
}
