// Reads steps by page, ID or turn. Prepared: planning takes longer than running.
import { type SQL, sql } from 'drizzle-orm';
import type { Dependency } from '#domain/plan/dependency.ts';
import type { Step, StepStatus } from '#domain/plan/plan.ts';
import { prepareStatement, type Queryable, type Statement } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { isoOf } from '../time.ts';
import { firstOf } from './blocks.ts';
import { contentColumns } from './step-columns.ts';
import { isPresent } from './steps.ts';
import { numberIn, patternsOf, saysWords } from './words.ts';

type StepRow = Omit<Step, 'after'>;

const columns = sql`${sql.raw(
  's.position, c.effect, c.guarded, s.status, s.attempt, s.tries, s.result_summary, s.error, s.output, s.question, s.final_args',
)}, coalesce(c.label, s.position::text) as label, ${contentColumns}, ${sql.join(
  ['available_at', 'started_at', 'ended_at'].map(
    (column) => sql`${isoOf(`s.${column}`, 'milliseconds')} as ${sql.identifier(column)}`,
  ),
  sql`, `,
)}`;

const byPosition = sql`s.position`;

const plan = sql.placeholder('plan');
const positions = sql`${sql.placeholder('positions')}::int[]`;

const dependencies = prepareStatement(
  'read_dependencies',
  sql`
    select e.successor, p.id, e.type, e.lag_minutes
    from ${countersign}.plan_edges e cross join lateral (
      select step_id as id from ${countersign}.step_states p where p.plan_id = ${plan} and p.position = e.predecessor offset 0
    ) p
    where e.plan_id = ${plan} and e.successor = any(${positions})
    order by e.successor, e.predecessor, e.type`,
);

/** By predecessor's position, then type; steps without dependencies have no entry. */
async function readAfter(
  db: Queryable,
  planId: string,
  positions: number[],
): Promise<Map<number, Dependency[]>> {
  const found = new Map<number, Dependency[]>();
  const values = { plan: planId, positions };
  for (const row of await db.run<Dependency & { successor: number }>(dependencies, values)) {
    const { successor, ...dependency } = row;
    const known = found.get(successor);
    if (known === undefined) found.set(successor, [dependency]);
    else known.push(dependency);
  }
  return found;
}

/** `chosen`: a bounded number from `step_states`. Contents by position and name, so either index works without statistics. */
function prepareSelection(name: string, chosen: SQL, order: SQL = byPosition): Statement {
  return prepareStatement(
    name,
    sql`
      select ${columns}
      from (${chosen}) s cross join lateral (
        select * from ${countersign}.plan_steps c
        where c.plan_id = ${plan} and c.position = s.position and c.step_id = s.step_id offset 0
      ) c
      order by ${order}`,
  );
}

async function selectSteps(
  db: Queryable,
  selection: Statement,
  { plan: planId, ...values }: { plan: string; [name: string]: unknown },
): Promise<Step[]> {
  const rows = await db.run<StepRow>(selection, { plan: planId, ...values });
  if (rows.length === 0) return [];
  const after = await readAfter(
    db,
    planId,
    rows.map(({ position }) => position),
  );
  return rows.map((row) => ({ ...row, after: after.get(row.position) ?? [] }));
}

export type StepConditions = {
  status?: StepStatus[];
  partition?: string;
  unpartitioned?: true;
  operation?: string;
  tag?: string;
  /** All occur in its ID, description, operation, partition or arguments, ignoring case; or its number. */
  words?: string;
  /** Without those that a patch removed. */
  present?: true;
};

const afterPosition = sql.placeholder('after');
const limited = sql`limit ${sql.placeholder('limit')}::int`;
const pages = new Map<string, Statement>();

/** By blocks if only statuses are given, else by the most selective index. */
function choosePage({
  status,
  partition,
  unpartitioned,
  operation,
  tag,
  words,
  present,
}: StepConditions): SQL {
  const ofContents: SQL[] = [];
  if (partition !== undefined) ofContents.push(sql`c.partition = ${sql.placeholder('partition')}`);
  if (tag !== undefined)
    ofContents.push(sql`c.tags @> array[${sql.placeholder('tag')}]::text[] and c.tags <> '{}'`);
  if (words !== undefined)
    ofContents.push(saysWords(sql.placeholder('words'), sql.placeholder('number')));
  const ofGroup: SQL[] = [];
  if (unpartitioned === true) ofGroup.push(sql`s.partition is null`);
  if (operation !== undefined)
    ofGroup.push(sql`s.lane = any(array(
      select l.lane from ${countersign}.plan_lanes l
      where l.plan_id = ${plan} and l.tool || '_' || l.operation = ${sql.placeholder('operation')}))`);
  if (status !== undefined && ofContents.length + ofGroup.length === 0 && present !== true)
    return firstOf(plan, sql.placeholder('status'), afterPosition, sql.placeholder('limit'));
  const ofStates = [sql`s.plan_id = ${plan}`, ...ofGroup];
  if (status !== undefined)
    ofStates.push(sql`s.status = any(${sql.placeholder('status')}::text[])`);
  if (present === true) ofStates.push(isPresent);
  const isAll = (parts: SQL[]) => sql.join(parts, sql` and `);
  return ofContents.length === 0
    ? sql`select * from ${countersign}.step_states s where ${isAll(ofStates)} and s.position > ${afterPosition}
        order by s.position ${limited}`
    : sql`select s.* from ${countersign}.plan_steps c join ${countersign}.step_states s on s.position = c.position
        where c.plan_id = ${plan} and ${isAll([...ofContents, ...ofStates])} and c.position > ${afterPosition}
        order by c.position ${limited}`;
}

/** One statement per combination of conditions. */
function pageOf(conditions: StepConditions): Statement {
  const { status, partition, unpartitioned, operation, tag, words, present } = conditions;
  const given = {
    status,
    partition,
    unpartitioned: unpartitioned === true ? unpartitioned : undefined,
    operation,
    tag,
    words,
    present: present === true ? present : undefined,
  };
  const named = Object.entries(given).filter(([, value]) => value !== undefined);
  const name = ['read_page', ...named.map(([key]) => key)].join('_');
  const known = pages.get(name);
  if (known !== undefined) return known;
  const made = prepareSelection(name, choosePage(conditions));
  pages.set(name, made);
  return made;
}

export function readSteps(
  db: Queryable,
  planId: string,
  conditions: StepConditions,
  after: number,
  limit: number,
): Promise<Step[]> {
  const { status, partition, operation, tag, words } = conditions;
  if (status?.length === 0) return Promise.resolve([]);
  const filter = words === undefined ? {} : { words: patternsOf(words), number: numberIn(words) };
  const values = { plan: planId, status, partition, operation, tag, ...filter, after, limit };
  return selectSteps(db, pageOf(conditions), values);
}

const atPositions = prepareSelection(
  'read_steps_at',
  sql`select * from ${countersign}.step_states s where s.plan_id = ${plan} and s.position = any(${positions})`,
);

const byId = prepareSelection(
  'read_steps_by_id',
  sql`select s.* from ${countersign}.plan_steps c join ${countersign}.step_states s on s.position = c.position
    where s.plan_id = ${plan} and c.plan_id = ${plan} and c.step_id = any(${sql.placeholder('ids')}::text[])`,
);

export function readStepsAt(db: Queryable, planId: string, positions: number[]): Promise<Step[]> {
  return positions.length === 0
    ? Promise.resolve([])
    : selectSteps(db, atPositions, { plan: planId, positions });
}

const labelsById = prepareStatement(
  'read_step_labels',
  sql`select step_id as id, coalesce(label, position::text) as label from ${countersign}.plan_steps
    where plan_id = ${plan} and step_id = any(${sql.placeholder('ids')}::text[])`,
);

/** By step ID, without unknown IDs. */
export async function readLabels(
  db: Queryable,
  planId: string,
  ids: Iterable<string>,
): Promise<Map<string, string>> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return new Map();
  const rows = await db.run<{ id: string; label: string }>(labelsById, {
    plan: planId,
    ids: wanted,
  });
  return new Map(rows.map(({ id, label }) => [id, label]));
}

export async function readAsking(db: Queryable, planId: string, steps: Step[]): Promise<Step[]> {
  const known = new Set(steps.map(({ id }) => id));
  const asked = steps.flatMap(({ when }) => when.map(({ step }) => step));
  const missing = [...new Set(asked)].filter((id) => !known.has(id));
  return missing.length === 0 ? [] : readStepsById(db, planId, missing);
}

export function readStepsById(db: Queryable, planId: string, ids: string[]): Promise<Step[]> {
  return selectSteps(db, byId, { plan: planId, ids });
}

const inLine = sql`s.priority desc, s.dependents desc, s.available_at, s.position`;
const nextSteps = prepareSelection(
  'read_next_steps',
  sql`select * from ${countersign}.step_states s where s.plan_id = ${plan} and s.queued_at is not null
    order by ${inLine} ${limited}`,
  inLine,
);

export function readNextSteps(db: Queryable, planId: string, limit: number): Promise<Step[]> {
  return selectSteps(db, nextSteps, { plan: planId, limit });
}

const lastRank = sql`(select review_rank from ${countersign}.plan_steps where plan_id = ${plan} and position = ${afterPosition})`;
const reviewOrder = sql`s.review_rank desc, s.position`;
const joinContents = sql`${countersign}.plan_steps c join ${countersign}.step_states s
    on s.plan_id = ${plan} and s.position = c.position and ${isPresent}`;

const reviewPage = prepareSelection(
  'read_review_page',
  sql`select s.*, c.review_rank from ${joinContents}
    where c.plan_id = ${plan} and c.review_rank > 0
      and (${afterPosition}::int = 0 or (-c.review_rank, c.position) > (-${lastRank}, ${afterPosition}::int))
    order by c.review_rank desc, c.position ${limited}`,
  reviewOrder,
);

const readsPage = prepareSelection(
  'read_reads_page',
  sql`select s.* from ${joinContents}
    where c.plan_id = ${plan} and c.review_rank = 0
      and c.position > case when ${lastRank} = 0 then ${afterPosition}::int else 0 end
    order by c.position ${limited}`,
);

/** By rank: guarded, destructive, outgoing, other changes, reads; then position. @param after last position, 0 at first */
export async function readStepsForReview(
  db: Queryable,
  planId: string,
  after: number,
  limit: number,
): Promise<Step[]> {
  const calls = await selectSteps(db, reviewPage, { plan: planId, after, limit });
  if (calls.length === limit) return calls;
  const from = calls.length === 0 ? after : (calls.at(-1)?.position ?? 0);
  const rest = { plan: planId, after: from, limit: limit - calls.length };
  return [...calls, ...(await selectSteps(db, readsPage, rest))];
}

const maxCounted = 1000;

const differentCalls = prepareStatement(
  'read_different_calls',
  sql`
    with counted as (
      select c.position, c.review_rank, c.step_id, c.tool, c.operation, c.args, c.guarded, c."when", c.ask_before, c.not_before,
        (select max(e.lag_minutes) from ${countersign}.plan_edges e
          where e.plan_id = ${plan} and e.successor = c.position and e.lag_minutes > 0) as lag
      from ${joinContents}
      where c.plan_id = ${plan} and c.review_rank > 0
      order by c.review_rank desc, c.position limit ${sql.raw(String(maxCounted + 1))}
    ), different as (
      select min(position) as position, max(review_rank) as rank, count(*)::int as times,
        count(*) over ()::int as different, sum(count(*)) over ()::int as steps,
        case when count(distinct coalesce(not_before, '-infinity')) > 1 then json_agg(json_build_array(step_id, not_before)) end as moments
      from counted group by tool, operation, args, guarded, "when", ask_before, lag
    )
    select * from different order by rank desc, position ${limited}`,
);

type Moment = [id: string, not_before: string | null];

/** In review order, one step of each. Other conditions, waits or confirmations count. @returns `moments` if starts may differ */
export async function readDifferentCalls(
  db: Queryable,
  planId: string,
  limit: number,
): Promise<{
  calls: { step: Step; times: number; moments: Moment[] | null }[];
  steps: number;
  different: number;
  more: boolean;
}> {
  const rows = await db.run<{
    position: number;
    times: number;
    different: number;
    steps: number;
    moments: Moment[] | null;
  }>(differentCalls, { plan: planId, limit });
  const [first] = rows;
  if (first === undefined) return { calls: [], steps: 0, different: 0, more: false };
  const found = await selectSteps(db, atPositions, {
    plan: planId,
    positions: rows.map(({ position }) => position),
  });
  const byPosition = new Map(found.map((step) => [step.position, step]));
  const calls = rows.flatMap(({ position, times, moments }) => {
    const step = byPosition.get(position);
    return step === undefined ? [] : [{ step, times, moments }];
  });
  const more = first.steps > maxCounted;
  return { calls, steps: Math.min(first.steps, maxCounted), different: first.different, more };
}

export async function* iterateSteps(
  db: Queryable,
  planId: string,
  pageSize = 1000,
): AsyncGenerator<Step> {
  for (let last = 0; ; ) {
    const page = await readSteps(db, planId, { present: true }, last, pageSize);
    yield* page;
    const end = page.at(-1);
    if (end === undefined || page.length < pageSize) return;
    last = end.position;
  }
}
