// Compares two versions of a plan inside the database and returns a bounded result. Rows are found by key or by joining whole
// versions, so the statements stay fast before the planner has statistics of a new plan.
import { type SQL, sql } from 'drizzle-orm';
import type { DependencyType } from '#domain/plan/dependency.ts';
import { KeptContent, type StepContent } from '#domain/plan/step-content.ts';
import type { JsonObject } from '#domain/text.ts';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { isoOf } from '../time.ts';
import { contentJson, contentWithLinks } from './step-columns.ts';

/**
 * A version. A proposal that was revised is archived whole; of one that a patch changed, only the steps that the next
 * version says otherwise (with null for those it did not have). So what a version says of a step is in the first
 * archive from its own number on, up to one that is whole (`until`); without one, and for the rest, in `plan_steps`.
 */
export type VersionRef = { planId: string; version: number; until: number | null };

const pageSize = 5000;

/** Where the steps of `version` are; the plan is at `current`. */
export async function locateVersion(
  db: Queryable,
  planId: string,
  version: number,
  current: number,
): Promise<VersionRef> {
  const { rows } = await db.execute<{ until: number | null }>(sql`
    select min(v.version) as until from ${countersign}.plan_versions v
    where v.plan_id = ${planId} and v.version >= ${version} and v.version < ${current} and not exists (
      select 1 from ${countersign}.plan_patches p
      where p.plan_id = v.plan_id and p.status = 'applied' and p.version = v.version + 1)`);
  return { planId, version, until: rows[0]?.until ?? null };
}

/** What the archives say of its steps; content is null where it did not have the step. */
function archivedOf({ planId, version, until }: VersionRef): SQL {
  if (until === version) {
    return sql`
      select step_id, position, content from ${countersign}.plan_version_steps
      where plan_id = ${planId} and version = ${version}`;
  }
  return sql`
    select distinct on (position) step_id, position, content from ${countersign}.plan_version_steps
    where plan_id = ${planId} and version >= ${version} and ${until === null ? sql`true` : sql`version <= ${until}`}
    order by position, version`;
}

/** Not one that a patch removed from an approved plan: those are kept outside every lane. */
const isKept = sql`not exists (
  select 1 from ${countersign}.step_states r
  where r.plan_id = s.plan_id and r.position = s.position and r.status = 'cancelled' and r.lane = 0)`;

/** Its steps that are still in `plan_steps` as it had them: those no archive speaks of. */
function isPresent({ planId, version, until }: VersionRef): SQL {
  if (until !== null) return sql`false`;
  return sql`s.position not in (
    select position from ${countersign}.plan_version_steps where plan_id = ${planId} and version >= ${version})
    and ${isKept}`;
}

/** Its steps as (step_id, position, content), as archives keep them; `more` is a condition on `s`. */
function contentsOf(version: VersionRef, more: SQL = sql`true`): SQL {
  const archived = sql`
    select s.step_id, s.position, s.content from (${archivedOf(version)}) s
    where s.content <> 'null' and ${more}`;
  if (version.until !== null) return archived;
  return sql`
    ${archived}
    union all
    select s.step_id, s.position, ${contentWithLinks} as content
    from ${countersign}.plan_steps s where s.plan_id = ${version.planId} and ${isPresent(version)} and ${more}`;
}

/** The seal of a step out of its content without times and dependencies, its earliest moment, and its dependencies. */
function sealOf(rest: SQL, notBefore: SQL, after: SQL): SQL {
  return sql`sha256(convert_to(concat_ws('|', ${rest}, extract(epoch from ${notBefore}), ${after}), 'UTF8')) as seal`;
}

/**
 * Its steps as (step_id, position, seal): equal seals say the same. Times are moments, dependencies a set. Those in
 * `plan_steps` have their links grouped with them rather than looked up for each.
 */
function sealsOf(version: VersionRef): SQL {
  const archived = sql`
    select step_id, position, ${sealOf(
      sql`(content - '{after,not_before,seen}'::text[])::text`,
      sql`(content ->> 'not_before')::timestamptz`,
      sql`(select string_agg(e::text, ',' order by e::text) from jsonb_array_elements(content -> 'after') e)`,
    )}
    from (${archivedOf(version)}) c where content <> 'null'`;
  if (version.until !== null) return archived;
  const { planId } = version;
  return sql`
    ${archived}
    union all
    select max(step_id) as step_id, position,
      ${sealOf(sql`max(rest)`, sql`max(not_before)`, sql`string_agg(link, ',' order by link)`)}
    from (
      select s.position, s.step_id, ((${contentJson}) - '{not_before,seen}'::text[])::text as rest,
        s.not_before, null::text as link
      from ${countersign}.plan_steps s where s.plan_id = ${planId} and ${isPresent(version)}
      union all
      select e.successor, null, null, null,
        jsonb_build_object('id', p.step_id, 'type', e.type, 'lag_minutes', e.lag_minutes)::text
      from ${countersign}.plan_edges e
      join ${countersign}.plan_steps p on p.plan_id = e.plan_id and p.position = e.predecessor
      where e.plan_id = ${planId}
    ) parts group by position having max(step_id) is not null`;
}

export type StepDifference = {
  kind: 'added' | 'removed' | 'changed';
  /** How many steps differ in this way; the rows are the first of them. */
  total: number;
  before: StepContent | null;
  after: StepContent | null;
};

/** The steps with these ids, as a version has them. */
export async function readContentsById(
  db: Queryable,
  version: VersionRef,
  ids: string[],
): Promise<StepContent[]> {
  if (ids.length === 0) return [];
  const { rows } = await db.execute<{ content: JsonObject }>(
    contentsOf(version, sql`s.step_id = any(${sql.param(ids)}::text[])`),
  );
  return rows.map(({ content }) => KeptContent.parse(content));
}

async function readContents(
  db: Queryable,
  version: VersionRef,
  positions: (number | null)[],
): Promise<Map<number, StepContent>> {
  const wanted = positions.filter((position) => position !== null);
  const { rows } = await db.execute<{ position: number; content: JsonObject }>(
    contentsOf(version, sql`s.position = any(${sql.param(wanted)}::int[])`),
  );
  return new Map(rows.map(({ position, content }) => [position, KeptContent.parse(content)]));
}

/** The first `limit` steps of each kind of difference, in the order of their positions. */
export async function compareSteps(
  db: Queryable,
  from: VersionRef,
  to: VersionRef,
  limit: number,
): Promise<StepDifference[]> {
  type Place = { kind: StepDifference['kind']; total: number; a: number | null; b: number | null };
  const { rows } = await db.execute<Place>(sql`
    with compared as (
      select a.position as a, b.position as b,
        case when a.step_id is null then 'added' when b.step_id is null then 'removed' else 'changed' end as kind
      from (${sealsOf(from)}) a full join (${sealsOf(to)}) b on a.step_id = b.step_id
      where a.seal is distinct from b.seal
    ),
    ranked as (
      select *, row_number() over (partition by kind order by coalesce(b, a)) as place,
        count(*) over (partition by kind)::int as total
      from compared
    )
    select kind, total, a, b from ranked where place <= ${limit} order by kind, place`);
  const before = await readContents(
    db,
    from,
    rows.map(({ a }) => a),
  );
  const after = await readContents(
    db,
    to,
    rows.map(({ b }) => b),
  );
  return rows.map(({ kind, total, a, b }) => ({
    kind,
    total,
    before: a === null ? null : (before.get(a) ?? null),
    after: b === null ? null : (after.get(b) ?? null),
  }));
}

/** When the first dated step may begin, and whether any step states how long it takes. */
export async function readTiming(
  db: Queryable,
  version: VersionRef,
): Promise<{ steps: number; earliest: string | null; timed: boolean }> {
  const { rows } = await db.execute<{ steps: number; earliest: string | null; timed: boolean }>(sql`
    select count(*)::int as steps, ${isoOf('min(not_before)', 'milliseconds')} as earliest,
      count(duration_minutes) > 0 as timed
    from (
      select (content ->> 'not_before')::timestamptz as not_before,
        (content ->> 'duration_minutes')::float8 as duration_minutes
      from (${archivedOf(version)}) a where content <> 'null'
      union all
      select s.not_before, s.duration_minutes from ${countersign}.plan_steps s
      where s.plan_id = ${version.planId} and ${isPresent(version)}
    ) c`);
  return rows[0] ?? { steps: 0, earliest: null, timed: false };
}

/** Durations in minutes and links between steps, which are counted from 0; the order of steps says nothing. */
export type ChainColumns = {
  durations: number[];
  links: { from: number[]; to: number[]; types: DependencyType[]; lags: number[] };
};

/**
 * What a schedule needs of a version: a few numbers for each step and link, not the steps.
 * @param current whether it is the one in `plan_steps`
 */
export function readChain(
  db: Queryable,
  version: VersionRef,
  current: boolean,
): Promise<ChainColumns> {
  return current ? readCurrentChain(db, version.planId) : readEarlierChain(db, version);
}

async function readCurrentChain(db: Queryable, planId: string): Promise<ChainColumns> {
  const { rows: steps } = await db.execute<{ positions: number[] | null; minutes: number[] }>(sql`
    select array_agg(position) as positions, array_agg(coalesce(duration_minutes, 0)) as minutes
    from ${countersign}.plan_steps s where plan_id = ${planId} and ${isKept}`);
  type Links = { from: number[] | null; to: number[]; types: DependencyType[]; lags: number[] };
  const { rows: links } = await db.execute<Links>(sql`
    select array_agg(predecessor) as from, array_agg(successor) as to, array_agg(type) as types,
      array_agg(lag_minutes) as lags
    from ${countersign}.plan_edges where plan_id = ${planId}`);
  const index = new Map((steps[0]?.positions ?? []).map((position, i) => [position, i]));
  const columns: ChainColumns = {
    durations: steps[0]?.minutes ?? [],
    links: { from: [], to: [], types: [], lags: [] },
  };
  const [found] = links;
  for (const [i, predecessor] of (found?.from ?? []).entries()) {
    const from = index.get(predecessor);
    const to = index.get(found?.to[i] ?? 0);
    if (from === undefined || to === undefined) continue;
    columns.links.from.push(from);
    columns.links.to.push(to);
    columns.links.types.push(found?.types[i] ?? 'FS');
    columns.links.lags.push(found?.lags[i] ?? 0);
  }
  return columns;
}

async function readEarlierChain(db: Queryable, version: VersionRef): Promise<ChainColumns> {
  type Row = {
    position: number;
    id: string;
    minutes: number;
    after: { id: string; type: DependencyType; lag_minutes: number }[];
  };
  const index = new Map<string, number>();
  const before: string[] = [];
  const columns: ChainColumns = {
    durations: [],
    links: { from: [], to: [], types: [], lags: [] },
  };
  const { durations, links } = columns;
  for (let last = 0; ; ) {
    const { rows } = await db.execute<Row>(sql`
      select position, step_id as id, coalesce((content ->> 'duration_minutes')::float8, 0) as minutes,
        content -> 'after' as after
      from (${contentsOf(version, sql`s.position > ${last}`)}) c order by position limit ${pageSize}`);
    for (const { id, minutes, after } of rows) {
      const step = durations.push(minutes) - 1;
      index.set(id, step);
      for (const link of after) {
        before.push(link.id);
        links.to.push(step);
        links.types.push(link.type);
        links.lags.push(link.lag_minutes);
      }
    }
    const end = rows.at(-1);
    if (end === undefined || rows.length < pageSize) break;
    last = end.position;
  }
  // A step may wait for one that comes later, so names are looked up when all are known.
  links.from = before.map((id) => index.get(id) ?? 0);
  return columns;
}
