// Reads plans by groups, as in one person's inbox: plans that may wait for the reader, and the rest by status. Each function is
// one statement, however many plans there are.
import { type SQL, sql } from 'drizzle-orm';
import { lowerAscii } from '#domain/people/names.ts';
import type { InboxGroup } from '#domain/plan/inbox.ts';
import type { ApproverPolicy, PlanStatus } from '#domain/plan/plan.ts';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { plans } from '../schema.ts';
import { stepsOf } from '../steps/blocks.ts';
import { isWithin, type Within, withinEach } from './within.ts';

/** Selects the listed plans; every condition that is not null must hold. */
export type GroupFilter = {
  /** Each word is in the title, the summary, the ID or the requester's name. */
  words: string[];
  /** A normalised name of the plan's requester, a named approver, a person who approved it, or one with a task in it. */
  names: string[] | null;
  /** A tool or an operation. */
  tool: string | null;
  /** Only plans of one organisation. */
  within: Within | null;
};

const micros = (moment: SQL): SQL => sql`(extract(epoch from ${moment}) * 1000000)::bigint::float8`;

const escapeLike = (text: string) => text.replace(/[\\%_]/g, '\\$&');
const isLike = (column: SQL, word: string): SQL => sql`${column} ilike ${`%${escapeLike(word)}%`}`;

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

export type PlanStateRow = { id: string; tenant: string | null; standing: string };

export async function readStandings(db: Queryable, ids: string[]): Promise<PlanStateRow[]> {
  const { rows } = await db.execute<PlanStateRow>(sql`
    select id, tenant, ${planStanding} as standing from ${plans} where id = any(${sql.param(ids)}::text[])`);
  return rows;
}

/** A plan in which something may wait for a person. Moments are µs since 1970. */
export type OpenPlan = {
  id: string;
  version: number;
  status: PlanStatus;
  revising: boolean;
  /** Its planner waits for an answer about the requested changes. */
  asks: boolean;
  requester: string;
  requester_verified: boolean;
  approver_policy: ApproverPolicy;
  conversation: string | null;
  tools_required: string[];
  /** The approvers of the current version, in order. */
  approved: string[];
  /** A step of it may wait for a person. */
  asks_steps: boolean;
  proposed_at: number;
  updated_at: number;
  /** The change that waits for its own approval, with the operations it adds. */
  patch: { version: number; created_at: number; operations: string[]; approved: string[] } | null;
  /** The oldest finding that holds steps back and waits for a decision. */
  problem: { step_id: string | null; since: number } | null;
};

/** Resolved to persons, so that accounts linked since count once. */
const approvedBy = (version: SQL): SQL => sql`array(
  select coalesce(i.person, a.approver) from ${countersign}.approvals a
    left join ${countersign}.identities i on i.account = a.approver
  where a.plan_id = ${plans.id} and a.version = ${version} group by 1 order by min(a.at), 1)`;

/** The ways in which a plan can ask a person for something. */
export type Reach = {
  /** Their normalised names and groups. */
  keys: string[];
  /** Approver policies that may count them without naming them; `anyone` in every conversation they have written in. */
  kinds: ApproverPolicy['kind'][];
  /** Operations whose own rule may count them. */
  operations: string[];
};

/** Whether `text` contains a key. Spellings of names vary, and few other texts match. */
function hasKey(text: SQL, keys: string[], write = (key: string) => key): SQL {
  const patterns = keys.map((key) => `%${escapeLike(lowerAscii(write(key)))}%`);
  return sql`lower(${text} collate "C") like any(${sql.param(patterns)}::text[])`;
}

const mayAsk = sql`(${plans.attention} or ${hasProblem})`;
const countsAnyone = sql`${plans.approver_policy} ->> 'kind' = 'anyone'`;

/**
 * Whether anyone who has written in the plan's conversation may approve, and the person may have. Each conversation is searched
 * once.
 */
const maySpeak = (keys: string[]) => sql`(${countsAnyone} and (${plans.conversation} is null
  or ${plans.conversation} = any(array(
    select m.conversation from (
      select distinct ${plans.conversation} from ${plans} where ${mayAsk} and ${countsAnyone}
    ) asked join ${countersign}.messages m using (conversation)
    where m.author = 'person' and ${hasKey(sql`m.name`, keys)}))))`;

/** Whether a plan may wait for the person. It may match too many plans, never too few. */
function mayReach({ keys, kinds, operations }: Reach): SQL {
  const inJson = (key: string) => JSON.stringify(key).slice(1, -1);
  return sql`(${plans.approver_policy} ->> 'kind' = any(${sql.param(kinds)}::text[])
    or ${maySpeak(keys)}
    or ${plans.tools_required} && ${sql.param(operations)}::text[]
    or ${plans.pending_patch} is not null and ${operations.length > 0}
    or ${hasKey(sql`${plans.requester}`, keys)}
    or ${hasKey(sql`(${plans.approver_policy} ->> 'people')`, keys, inJson)}
    or ${isUnderWay} and ${plans.waiting} > 0 and exists (
      select from ${stepsOf(sql`${plans.id}`, ['waiting'])} where ${hasKey(sql`(s.output ->> 'assignee')`, keys)}))`;
}

export async function readOpenPlans(
  db: Queryable,
  filter: GroupFilter,
  reach: Reach,
): Promise<OpenPlan[]> {
  const { rows } = await db.execute<OpenPlan>(sql`
    select ${plans.id}, ${plans.version}, ${plans.status}, ${plans.revising}, ${asksBack} as asks, ${plans.requester}, ${plans.requester_verified},
      ${plans.approver_policy}, ${plans.conversation}, ${plans.tools_required}, ${approvedBy(sql`${plans.version}`)} as approved,
      ${isUnderWay} and ${plans.waiting} + ${plans.unknown} > 0 as asks_steps, (
        select ${micros(sql`v.created_at`)} from ${countersign}.plan_versions v
        where v.plan_id = ${plans.id} and v.version = ${plans.version}) as proposed_at,
      ${micros(sql`${plans.updated_at}`)} as updated_at,
      case when c.id is not null then jsonb_build_object(
        'version', c.version, 'created_at', ${micros(sql`c.created_at`)}, 'operations', coalesce((
          select jsonb_agg(distinct (o ->> 'tool') || '_' || (o ->> 'operation'))
          from (
            select jsonb_path_query(c.operations, '$[*] ? (@.op == "add_step").step') as o
            union all select jsonb_path_query(c.operations, '$[*] ? (@.op == "replace_step").by')
          ) added), '[]'), 'approved', ${approvedBy(sql`c.version`)}) end as patch, (
        select jsonb_build_object('step_id', f.step_id, 'since', ${micros(sql`f.created_at`)}) from ${countersign}.plan_findings f
        where f.plan_id = ${plans.id} and ${isOpenProblem} order by f.created_at, f.id limit 1) as problem
    from ${plans}
    left join ${countersign}.plan_patches c on c.id = ${plans.pending_patch}
    where ${mayAsk} and ${mayReach(reach)} and ${wanted(filter)}`);
  return rows;
}

/** For each person that steps of a plan wait for, the step that has waited longest. */
export type OpenQuestion = {
  plan_id: string;
  status: 'waiting' | 'unknown';
  tool: string;
  operation: string;
  /** The assignee of a task, as asked, or null if it names none or is not a task. */
  assignee: string | null;
  /** The call asks for confirmation of its final values. */
  confirm: boolean;
  step_id: string;
  since: number;
};

/** Steps that wait for a person in running plans. @param of in these plans, or for a person with these keys or a similar name */
export async function readOpenQuestions(
  db: Queryable,
  of: { ids: string[] } | { keys: string[] },
): Promise<OpenQuestion[]> {
  const isAmong = 'ids' in of ? sql`${plans.id} = any(${sql.param(of.ids)}::text[])` : sql`true`;
  const isFor = 'keys' in of ? hasKey(sql`(s.output ->> 'assignee')`, of.keys) : sql`true`;
  const { rows } = await db.execute<OpenQuestion>(sql`
    with open as (
      select s.plan_id, s.position, s.step_id, s.status, s.output ->> 'assignee' as assignee,
        coalesce(s.output -> 'confirm' = 'true', false) as confirm,
        coalesce(case s.status when 'unknown' then s.ended_at end, s.started_at) as asked
      from ${plans} cross join lateral ${stepsOf(sql`${plans.id}`, ['waiting', 'unknown'], isFor)}
      where ${plans.attention} and ${isUnderWay} and ${plans.waiting} + ${plans.unknown} > 0 and ${isAmong}
    )
    select distinct on (o.plan_id, o.status, c.tool, c.operation, o.assignee, o.confirm)
      o.plan_id, o.status, c.tool, c.operation, o.assignee, o.confirm, o.step_id, ${micros(sql`o.asked`)} as since
    from open o join ${countersign}.plan_steps c using (plan_id, position)
    order by o.plan_id, o.status, c.tool, c.operation, o.assignee, o.confirm, o.asked, o.position`);
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

/** Limit for counting ended plans of one group. */
export const endedCounted = 1000;

export type FoundGroup = { total: number; counted: boolean; places: GroupPlace[] };

/** The first `limit` rows of `from`, a set of `id` and `moment`, latest first. */
const listPlaces = (from: SQL, limit: number) => sql`(
  select coalesce(jsonb_agg(jsonb_build_object('id', o.id, 'at', ${micros(sql`o.moment`)}) order by o.moment desc, o.id desc), '[]')
  from (${from} order by moment desc, id desc limit ${limit}) o)`;

/** Whether a plan comes after `after` in its group; always if null. */
const isBehind = (moment: SQL, id: SQL, after: GroupPlace | null) =>
  after === null
    ? sql`true`
    : sql`(${moment}, ${id}) < ('epoch'::timestamptz + ${after.at}::float8 * interval '1 microsecond', ${after.id}::text)`;

/** Up to `limit` ended plans of a group after `after`, latest first, by index. */
function restedOf(
  group: 'failed' | 'done',
  filter: GroupFilter,
  except: SQL,
  after: GroupPlace | null,
  limit: number,
): SQL {
  const { within, ...others } = filter;
  const latest = (
    reason: SQL,
  ) => sql`(select ${plans.id}, ${plans.rested_at} as moment from ${plans}
    where ${plans.ended_as} = ${sql.raw(`'${group}'`)} and ${reason}
      and ${isBehind(sql`${plans.rested_at}`, sql`${plans.id}`, after)} and ${wanted({ ...others, within: null })} and ${except}
    order by ${plans.rested_at} desc, ${plans.id} desc limit ${limit})`;
  if (within === null) return latest(sql`true`);
  const found = withinEach(within).map(latest);
  return sql`select id, moment from (${sql.join(found, sql` union `)}) as found order by moment desc, id desc limit ${limit}`;
}

/**
 * Counts each group and lists its next plans, latest activity first. Live plans are few and all read; of ended ones, the latest.
 * @param except plans in none of the groups, because they wait for the reader
 * @param pages the wanted groups, with up to `limit` plans after `after`
 */
export async function readGroups(
  db: Queryable,
  filter: GroupFilter,
  except: string[],
  { groups, after, limit }: { groups: StatusGroup[]; after: GroupPlace | null; limit: number },
): Promise<Map<StatusGroup, FoundGroup>> {
  if (groups.length === 0) return new Map();
  const isOther = sql`${plans.id} not in (select id from excepted)`;
  const ended = groups.flatMap((group) => (group === 'failed' || group === 'done' ? [group] : []));
  const rested = ended.map(
    (group) => sql`, ${sql.identifier(group)} as materialized (
      ${restedOf(group, filter, isOther, null, endedCounted)})${
        after === null
          ? sql``
          : sql`, ${sql.identifier(`${group}_next`)} as materialized (${restedOf(group, filter, isOther, after, limit)})`
      }`,
  );
  const selects = groups.map((group) => {
    const live = sql`select id, moment from live where name = ${group} and ${isBehind(sql`moment`, sql`id`, after)}`;
    const has = ended.some((one) => one === group);
    const next = sql.identifier(after === null ? group : `${group}_next`);
    const all = has ? sql`${live} union all select id, moment from ${next}` : live;
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
    with excepted as materialized (
      select unnest(${sql.param(except)}::text[]) as id
    ), live as materialized (
      select ${plans.id}, ${groupOf} as name, ${plans.updated_at} as moment
      from ${plans}
      where ${plans.ended_as} is null and ${wanted(filter)} and ${isOther}
    )${sql.join(rested, sql``)}
    ${sql.join(selects, sql` union all `)}`);
  return new Map(
    rows.map(({ name, live, ended: over, places }) => [
      name,
      { total: live + over, counted: over < endedCounted, places },
    ]),
  );
}

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
