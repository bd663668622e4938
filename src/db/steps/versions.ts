// Plan versions as step rows with a validity range.
import { type SQL, sql } from 'drizzle-orm';
import type { DependencyType } from '#domain/plan/dependency.ts';
import type { StepContent } from '#domain/plan/step-content.ts';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { isoOf } from '../time.ts';
import { comparedColumns, contentColumns, rowColumns, storedValues } from './step-columns.ts';

/** For the row `c` of `plan_steps`, except on steps that the waiting version `without` removes. */
const linksWithout = (without: SQL) => sql`(
  select coalesce(jsonb_agg(jsonb_build_object('id', p.step_id, 'type', e.type, 'lag_minutes', e.lag_minutes)
    order by e.predecessor, e.type), '[]')
  from ${countersign}.plan_edges e
  join ${countersign}.plan_steps p on p.plan_id = e.plan_id and p.position = e.predecessor
  where e.plan_id = c.plan_id and e.successor = c.position and ${without})`;

const links = linksWithout(sql`true`);

/** The row `w` of `past_steps` begins or ends with a waiting version. */
const waits = sql`(w.until is null or w.until = w.since)`;

const isReplaced = (planId: string, version: number, position: SQL) => sql`exists (
  select from ${countersign}.past_steps w
  where w.plan_id = ${planId} and w.position = ${position} and w.since = ${version} and ${waits})`;

const list = (columns: readonly string[], alias: string): SQL =>
  sql.raw(columns.map((column) => `${alias}.${column}`).join(', '));

/** Earlier versions keep them, with the current edges. */
export async function endRows(
  tx: Queryable,
  planId: string,
  version: number,
  positions: number[] | 'all',
): Promise<void> {
  if (positions.length === 0) return;
  const which =
    positions === 'all' ? sql`true` : sql`c.position = any(${sql.param(positions)}::int[])`;
  await tx.execute(sql`
    insert into ${countersign}.past_steps (plan_id, ${sql.raw(rowColumns.join(', '))}, until, after)
    select c.plan_id, ${list(rowColumns, 'c')}, ${version}::int, ${links}
    from ${countersign}.plan_steps c where c.plan_id = ${planId} and c.until is null and ${which}`);
}

/** Rows that replaced equal ones keep the first version of those. */
export async function continueRows(tx: Queryable, planId: string, version: number): Promise<void> {
  const columns = rowColumns.filter((column) => column !== 'since');
  const replaced = sql`c.plan_id = ${planId} and p.plan_id = ${planId} and p.until = ${version} and p.position = c.position`;
  await tx.execute(sql`
    update ${countersign}.plan_steps c set since = p.since from ${countersign}.past_steps p
    where ${replaced} and p.after = ${links}
      and (${list(columns, 'p')}) is not distinct from (${list(columns, 'c')})`);
  await tx.execute(sql`
    delete from ${countersign}.past_steps p using ${countersign}.plan_steps c
    where ${replaced} and p.since = c.since`);
}

const insertedAtOnce = 1000;

/** Added or changed steps, and ends of removed ones. The trigger `forget_waiting` deletes them once decided. */
export async function insertWaiting(
  tx: Queryable,
  planId: string,
  version: number,
  steps: PlacedStep[],
  removed: number[],
): Promise<void> {
  const columns = sql.raw(rowColumns.filter((column) => column !== 'since').join(', '));
  for (let from = 0; from < steps.length; from += insertedAtOnce) {
    const some = steps.slice(from, from + insertedAtOnce);
    const values = some.map((step) => ({ ...step, ...storedValues(step) }));
    await tx.execute(sql`
      insert into ${countersign}.past_steps (plan_id, since, ${columns}, after)
      select ${planId}, ${version}, ${columns}, after
      from jsonb_populate_recordset(null::${countersign}.past_steps, ${JSON.stringify(values)}::jsonb)`);
  }
  if (removed.length === 0) return;
  await tx.execute(sql`
    insert into ${countersign}.past_steps (plan_id, since, until, ${columns}, after)
    select plan_id, ${version}, ${version}, ${columns}, '[]' from ${countersign}.plan_steps
    where plan_id = ${planId} and position = any(${sql.param(removed)}::int[])`);
}

export async function readWaiting(
  db: Queryable,
  planId: string,
  version: number,
): Promise<{ steps: PlacedStep[]; removed: string[] } | null> {
  const { rows: found } = await db.execute<PlacedStep & { removed: boolean }>(sql`
    select c.position, c.label, c.until is not null as removed, ${contentColumns}, c.after
    from ${countersign}.past_steps c
    where c.plan_id = ${planId} and c.since = ${version} and (c.until is null or c.until = c.since)
    order by c.position`);
  if (found.length === 0) return null;
  return {
    steps: found.flatMap(({ removed, ...step }) => (removed ? [] : [step])),
    removed: found.flatMap(({ id, removed }) => (removed ? [id] : [])),
  };
}

function rows(planId: string, current: SQL, past: SQL, after = links): SQL {
  return sql`
    select ${list(rowColumns, 'c')}, ${after} as after from ${countersign}.plan_steps c
    where c.plan_id = ${planId} and c.until is null and ${current}
    union all
    select ${list(rowColumns, 'c')}, c.after from ${countersign}.past_steps c where c.plan_id = ${planId} and ${past}`;
}

function rowsAt(planId: string, version: number): SQL {
  const isGone = (position: SQL) => isReplaced(planId, version, position);
  return rows(
    planId,
    sql`c.since <= ${version} and not ${isGone(sql`c.position`)}`,
    sql`c.since <= ${version} and (c.until > ${version} or c.until is null)`,
    // Steps that are only replaced stay.
    linksWithout(sql`not exists (
      select from ${countersign}.past_steps w where w.plan_id = ${planId} and w.position = e.predecessor
        and w.since = ${version} and w.until = w.since)`),
  );
}

/** Valid at only one of two versions. */
function rowsBetween(planId: string, earlier: number, later: number): { ended: SQL; begun: SQL } {
  const begun = sql`c.since > ${earlier} and c.since <= ${later}`;
  const isGone = isReplaced(planId, later, sql`c.position`);
  return {
    ended: rows(
      planId,
      sql`c.since <= ${earlier} and ${isGone}`,
      sql`c.since <= ${earlier} and c.until > ${earlier} and c.until <= ${later}`,
    ),
    begun: rows(
      planId,
      sql`c.since > 1 and ${begun} and not ${isGone}`,
      sql`${begun} and (c.until > ${later} or c.until is null)`,
    ),
  };
}

export type StepDifference = {
  kind: 'added' | 'removed' | 'changed';
  /** All that differ this way; only the first are listed. */
  total: number;
  before: StepContent | null;
  after: StepContent | null;
};

type PlacedContent = StepContent & { position: number };
type PlacedStep = PlacedContent & { label: string | null };

async function readContents(
  db: Queryable,
  planId: string,
  version: number,
  which: SQL,
): Promise<PlacedContent[]> {
  const { rows: found } = await db.execute<PlacedContent>(sql`
    select c.position, ${contentColumns}, c.after from (${rowsAt(planId, version)}) c where ${which} order by c.position`);
  return found;
}

const readAtOnce = 1000;

export async function* iterateContents(
  db: Queryable,
  planId: string,
  version: number,
): AsyncGenerator<PlacedContent> {
  const { rows: found } = await db.execute<{ last: number | null }>(
    sql`select max(position) as last from (${rowsAt(planId, version)}) c`,
  );
  const last = found[0]?.last ?? 0;
  for (let from = 0; from < last; from += readAtOnce) {
    const isBetween = sql`c.position > ${from} and c.position <= ${from + readAtOnce}`;
    yield* await readContents(db, planId, version, isBetween);
  }
}

/** With their number of steps, in the database's order. */
export async function countOperations(
  db: Queryable,
  planId: string,
  version: number,
): Promise<{ operation: string; steps: number }[]> {
  const { rows: found } = await db.execute<{ operation: string; steps: number }>(sql`
    select c.tool || '_' || c.operation as operation, count(*)::int as steps
    from (${rowsAt(planId, version)}) c group by c.tool, c.operation order by 1`);
  return found;
}

export async function readPositions(
  db: Queryable,
  planId: string,
  { ids = [], positions = [] }: { ids?: Iterable<string>; positions?: number[] },
): Promise<Map<string, number>> {
  const named = [...ids];
  if (named.length + positions.length === 0) return new Map();
  const which =
    named.length > 0
      ? sql`step_id = any(${sql.param(named)}::text[])`
      : sql`position = any(${sql.param(positions)}::int[])`;
  const { rows: found } = await db.execute<{ id: string; position: number }>(sql`
    select step_id as id, position from ${countersign}.plan_steps
    where plan_id = ${planId} and ${which} order by position`);
  return new Map(found.map(({ id, position }) => [id, position]));
}

export async function readContentsById(
  db: Queryable,
  planId: string,
  version: number,
  ids: string[],
): Promise<PlacedContent[]> {
  if (ids.length === 0) return [];
  return readContents(db, planId, version, sql`c.step_id = any(${sql.param(ids)}::text[])`);
}

export async function readLabelsAt(
  db: Queryable,
  planId: string,
  version: number,
  ids: string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const { rows: found } = await db.execute<{ id: string; label: string }>(sql`
    select c.step_id as id, coalesce(c.label, c.position::text) as label from (${rowsAt(planId, version)}) c
    where c.step_id = any(${sql.param(ids)}::text[])`);
  return new Map(found.map(({ id, label }) => [id, label]));
}

const asSet = (side: string): SQL =>
  sql.raw(`(select jsonb_agg(link order by link) from jsonb_array_elements(${side}.after) link)`);

/** The first `limit` of each kind, by position. */
export async function compareSteps(
  db: Queryable,
  planId: string,
  from: number,
  to: number,
  limit: number,
): Promise<StepDifference[]> {
  const { ended, begun } = rowsBetween(planId, Math.min(from, to), Math.max(from, to));
  const [before, after] = from < to ? [ended, begun] : [begun, ended];
  type Place = { kind: StepDifference['kind']; total: number; a: number | null; b: number | null };
  const { rows: places } = await db.execute<Place>(sql`
    with compared as (
      select a.position as a, b.position as b,
        case when a.step_id is null then 'added' when b.step_id is null then 'removed' else 'changed' end as kind
      from (${before}) a full join (${after}) b on a.step_id = b.step_id
      where a.step_id is null or b.step_id is null
        or (${list(comparedColumns, 'a')}) is distinct from (${list(comparedColumns, 'b')})
        or (a.after <> b.after and ${asSet('a')} is distinct from ${asSet('b')})
    ),
    ranked as (
      select *, row_number() over (partition by kind order by coalesce(b, a)) as place,
        count(*) over (partition by kind)::int as total
      from compared
    )
    select kind, total, a, b from ranked where place <= ${limit} order by kind, place`);
  const contentsAt = async (version: number, positions: (number | null)[]) => {
    const which = sql`c.position = any(${sql.param(positions.filter((one) => one !== null))}::int[])`;
    const found = await readContents(db, planId, version, which);
    return new Map<number | null, StepContent>(found.map((one) => [one.position, one]));
  };
  const old = await contentsAt(
    from,
    places.map(({ a }) => a),
  );
  const now = await contentsAt(
    to,
    places.map(({ b }) => b),
  );
  return places.map(({ kind, total, a, b }) => ({
    kind,
    total,
    before: old.get(a) ?? null,
    after: now.get(b) ?? null,
  }));
}

/** When the first dated step may begin, and whether any states a duration. */
export async function readTiming(
  db: Queryable,
  planId: string,
  version: number,
): Promise<{ steps: number; earliest: string | null; timed: boolean }> {
  const { rows: found } = await db.execute<{
    steps: number;
    earliest: string | null;
    timed: boolean;
  }>(sql`
    select count(*)::int as steps, ${isoOf('min(not_before)', 'milliseconds')} as earliest,
      count(duration_minutes) > 0 as timed
    from (${rowsAt(planId, version)}) c`);
  return found[0] ?? { steps: 0, earliest: null, timed: false };
}

/** Minutes. Steps are numbered from 0, in no order. */
export type ChainColumns = {
  durations: number[];
  links: { from: number[]; to: number[]; types: DependencyType[]; lags: number[] };
};

/** A few numbers for each step and link. */
export async function readChain(
  db: Queryable,
  planId: string,
  version: number,
): Promise<ChainColumns> {
  type Steps = { positions: number[] | null; ids: string[]; durations: number[] };
  const { rows: steps } = await db.execute<Steps>(sql`
    select array_agg(position) as positions, array_agg(step_id) as ids,
      array_agg(coalesce(duration_minutes, 0)) as durations
    from (${rowsAt(planId, version)}) c`);
  type Links = ChainColumns['links'] & { from: number[] | null; ids: (string | null)[] };
  const { rows: found } = await db.execute<Links>(sql`
    select array_agg("from") as "from", array_agg(id) as ids, array_agg("to") as "to", array_agg(type) as types,
      array_agg(lag_minutes) as lags
    from (
      select predecessor as "from", null as id, successor as "to", type, lag_minutes from ${countersign}.plan_edges
      where plan_id = ${planId} and successor not in (
        select position from ${countersign}.plan_steps where plan_id = ${planId} and since > ${version} and since > 1
        union all select position from ${countersign}.past_steps w where plan_id = ${planId} and since = ${version} and ${waits})
      union all
      select 0, l.id, c.position, l.type, l.lag_minutes from ${countersign}.past_steps c
      cross join lateral jsonb_to_recordset(c.after) l (id text, type text, lag_minutes int)
      where c.plan_id = ${planId} and c.since <= ${version} and (c.until > ${version} or c.until is null)
    ) link`);
  const [all] = steps;
  const places = new Map<number | string, number>();
  for (const [place, position] of (all?.positions ?? []).entries()) {
    places.set(position, place);
    places.set(all?.ids[place] ?? '', place);
  }
  const links: ChainColumns['links'] = { from: [], to: [], types: [], lags: [] };
  const [kept] = found;
  for (const [nth, position] of (kept?.from ?? []).entries()) {
    const from = places.get(kept?.ids[nth] ?? position);
    const to = places.get(kept?.to[nth] ?? 0);
    if (from === undefined || to === undefined) continue;
    links.from.push(from);
    links.to.push(to);
    links.types.push(kept?.types[nth] ?? 'FS');
    links.lags.push(kept?.lags[nth] ?? 0);
  }
  return { durations: all?.durations ?? [], links };
}
