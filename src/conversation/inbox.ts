// The inbox of one person: every plan in exactly one of five groups. What waits for them comes first; the rest is by status.
import { decodeCursor, encodeCursor } from '#db/cursor.ts';
import type { Queryable } from '#db/database.ts';
import { findCalled, readNamesOf, readPerson } from '#db/identities.ts';
import {
  countGroups,
  type GroupFilter,
  type GroupPlace,
  readGroup,
  readStepNames,
} from '#db/plan-groups.ts';
import { readSummaries } from '#db/plans.ts';
import type { Within } from '#db/plans-within.ts';
import { plainName } from '#domain/people/names.ts';
import {
  type Inbox,
  InboxGroup,
  type InboxPage,
  type InboxPlan,
  type InboxQuery,
} from '#domain/plan/inbox.ts';
import type { Service } from '#domain/service.ts';
import { nameRequesters } from '#people/people-named.ts';
import { type Asking, findWaiting, type Waiting } from './waiting-for.ts';

/** No condition. */
export const everyPlan: GroupFilter = { words: [], names: null, tool: null, within: null };

/** Whoever `person` can mean: a name of theirs, or what a chat platform calls them. */
async function readNamesFor(db: Queryable, person: string): Promise<string[]> {
  const meant = [person, ...(await findCalled(db, person))];
  const persons = await Promise.all(meant.map((name) => readPerson(db, name)));
  const known = (await readNamesOf(db, persons)).map(({ name }) => name);
  return [...new Set([...meant, ...known].map(plainName))];
}

async function readFilter(
  db: Queryable,
  { words = '', person, tool }: InboxQuery,
  within: Within | null,
): Promise<GroupFilter> {
  return {
    words: words.split(/\s+/).filter((word) => word !== ''),
    names: person === undefined ? null : await readNamesFor(db, person),
    // People write `workspace.write` and `workspace write` as well.
    tool: tool === undefined ? null : tool.trim().replace(/[.\s]+/g, '_'),
    within,
  };
}

// A cursor names its group, so that it is of use in no other.
const cursorForm = (group: InboxGroup) => new RegExp(`^${group} \\d{1,17} PLAN-[0-9a-f]{8}$`);

function readPlace(group: InboxGroup, cursor: string | undefined): GroupPlace | null {
  if (cursor === undefined) return null;
  const [, at = '', id = ''] = decodeCursor(cursor, cursorForm(group)).split(' ');
  return { at: Number(at), id };
}

/** The labels of the steps that are spoken of, by plan and step. */
async function readLabels(
  db: Queryable,
  waiting: Waiting[],
): Promise<(plan: string, step: string) => string> {
  const asked = waiting.flatMap(({ id, step_id }) =>
    step_id === null ? [] : [{ plan_id: id, step_id }],
  );
  const found = asked.length === 0 ? [] : await readStepNames(db, asked);
  const labels = new Map(found.map(({ plan_id, id, label }) => [`${plan_id} ${id}`, label]));
  return (plan, step) => labels.get(`${plan} ${step}`) ?? step;
}

/** The page of one group; `waiting`: all that waits for the reader. */
async function readPage(
  db: Queryable,
  group: InboxGroup,
  waiting: Waiting[],
  filter: GroupFilter,
  total: number,
  { cursor, limit }: Pick<InboxQuery, 'cursor' | 'limit'>,
): Promise<InboxPage> {
  if (total === 0) return { group, total, plans: [], next_cursor: null };
  const after = readPlace(group, cursor);
  // One more, to know whether there is another page.
  const places =
    group === 'needs_you'
      ? waiting
          .filter(
            ({ at, id }) => after === null || at > after.at || (at === after.at && id > after.id),
          )
          .slice(0, limit + 1)
      : await readGroup(db, group, filter, {
          except: waiting.map(({ id }) => id),
          after,
          limit: limit + 1,
        });
  const page = places.slice(0, limit);
  const shown = new Set(page.map(({ id }) => id));
  const theirs = group === 'needs_you' ? waiting.filter(({ id }) => shown.has(id)) : [];
  const waits = new Map(theirs.map((one) => [one.id, one]));
  const labelOf = await readLabels(db, theirs);
  const plans = (await readSummaries(db, [...shown])).map((plan): InboxPlan => {
    const found = waits.get(plan.id);
    return {
      ...plan,
      waits: found?.waits ?? null,
      waits_since: found === undefined ? null : new Date(found.at / 1000).toISOString(),
      waits_step: found?.step_id == null ? null : labelOf(plan.id, found.step_id),
      may_approve: found?.may_approve ?? false,
    };
  });
  const last = page.at(-1);
  const next_cursor =
    places.length > limit && last !== undefined
      ? encodeCursor(`${group} ${last.at} ${last.id}`)
      : null;
  return { group, total, plans, next_cursor };
}

/** @param within only plans of one organisation */
export async function readInbox(
  context: Asking,
  query: InboxQuery,
  within: Within | null = null,
): Promise<Inbox> {
  const { query: db } = context.db;
  const filter = await readFilter(db, query, within);
  const waiting = await findWaiting(context, query.user, filter);
  const ids = waiting.map(({ id }) => id);
  const counts = await countGroups(db, filter, ids);
  const groups: InboxPage[] = [];
  for (const group of query.group === undefined ? InboxGroup.options : [query.group]) {
    const total = group === 'needs_you' ? waiting.length : (counts.get(group) ?? 0);
    groups.push(await readPage(db, group, waiting, filter, total, query));
  }
  return { groups };
}

/** The inbox with what readers are shown in the place of who asked. */
export async function nameInbox(
  service: Pick<Service, 'shownNames'>,
  { groups }: Inbox,
): Promise<Inbox> {
  const named = await nameRequesters(
    service,
    groups.flatMap(({ plans }) => plans),
  );
  const byId = new Map(named.map((plan) => [plan.id, plan]));
  return {
    groups: groups.map((page) => ({
      ...page,
      plans: page.plans.map((plan) => byId.get(plan.id) ?? plan),
    })),
  };
}
