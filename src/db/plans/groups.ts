// Plans by groups, as the inbox of one person has them: what may wait for somebody, and the rest by status. Each function is one
// statement, however many plans there are.
import { type SQL, sql } from 'drizzle-orm';
import type { InboxGroup } from '#domain/plan/inbox.ts';
import type { ApproverPolicy, PlanStatus } from '#domain/plan/plan.ts';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { plans } from '../schema.ts';
import { stepsOf } from '../steps/blocks.ts';
import { isWithin, type Within, withinEach } from './within.ts';

/** Which plans are listed; every condition that is not null has to hold. */
export type GroupFilter = {
  /** Each is in the title, the summary, the id or the requester's name. */
  words: string[];
  /** One of these names asked for it, is named to approve it, has approved it or has a task in it; as they are compared. */
  names: string[] | null;
  /** A tool or an operation. */
  tool: string | null;
  /** Only those of one organisation. */
  within: Within | null;
};

const micros = (moment: SQL): SQL => sql`(extract(epoch from ${moment}) * 1000000)::bigint::float8`;

const isLike = (column: SQL, word: string): SQL =>
  sql`${column} ilike ${`%${word.replace(/[\\%_]/g, '\\$&')}%`}`;

function hasWord(word: string): SQL {
  return sql`(${isLike(sql`${plans.title}`, word)} or ${isLike(sql`${plans.id}`, word)} or ${isLike(sql`${plans.requester}`, word)}
    or exists (
    select from ${countersign}.plan_versions v
    where v.plan_id = ${plans.id} and v.version = ${plans.version} and ${isLike(sql`v.summary`, word)}))`;
}

/** `personKey`, as SQL. */
function keyOf(name: SQL): SQL {
  const isAccount = (one: SQL) => sql`${one} ~ '^(?!group:)[a-z][a-z0-9-]*:.'`;
  const plain = sql`regexp_replace(btrim(${name}, E'\\t\\n\\r '), '^@', '')`;
  const lower = sql`lower(${plain} collate "C")`;
  return sql`case when ${isAccount(name)} then ${name} when ${isAccount(lower)} then ${plain} else ${lower} end`;
}

/** `ana` also matches the address `ana@…`. @param names their keys */
function isNamed(name: SQL, names: string[]): SQL {
  const plain = keyOf(name);
  const all = sql`${sql.param(names)}::text[]`;
  return sql`(${plain} = any(${all}) or split_part(${plain}, '@', 1) = any(${all}))`;
}

function concerns(names: string[]): SQL {
  return sql`(${isNamed(sql`${plans.requester}`, names)}
    or exists (select from jsonb_array_elements_text(${plans.approver_policy} -> 'people') as n(name) where ${isNamed(sql`n.name`, names)})
    or exists (select from ${countersign}.approvals a where a.plan_id = ${plans.id} and ${isNamed(sql`a.approver`, names)})
    or ${plans.tools_required} && '{human_task,human_confirm}' and exists (
      select from ${countersign}.plan_steps c join ${countersign}.step_states s using (plan_id, position)
      where c.plan_id = ${plans.id} and c.tool = 'human'
        and ${isNamed(sql`coalesce(s.output ->> 'assignee', c.args ->> 'assignee')`, names)}))`;
}

function uses(tool: string): SQL {
  const name = tool.toLowerCase();
  return sql`exists (select from unnest(${plans.tools_required}) as t(name)
    where lower(t.name) = ${name} or starts_with(lower(t.name), ${`${name}_`}))`;
}

function wanted({ words, names, tool, within }: GroupFilter): SQL {
  const conditions = [
    ...words.map(hasWord),
    ...(names === null ? [] : [concerns(names)]),
    ...(tool === null ? [] : [uses(tool)]),
    ...(within === null ? [] : [isWithin(within)]),
  ];
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}

/** The planner of its next version has asked something. */
const asksBack = sql`(${plans.revising} and exists (
  select from ${countersign}.runs r where r.id = ${plans.run_id} and r.plan_id = ${plans.id}
    and r.planning_status in ('needs_clarification', 'needs_scheduling_escalation')))`;
const isUnderWay = sql`${plans.status} in ('executing', 'stalled')`;
const isOpenProblem = sql`f.status = 'open' and f.severity in ('ERROR', 'CRITICAL')`;
/** Uses the index of open findings. */
const hasProblem = sql`${plans.id} = any(array(
  select f.plan_id from ${countersign}.plan_findings f where ${isOpenProblem}))`;

/** The state of a row of `plans` apart from the progress of its steps. */
export const planStanding = sql`concat_ws(' ', status, version, revising, paused_at, pending_patch, waiting, unknown)`;

export type Standing = { id: string; tenant: string | null; standing: string };

export async function readStandings(db: Queryable, ids: string[]): Promise<Standing[]> {
  const { rows } = await db.execute<Standing>(sql`
    select id, tenant, ${planStanding} as standing from ${plans} where id = any(${sql.param(ids)}::text[])`);
  return rows;
}

/** A plan in which something may wait for somebody. Moments are µs since 1970. */
export type OpenPlan = {
  id: string;
  version: number;
  status: PlanStatus;
  revising: boolean;
  /** Its planner waits for an answer about the changes. */
  asks: boolean;
  requester: string;
  approver_policy: ApproverPolicy;
  conversation: string | null;
  tools_required: string[];
  proposed_at: number;
  updated_at: number;
  /** The change that waits for an approval of its own, with the operations it adds. */
  patch: { version: number; created_at: number; operations: string[] } | null;
};

export async function readOpenPlans(db: Queryable, filter: GroupFilter): Promise<OpenPlan[]> {
  const { rows } = await db.execute<OpenPlan>(sql`
    select ${plans.id}, ${plans.version}, ${plans.status}, ${plans.revising}, ${asksBack} as asks, ${plans.requester}, ${plans.approver_policy},
      ${plans.conversation}, ${plans.tools_required}, ${micros(sql`made.created_at`)} as proposed_at,
      ${micros(sql`${plans.updated_at}`)} as updated_at,
      case when c.id is not null then jsonb_build_object(
        'version', c.version, 'created_at', ${micros(sql`c.created_at`)}, 'operations', coalesce((
          select jsonb_agg(distinct (o ->> 'tool') || '_' || (o ->> 'operation'))
          from (
            select jsonb_path_query(c.operations, '$[*] ? (@.op == "add_step").step') as o
            union all select jsonb_path_query(c.operations, '$[*] ? (@.op == "replace_step").by')
          ) added), '[]')) end as patch
    from ${plans}
    join ${countersign}.plan_versions made on made.plan_id = ${plans.id} and made.version = ${plans.version}
    left join ${countersign}.plan_patches c on c.id = ${plans.pending_patch}
    where (${plans.attention} or ${hasProblem}) and ${wanted(filter)}`);
  return rows;
}

/** Of the steps of a plan that wait for the same person, the one that has waited longest. */
export type OpenQuestion = {
  plan_id: string;
  status: 'waiting' | 'unknown';
  tool: string;
  operation: string;
  /** The assignee of a task, as it was asked; null: none is named, or it is not a task. */
  assignee: string | null;
  /** The call asks about its final values. */
  confirm: boolean;
  step_id: string;
  since: number;
};

/** Steps that wait for any person in running plans. @param ids only in these plans; null: in all */
export async function readOpenQuestions(
  db: Queryable,
  ids: string[] | null,
): Promise<OpenQuestion[]> {
  const among = ids === null ? sql`true` : sql`${plans.id} = any(${sql.param(ids)}::text[])`;
  const { rows } = await db.execute<OpenQuestion>(sql`
    with open as (
      select s.plan_id, s.position, s.step_id, s.status, s.output ->> 'assignee' as assignee,
        coalesce(s.output -> 'confirm' = 'true', false) as confirm,
        coalesce(case s.status when 'unknown' then s.ended_at end, s.started_at) as asked
      from ${plans} cross join lateral ${stepsOf(sql`${plans.id}`, ['waiting', 'unknown'])}
      where ${plans.attention} and ${isUnderWay} and ${plans.waiting} + ${plans.unknown} > 0 and ${among}
    )
    select distinct on (o.plan_id, o.status, c.tool, c.operation, o.assignee, o.confirm)
      o.plan_id, o.status, c.tool, c.operation, o.assignee, o.confirm, o.step_id, ${micros(sql`o.asked`)} as since
    from open o join ${countersign}.plan_steps c using (plan_id, position)
    order by o.plan_id, o.status, c.tool, c.operation, o.assignee, o.confirm, o.asked, o.position`);
  return rows;
}

export type OpenProblem = { plan_id: string; step_id: string | null; since: number };

/** The oldest finding of each of these plans that holds steps back and waits for a decision. */
export async function readOpenProblems(db: Queryable, ids: string[]): Promise<OpenProblem[]> {
  const { rows } = await db.execute<OpenProblem>(sql`
    select distinct on (plan_id) plan_id, step_id, ${micros(sql`created_at`)} as since
    from ${countersign}.plan_findings f
    where plan_id = any(${sql.param(ids)}::text[]) and ${isOpenProblem}
    order by plan_id, created_at, id`);
  return rows;
}

/** The group of a plan in which nothing waits for the reader. */
export type StatusGroup = Exclude<InboxGroup, 'needs_you'>;

const groupOf = sql`case
  when ${plans.revising} or ${plans.status} in ('approved', 'executing') then 'running'
  when ${plans.status} in ('failed', 'stalled') then 'failed'
  when ${plans.status} in ('proposed', 'needs_review') then 'others'
  else 'done' end`;

/** A plan's place in its group: its last activity (µs since 1970), then its id. */
export type GroupPlace = { at: number; id: string };

/** Ended plans of one group are counted up to this many. */
export const endedCounted = 1000;

export type FoundGroup = { total: number; counted: boolean; places: GroupPlace[] };

const asPlace = (id: SQL, at: SQL) => sql`jsonb_build_object('id', ${id}, 'at', ${at})`;
const listPlaces = (from: SQL, limit: number) => sql`(
  select coalesce(jsonb_agg(${asPlace(sql`o.id`, sql`o.at`)} order by o.at desc, o.id desc), '[]')
  from (${from} order by at desc, id desc limit ${limit}) o)`;

/**
 * Up to `limit` ended plans of a group, the latest first, by index.
 * @param after the last plan of the page before; null: from the latest
 */
function restedOf(
  group: 'failed' | 'done',
  filter: GroupFilter,
  except: string[],
  after: GroupPlace | null,
  limit: number,
): SQL {
  const { within, ...others } = filter;
  const behind =
    after === null
      ? sql`true`
      : sql`(${plans.rested_at}, ${plans.id}) < ('epoch'::timestamptz + ${after.at}::float8 * interval '1 microsecond', ${after.id}::text)`;
  const latest = (reason: SQL) => sql`(select ${plans.id}, ${plans.rested_at} from ${plans}
    where ${plans.ended_as} = ${sql.raw(`'${group}'`)} and ${reason}
      and ${behind} and ${wanted({ ...others, within: null })} and ${plans.id} <> all(${sql.param(except)}::text[])
    order by ${plans.rested_at} desc, ${plans.id} desc limit ${limit})`;
  const found = within === null ? [sql`true`] : withinEach(within);
  return sql`select id, ${micros(sql`rested_at`)} as at
    from (${sql.join(found.map(latest), sql` union `)}) as found order by rested_at desc, id desc limit ${limit}`;
}

/**
 * Counts each group and lists its next plans, the latest activity first. Live plans are few and all read; of ended ones, the latest.
 * @param except plans that are in none of them: those that wait for the reader
 * @param pages the wanted groups, with up to `limit` plans after `after`
 */
export async function readGroups(
  db: Queryable,
  filter: GroupFilter,
  except: string[],
  { groups, after, limit }: { groups: StatusGroup[]; after: GroupPlace | null; limit: number },
): Promise<Map<StatusGroup, FoundGroup>> {
  if (groups.length === 0) return new Map();
  const behind =
    after === null ? sql`true` : sql`(at, id) < (${after.at}::float8, ${after.id}::text)`;
  const ended = groups.flatMap((group) => (group === 'failed' || group === 'done' ? [group] : []));
  const rested = ended.map(
    (group) => sql`, ${sql.identifier(group)} as materialized (
      ${restedOf(group, filter, except, null, endedCounted)})${
        after === null
          ? sql``
          : sql`, ${sql.identifier(`${group}_next`)} as materialized (${restedOf(group, filter, except, after, limit)})`
      }`,
  );
  const selects = groups.map((group) => {
    const live = sql`select id, at from live where name = ${group} and ${behind}`;
    const has = ended.some((one) => one === group);
    const next = sql.identifier(after === null ? group : `${group}_next`);
    const all = has ? sql`${live} union all select id, at from ${next}` : live;
    const more = has ? sql`(select count(*) from ${sql.identifier(group)})::int` : sql`0`;
    return sql`select ${group}::text as name, (select count(*) from live where name = ${group})::int as live,
      ${more} as ended, ${listPlaces(all, limit)} as places`;
  });
  const { rows } = await db.execute<{
    name: StatusGroup;
    live: number;
    ended: number;
    places: GroupPlace[];
  }>(sql`
    with live as materialized (
      select ${plans.id}, ${groupOf} as name, ${micros(sql`${plans.updated_at}`)} as at
      from ${plans}
      where ${plans.ended_as} is null and ${wanted(filter)} and ${plans.id} <> all(${sql.param(except)}::text[])
    )${sql.join(rested, sql``)}
    ${sql.join(selects, sql` union all `)}`);
  return new Map(
    rows.map(({ name, live, ended: over, places }) => [
      name,
      { total: live + over, counted: over < endedCounted, places },
    ]),
  );
}

/** Labels of steps of several plans. */
export async function readLabelsAcross(
  db: Queryable,
  steps: { plan_id: string; step_id: string }[],
): Promise<{ plan_id: string; id: string; label: string }[]> {
  const { rows } = await db.execute<{ plan_id: string; id: string; label: string }>(sql`
    select c.plan_id, c.step_id as id, coalesce(c.label, c.position::text) as label
    from unnest(${sql.param(steps.map(({ plan_id }) => plan_id))}::text[],
      ${sql.param(steps.map(({ step_id }) => step_id))}::text[]) as asked(plan_id, step_id)
    join ${countersign}.plan_steps c on c.plan_id = asked.plan_id and c.step_id = asked.step_id`);
  return rows;
}
