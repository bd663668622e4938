// Reads plans for inboxes: live plans as they change, ended ones by group.
import { type SQL, sql } from 'drizzle-orm';
import { lowerAscii } from '#domain/people/names.ts';
import type { InboxGroup } from '#domain/plan/inbox.ts';
import type { ApproverPolicy, PlanStatus } from '#domain/plan/plan.ts';
import { prepareStatement, type Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { plans } from '../schema.ts';
import { waitingPatch } from '../sql/patch-reads.ts';
import { stepsOf } from '../steps/blocks.ts';
import { isWithin, type Within, withinEach } from './within.ts';

export type GroupFilter = {
  /** Each is in the title, summary, ID or requester's name. */
  words: string[];
  /** Normalised: the requester's, an approver's, or of a person with a task. */
  names: string[] | null;
  tool: string | null;
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

function keyOf(name: SQL): SQL {
  const isAccount = (one: SQL) => sql`${one} ~ '^(?!group:)[a-z][a-z0-9-]*:.'`;
  const plain = sql`regexp_replace(btrim(${name}, E'\\t\\n\\r '), '^@', '')`;
  const lower = sql`lower(${plain} collate "C")`;
  return sql`case when ${isAccount(name)} then ${name} when ${isAccount(lower)} then ${plain} else ${lower} end`;
}

/** `ana` also matches `ana@…`. */
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

/** The next version's planner has a question. */
const asksBack = sql`(${plans.revising} and exists (
  select from ${countersign}.runs r where r.id = ${plans.run_id} and r.plan_id = ${plans.id}
    and r.planning_status in ('needs_clarification', 'needs_scheduling_escalation')))`;
const isUnderWay = sql`${plans.status} in ('executing', 'stalled')`;
const isOpenProblem = sql`f.status = 'open' and f.severity in ('ERROR', 'CRITICAL')`;
/** Uses the index of open findings. */
const hasProblem = sql`${plans.id} in (select f.plan_id from ${countersign}.plan_findings f where ${isOpenProblem})`;

/** Apart from step progress. */
export const planState = sql`concat_ws(' ', status, version, revising, paused_at, ${waitingPatch(sql`${plans.id}`)}, waiting, unknown)`;

export type PlanStateRow = { id: string; tenant: string | null; standing: string };

export async function readPlanStates(db: Queryable, ids: string[]): Promise<PlanStateRow[]> {
  return db.rows(sql`
    select id, tenant, ${planState} as standing from ${plans} where id = any(${sql.param(ids)}::text[])`);
}

export type StatusGroup = Exclude<InboxGroup, 'needs_you'>;
type EndedGroup = 'failed' | 'done';

const groupOf = sql`case when ${plans.ended_as} is not null then null
  when ${plans.revising} or ${plans.status} in ('approved', 'executing') then 'running'
  when ${plans.status} in ('failed', 'stalled') then 'failed'
  when ${plans.status} in ('proposed', 'needs_review') then 'others'
  else 'done' end`;

/** Live, or ended with an open problem. Moments are µs since 1970. */
export type LivePlan = {
  id: string;
  version: number;
  status: PlanStatus;
  revising: boolean;
  /** Null if it has ended with an open problem. */
  group: StatusGroup | null;
  attention: boolean;
  asks: boolean;
  requester: string;
  requester_verified: boolean;
  approver_policy: ApproverPolicy;
  conversation: string | null;
  tools_required: string[];
  approved: string[];
  asks_steps: boolean;
  proposed_at: number;
  updated_at: number;
  /** The change that waits for approval; `operations`: those it adds. */
  patch: { version: number; created_at: number; operations: string[]; approved: string[] } | null;
  /** The oldest undecided finding that holds steps back. */
  problem: { step_id: string | null; since: number } | null;
};

const approvedBy = (version: SQL): SQL => sql`array(
  select a.approver from ${countersign}.approvals a
  where a.plan_id = ${plans.id} and a.version = ${version} order by a.at, a.approver)`;

/** `columns` of live plans and of ended ones with an open problem. */
const ofKept = (columns: SQL, condition: SQL): SQL => sql`
  select ${columns} from ${plans} where ${plans.ended_as} is null and ${condition}
  union all select ${columns} from ${plans} where ${plans.ended_as} is not null and ${hasProblem} and ${condition}`;

export type Horizon = {
  /** Transactions before this one had ended. */
  horizon: string;
  /** Start of the server: a standby that takes over may lack the latest changes. */
  server: string;
};

/** Written by a transaction that had not ended at the horizon. Other tables change with the row, except planners' questions. */
const mayHaveChanged = sql`(age(${plans}.xmin) <= age(${sql.placeholder('horizon')}::xid8::xid) or ${plans.revising})`;

/** Spares looking up changes that nobody has approved. */
const mayHaveChange = sql`${plans.attention} and ${plans.status} not in ('proposed', 'needs_review')`;

const selectLive = (isWanted: SQL): SQL => sql`
  with kept as materialized (
    ${ofKept(sql`${plans.id}, ${isWanted} as changed`, sql`true`)}
  ), changed as (
    select ${plans.id}, ${plans.version}, ${plans.status}, ${plans.revising}, ${groupOf} as "group", ${plans.attention},
      ${asksBack} as asks, ${plans.requester}, ${plans.requester_verified}, ${plans.approver_policy}, ${plans.conversation},
      ${plans.tools_required}, ${approvedBy(sql`${plans.version}`)} as approved,
      ${isUnderWay} and ${plans.waiting} + ${plans.unknown} > 0 as asks_steps, (
        select ${micros(sql`v.created_at`)} from ${countersign}.plan_versions v
        where v.plan_id = ${plans.id} and v.version = ${plans.version}) as proposed_at,
      ${micros(sql`${plans.updated_at}`)} as updated_at,
      case when c.id is not null then jsonb_build_object(
        'version', c.version, 'created_at', ${micros(sql`c.created_at`)}, 'operations', coalesce((
          select jsonb_agg(distinct (step ->> 'tool') || '_' || (step ->> 'operation'))
          from (
            select case o ->> 'op' when 'add_step' then o -> 'step' when 'replace_step' then o -> 'by' end as step
            from jsonb_array_elements(c.operations) as o
          ) added), '[]'), 'approved', ${approvedBy(sql`c.version`)}) end as patch, (
        select jsonb_build_object('step_id', f.step_id, 'since', ${micros(sql`f.created_at`)}) from ${countersign}.plan_findings f
        where f.plan_id = ${plans.id} and ${isOpenProblem} order by f.created_at, f.id limit 1) as problem
    from kept join ${plans} using (id)
    left join lateral (
      select * from ${countersign}.plan_patches c
      where ${mayHaveChange} and c.plan_id = ${plans.id} and c.status = 'needs_approval' limit 1
    ) c on true
    where kept.changed
  )
  select known.*, changed.* from (
    select (select count(*)::int from kept) as total, pg_snapshot_xmin(pg_current_snapshot())::text as horizon,
      pg_postmaster_start_time()::text as server
  ) known left join changed on true`;

const livePlans = prepareStatement('read_live_plans', selectLive(sql`true`));
const changedPlans = prepareStatement('read_changed_plans', selectLive(mayHaveChanged));

/** `total`: how many plans are live. */
type LiveChanges = Horizon & { total: number; plans: LivePlan[] };

export async function readLivePlans(db: Queryable, since: Horizon | null): Promise<LiveChanges> {
  type Row = Horizon & { total: number } & (LivePlan | { id: null });
  const rows =
    since === null
      ? await db.run<Row>(livePlans, {})
      : await db.run<Row>(changedPlans, { horizon: since.horizon });
  const [first] = rows;
  if (first === undefined) throw new Error('readLivePlans: no row came back');
  return {
    ...{ horizon: first.horizon, server: first.server, total: first.total },
    plans: rows.flatMap(({ horizon: _, server: __, total: ___, ...plan }) =>
      plan.id === null ? [] : [plan],
    ),
  };
}

export async function readLiveIds(db: Queryable, filter?: GroupFilter): Promise<Set<string>> {
  const { rows } = await db.execute<{ id: string }>(
    ofKept(sql`${plans.id}`, filter === undefined ? sql`true` : wanted(filter)),
  );
  return new Set(rows.map(({ id }) => id));
}

/** Spellings vary, and few other texts contain a key. */
function hasKey(text: SQL, keys: string[]): SQL {
  const patterns = keys.map((key) => `%${escapeLike(lowerAscii(key))}%`);
  return sql`lower(${text} collate "C") like any(${sql.param(patterns)}::text[])`;
}

/** By a person with these keys, or a similar name. */
export async function findSpoken(
  db: Queryable,
  conversations: string[],
  keys: string[],
): Promise<Set<string>> {
  if (conversations.length === 0) return new Set();
  const { rows } = await db.execute<{ conversation: string }>(sql`
    select distinct m.conversation from ${countersign}.messages m
    where m.conversation = any(${sql.param(conversations)}::text[]) and m.author = 'person' and ${hasKey(sql`m.name`, keys)}`);
  return new Set(rows.map(({ conversation }) => conversation));
}

/** For each person asked, the step that has waited longest. */
export type OpenQuestion = {
  plan_id: string;
  status: 'waiting' | 'unknown';
  tool: string;
  operation: string;
  /** As asked, or null if it names none or is not a task. */
  assignee: string | null;
  confirm: boolean;
  step_id: string;
  since: number;
};

/** In running plans. @param of these plans, or a person's keys */
export async function readOpenQuestions(
  db: Queryable,
  of: { ids: string[] } | { keys: string[] },
): Promise<OpenQuestion[]> {
  const isAmong = 'ids' in of ? sql`${plans.id} = any(${sql.param(of.ids)}::text[])` : sql`true`;
  const isFor = 'keys' in of ? hasKey(sql`(s.output ->> 'assignee')`, of.keys) : sql`true`;
  return db.rows(sql`
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
}

/** `at`: last activity (µs since 1970). */
export type GroupPlace = { at: number; id: string };

export type PlacedPlan = GroupPlace & { requester: string };

export const endedCounted = 1000;

export type FoundGroup = { total: number; counted: boolean; places: PlacedPlan[] };

const isBehind = (after: GroupPlace | null) =>
  after === null
    ? sql`true`
    : sql`(${plans.rested_at}, ${plans.id}) < ('epoch'::timestamptz + ${after.at}::float8 * interval '1 microsecond', ${after.id}::text)`;

function endedOf(
  group: EndedGroup,
  filter: GroupFilter,
  except: string[],
  after: GroupPlace | null,
  limit: number,
): SQL {
  const { within, ...others } = filter;
  const isOther =
    except.length === 0 ? sql`true` : sql`${plans.id} <> all(${sql.param(except)}::text[])`;
  const latest = (
    reason: SQL,
  ) => sql`(select ${plans.id}, ${plans.requester}, ${plans.rested_at} as moment from ${plans}
    where ${plans.ended_as} = ${sql.raw(`'${group}'`)} and ${reason}
      and ${isBehind(after)} and ${wanted({ ...others, within: null })} and ${isOther}
    order by ${plans.rested_at} desc, ${plans.id} desc limit ${limit})`;
  if (within === null) return latest(sql`true`);
  const found = withinEach(within).map(latest);
  return sql`select id, requester, moment from (${sql.join(found, sql` union `)}) as found order by moment desc, id desc limit ${limit}`;
}

/** Counts each group, and lists the next, latest first. @param except plans that wait for the reader @param pages wanted groups */
export async function readEnded(
  db: Queryable,
  filter: GroupFilter,
  except: string[],
  { groups, after, limit }: { groups: EndedGroup[]; after: GroupPlace | null; limit: number },
): Promise<Map<StatusGroup, FoundGroup>> {
  if (groups.length === 0) return new Map();
  const selects = groups.map((group) => {
    const counted = endedOf(group, filter, except, null, endedCounted);
    const next = endedOf(group, filter, except, after, limit);
    return sql`select ${group}::text as name, (select count(*) from (${counted}) c)::int as total, (
      select coalesce(jsonb_agg(jsonb_build_object('id', o.id, 'requester', o.requester, 'at', ${micros(sql`o.moment`)}) order by o.moment desc, o.id desc), '[]')
      from (${next}) o) as places`;
  });
  const { rows } = await db.execute<{ name: EndedGroup; total: number; places: PlacedPlan[] }>(
    sql.join(selects, sql` union all `),
  );
  return new Map(
    rows.map(({ name, total, places }) => [name, { total, counted: total < endedCounted, places }]),
  );
}

export async function readLabelsAcross(
  db: Queryable,
  steps: { plan_id: string; step_id: string }[],
): Promise<{ plan_id: string; id: string; label: string }[]> {
  return db.rows(sql`
    select c.plan_id, c.step_id as id, coalesce(c.label, c.position::text) as label
    from unnest(${sql.param(steps.map(({ plan_id }) => plan_id))}::text[],
      ${sql.param(steps.map(({ step_id }) => step_id))}::text[]) as asked(plan_id, step_id)
    join ${countersign}.plan_steps c on c.plan_id = asked.plan_id and c.step_id = asked.step_id`);
}
