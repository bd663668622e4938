// A person's inbox: what waits for them, then by status.
import { decodeCursor, encodeCursor } from '#db/cursor.ts';
import type { Queryable } from '#db/database.ts';
import { findCalled, readNamesOf, readPerson, readShown } from '#db/people/identities.ts';
import {
  type FoundGroup,
  type GroupFilter,
  type GroupPlace,
  readEnded,
  readLabelsAcross,
  readLiveIds,
  type StatusGroup,
} from '#db/plans/groups.ts';
import { readSummaries } from '#db/plans/plans.ts';
import type { Within } from '#db/plans/within.ts';
import { personKey } from '#domain/people/names.ts';
import {
  type Inbox,
  InboxGroup,
  type InboxPage,
  type InboxPlan,
  type InboxQuery,
} from '#domain/plan/inbox.ts';
import type { KeptPlan, LivePlans } from './live-plans.ts';
import { addRepeats } from './plan-times.ts';
import { type Asking, findWaiting, type Waiting } from './waiting-for.ts';

/** Including chat display names. */
async function readNamesFor(db: Queryable, person: string): Promise<string[]> {
  const meant = [person, ...(await findCalled(db, person))];
  const persons = await Promise.all(meant.map((name) => readPerson(db, name)));
  const known = (await readNamesOf(db, persons)).map(({ name }) => name);
  return [...new Set([...meant, ...known].map(personKey))];
}

async function readFilter(
  db: Queryable,
  { words = '', person, tool, user }: InboxQuery,
  within: Within | null,
): Promise<GroupFilter> {
  return {
    words: words.split(/\s+/).filter((word) => word !== ''),
    names: person === undefined ? null : await readNamesFor(db, person === 'me' ? user : person),
    // Also `workspace.write` and `workspace write`.
    tool: tool === undefined ? null : tool.trim().replace(/[.\s]+/g, '_'),
    within,
  };
}

// Valid only for its group.
const cursorForm = (group: InboxGroup) =>
  new RegExp(`^${RegExp.escape(group)} \\d{1,17} PLAN-[0-9a-f]{8}$`);

function readPlace(group: InboxGroup, cursor: string | undefined): GroupPlace | null {
  if (cursor === undefined) return null;
  const [, at = '', id = ''] = decodeCursor(cursor, cursorForm(group)).split(' ');
  return { at: Number(at), id };
}

async function readWaitingLabels(
  db: Queryable,
  waiting: Waiting[],
): Promise<(plan: string, step: string) => string> {
  const asked = waiting.flatMap(({ id, step_id }) =>
    step_id === null ? [] : [{ plan_id: id, step_id }],
  );
  const found = asked.length === 0 ? [] : await readLabelsAcross(db, asked);
  const labels = new Map(found.map(({ plan_id, id, label }) => [`${plan_id} ${id}`, label]));
  return (plan, step) => labels.get(`${plan} ${step}`) ?? step;
}

/** In lists with the newest first. */
const isBehind =
  (after: GroupPlace | null) =>
  ({ at, id }: GroupPlace): boolean =>
    after === null || at < after.at || (at === after.at && id < after.id);

async function filterLive(
  db: Queryable,
  plans: readonly KeptPlan[],
  filter: GroupFilter,
): Promise<readonly KeptPlan[]> {
  const { words, names, tool, within } = filter;
  if (words.length === 0 && names === null && tool === null && within === null) return plans;
  const ids = await readLiveIds(db, filter);
  return plans.filter(({ id }) => ids.has(id));
}

type Pages = { groups: StatusGroup[]; after: GroupPlace | null; limit: number };

/** Latest activity first. @param ended the groups' ended plans */
function listGroups(
  live: readonly KeptPlan[],
  waiting: Waiting[],
  ended: Map<StatusGroup, FoundGroup>,
  { groups, after, limit }: Pages,
): Map<StatusGroup, FoundGroup> {
  const waits = new Set(waiting.map(({ id }) => id));
  const placed = new Set([...ended.values()].flatMap(({ places }) => places.map(({ id }) => id)));
  // Ended since the live ones were read.
  const twice = live.filter(({ id, group }) => group !== null && placed.has(id));
  const listed = Map.groupBy(
    live.filter(({ id }) => !waits.has(id)),
    ({ group }) => group,
  );
  return new Map(
    groups.map((group) => {
      const own = listed.get(group) ?? [];
      const { total = 0, counted = true, places = [] } = ended.get(group) ?? {};
      const all = [
        ...own
          .map(({ id, requester, updated_at: at }) => ({ id, requester, at }))
          .filter(isBehind(after))
          .slice(0, limit),
        ...places.filter(({ id }) => !twice.some((plan) => plan.id === id)),
      ];
      all.sort((one, other) => other.at - one.at || (one.id < other.id ? 1 : -1));
      return [group, { total: own.length + total, counted, places: all.slice(0, limit) }];
    }),
  );
}

async function readGroups(
  context: Asking,
  user: string,
  reading: Promise<readonly KeptPlan[]>,
  filter: GroupFilter,
  pages: Pages,
): Promise<{ waiting: Waiting[]; others: Map<StatusGroup, FoundGroup> }> {
  const groups = pages.groups.filter((group) => group === 'failed' || group === 'done');
  const readRest = (except: string[]) =>
    readEnded(context.db.query, filter, except, { ...pages, groups });
  // Ended plans wait only with an open problem, then in no other group.
  const hasProblem = ({ group }: KeptPlan) => group === null;
  const [live, waiting, all] = await Promise.all([
    reading,
    findWaiting(context, user, reading),
    reading.then((live) => (live.some(hasProblem) ? null : readRest([]))),
  ]);
  const waits = new Set(waiting.map(({ id }) => id));
  const except = live.filter((plan) => hasProblem(plan) && waits.has(plan.id));
  const ended = all ?? (await readRest(except.map(({ id }) => id)));
  return { waiting, others: listGroups(live, waiting, ended, pages) };
}

export async function readInbox(
  context: Asking,
  livePlans: LivePlans,
  query: InboxQuery,
  within: Within | null = null,
): Promise<Inbox> {
  const { query: db } = context.db;
  const { cursor, limit, group: only } = query;
  const groups = only === undefined ? InboxGroup.options : [only];
  const after = only === undefined ? null : readPlace(only, cursor);
  const filter = await readFilter(db, query, within);
  const live = livePlans().then((plans) => filterLive(db, plans, filter));
  // One extra per group detects a next page.
  const { waiting, others } = await readGroups(context, query.user, live, filter, {
    groups: groups.filter((group) => group !== 'needs_you'),
    ...{ after, limit: limit + 1 },
  });
  const found = groups.map((group) => {
    if (group === 'needs_you') {
      const places = waiting.filter(isBehind(after)).slice(0, limit + 1);
      return { group, total: waiting.length, counted: true, places };
    }
    return { group, ...(others.get(group) ?? { total: 0, counted: true, places: [] }) };
  });
  const shown = found.flatMap(({ places }) => places.slice(0, limit));
  const isShown = new Set(shown.map(({ id }) => id));
  const theirs = waiting.filter(({ id }) => isShown.has(id));
  const waits = new Map(theirs.map((one) => [one.id, one]));
  const [summaries, labelOf, names] = await Promise.all([
    readSummaries(db, [...isShown]).then((found) => addRepeats(db, found)),
    readWaitingLabels(db, theirs),
    readShown(
      db,
      shown.map(({ requester }) => requester),
    ),
  ]);
  const plans = new Map(summaries.map((plan) => [plan.id, plan]));
  const toPlan = (id: string): InboxPlan[] => {
    const plan = plans.get(id);
    const wait = waits.get(id);
    if (plan === undefined) return [];
    const label = wait === undefined || wait.step_id === null ? null : labelOf(id, wait.step_id);
    const name = names.get(plan.requester);
    return [
      {
        ...plan,
        ...(name === undefined ? {} : { asked_by: name }),
        waits: wait?.waits ?? null,
        waits_since: wait === undefined ? null : new Date(wait.at / 1000).toISOString(),
        waits_step: label,
        may_approve: wait?.may_approve ?? false,
      },
    ];
  };
  return {
    groups: found.map(({ group, total, counted, places }): InboxPage => {
      const page = places.slice(0, limit);
      const last = page.at(-1);
      return {
        group,
        total,
        counted,
        plans: page.flatMap(({ id }) => toPlan(id)),
        next_cursor:
          places.length > limit && last !== undefined
            ? encodeCursor(`${group} ${last.at} ${last.id}`)
            : null,
      };
    }),
  };
}
