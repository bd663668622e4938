// Restricts people to plans of their organisation.
import { keepReadable } from '#db/chat/conversation-readers.ts';
import type { Queryable } from '#db/database.ts';
import { readEveryName } from '#db/people/identities.ts';
import { readRun, tenantOfTurn } from '#db/planning/runs.ts';
import { readOpenQuestions } from '#db/plans/groups.ts';
import { readPlanRow } from '#db/plans/plans.ts';
import { isConversationWithin, isRunWithin, keepWithin, type Within } from '#db/plans/within.ts';
import type { ConversationReader } from '#domain/chat/conversation-list.ts';
import { isSamePerson, personKey } from '#domain/people/names.ts';
import type { PlanScope, ScopedSubject } from '#domain/plan/scope.ts';
import type { PlanReads, ServeWithin } from '#domain/service.ts';
import { readGroupNames } from '#plans/authority/members.ts';
import type { Asking } from './waiting-for.ts';

/** Not cached: links and tasks change. */
export async function readWithin(
  { db, approvers, guardedApprovers, grouping }: Asking,
  { tenant, reader }: PlanScope,
): Promise<Within> {
  const names = await readEveryName(db.query, reader);
  const asked = [...names, ...(await readGroupNames(db.query, grouping, names))];
  const tasks = (await readOpenQuestions(db.query, { keys: names.map(personKey) })).filter(
    ({ tool, assignee }) =>
      tool === 'human' && assignee !== null && names.some((name) => isSamePerson(name, assignee)),
  );
  const operations = Object.entries(guardedApprovers).flatMap(([operation, policy]) =>
    'people' in policy && policy.people.some((one) => asked.includes(one)) ? [operation] : [],
  );
  return {
    tenant,
    names,
    asked,
    tasks: tasks.map(({ plan_id }) => plan_id),
    approves: approvers.some((one) => asked.includes(one)),
    operations,
  };
}

async function findWords(db: Queryable, subject: ScopedSubject): Promise<string | null> {
  if ('conversation' in subject) return subject.conversation;
  if ('run_id' in subject) return (await readRun(db, subject.run_id)).conversation;
  return subject.words === true ? (await readPlanRow(db, subject.plan_id)).conversation : null;
}

/**
 * @param scope null for any organisation
 * @param reader only their own conversations; omitted for chats, which know their members
 */
export async function isSubjectWithin(
  context: Asking,
  scope: PlanScope | null,
  subject: ScopedSubject,
  reader?: ConversationReader,
): Promise<boolean> {
  const db = context.db.query;
  if (scope !== null && !(await isOfOrganisation(context, scope, subject))) return false;
  if (reader === undefined) return true;
  const words = await findWords(db, subject);
  return words === null || (await keepReadable(db, [words], reader)).has(words);
}

async function isOfOrganisation(
  context: Asking,
  scope: PlanScope,
  subject: ScopedSubject,
): Promise<boolean> {
  const db = context.db.query;
  if ('conversation' in subject) return isConversationWithin(db, subject.conversation, scope);
  const within = await readWithin(context, scope);
  if ('run_id' in subject) return isRunWithin(db, subject.run_id, within);
  return (await keepWithin(db, [subject.plan_id], within)).size > 0;
}

/** Null for all. @param apart several organisations share the instance */
export async function findPlansOfRun(
  db: Queryable,
  serve: ServeWithin,
  apart: boolean,
  runId: string,
): Promise<PlanReads | null> {
  if (!apart) return null;
  const run = await readRun(db, runId);
  const tenant = tenantOfTurn(run);
  return tenant === null ? null : serve({ tenant, reader: run.user });
}
