// Plans for planners, cut in the database.
import { type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '#db/database.ts';
import { readScheduledSteps } from '#db/planning/artifacts.ts';
import { readPlanLimit } from '#db/planning/spending.ts';
import { listFindings, openFinding } from '#db/plans/findings.ts';
import { findWaitingPatch, readPatchOutcome } from '#db/plans/patches.ts';
import { type PlanRow, readPlanRow } from '#db/plans/plans.ts';
import { coveredBy } from '#db/plans/replanning.ts';
import { countersign } from '#db/schema.ts';
import { stepsOf } from '#db/steps/blocks.ts';
import { isoOf } from '#db/time.ts';
import { sayLag } from '#domain/length.ts';
import type { BriefPage, BriefPlan, BriefStep } from '#domain/plan/brief.ts';
import type { StepCondition } from '#domain/plan/condition.ts';
import type { Dependency } from '#domain/plan/dependency.ts';
import type { Finding } from '#domain/plan/finding.ts';
import type { Series, StepStatus } from '#domain/plan/plan.ts';
import { maxNumbered } from '#domain/plan/step-numbers.ts';
import { writeTemplates } from '#domain/plan/templates.ts';
import { isObject, parseJson } from '#domain/text.ts';
import { shorten } from '#domain/words.ts';
import { readVersion } from '../content/preflight.ts';
import { mayBeApproved } from '../lifecycle/lifecycle-table.ts';

type Cut = { args: number; output: number };
const cutInBrief: Cut = { args: 200, output: 2000 };
const cutOnPage: Cut = { args: 600, output: 1200 };

/** Fewer if long: a model sees 20,000 characters per answer. */
const pageSize = 20;
const maxPage = 16_000;
/** Other plans show fewer. */
const stepsOfLatest = maxNumbered;
const stepsOfOthers = 8;
const maxPlans = 3;
const maxFindings = 5;
const maxSeries = 10;
/** Older ones only on request. */
const recentDays = 14;

/** Longer ones are cut as text. */
const maxArgs = 4000;

/** Templates as a model writes them; long values are cut before names. */
function writeArgs(text: string, most: number): string {
  const args = parseJson(text);
  if (!isObject(args)) return shorten(text, most);
  const written = writeTemplates(args);
  const whole = JSON.stringify(written);
  if (whole.length <= most) return whole;
  const ofValue = Math.floor((most * 2) / 3);
  const cut = (_: string, value: unknown) =>
    typeof value === 'string' ? shorten(value, ofValue) : value;
  return shorten(JSON.stringify(written, cut), 2 * most);
}

type Row = Omit<
  BriefStep,
  'after' | 'when' | 'takes' | 'starts_at' | 'ends_at' | 'output' | 'error' | 'question' | 'asks'
> & {
  takes: string | null;
  starts_at: string | null;
  position: number;
  after: Dependency[];
  conditions: StepCondition[] | null;
  output: string | null;
  error: string | null;
  question: string | null;
  asks: string | null;
};

/** @param chosen query of `position`s */
async function readBriefSteps(
  db: Queryable,
  planId: string,
  chosen: SQL,
  { args, output }: Cut,
): Promise<Row[]> {
  const cut = (text: SQL, most: number) =>
    sql`case when length(${text}) > ${most} then left(${text}, ${most}) || '…' else ${text} end`;
  const rows = await db.rows<Row>(sql`
    select s.position, coalesce(c.label, s.position::text) as label, s.step_id as id, s.status, left(c.description, 300) as description,
      c.tool || '_' || c.operation as operation, ${isoOf('c.not_before', 'milliseconds')} as starts_at, c."when" as conditions,
      coalesce(c.duration, c.duration_minutes || ' min') as takes, ${cut(sql`c.args::text`, maxArgs)} as args,
      case when s.output <> 'null'::jsonb then ${cut(sql`s.output::text`, output)} end as output,
      left(s.error ->> 'message', ${output}) as error, left(s.question, ${output}) as question,
      case when c.tool || '_' || c.operation in ('human_task', 'human_confirm')
        then coalesce(s.output ->> 'assignee', c.args ->> 'assignee') end as asks,
      (select coalesce(json_agg(json_build_object('id', w.step_id, 'type', w.type, 'lag_minutes', w.lag_minutes)), '[]') from (
        select p.step_id, e.type, e.lag_minutes from ${countersign}.plan_edges e
        join ${countersign}.step_states p on p.plan_id = e.plan_id and p.position = e.predecessor
        where e.plan_id = s.plan_id and e.successor = s.position order by e.predecessor limit 50) w) as after
    from (${chosen}) chosen
    join ${countersign}.step_states s on s.plan_id = ${planId} and s.position = chosen.position
    join ${countersign}.plan_steps c on c.plan_id = s.plan_id and c.position = s.position
    order by s.position`);
  return rows.map((row) => ({ ...row, args: writeArgs(row.args, args) }));
}

function describeEdge({ id, type, lag_minutes }: Dependency): string {
  const way = [
    ...(type === 'FS' ? [] : [type]),
    ...(lag_minutes === 0 ? [] : [sayLag(lag_minutes)]),
  ];
  return way.length === 0 ? id : `${id} (${way.join(', ')})`;
}

function toBriefStep({
  position: _,
  after,
  conditions,
  takes,
  starts_at,
  output,
  error,
  question,
  asks,
  ...step
}: Row): BriefStep {
  return {
    ...step,
    after: after.map(describeEdge),
    ...(conditions === null || conditions.length === 0 ? {} : { when: conditions }),
    ...(takes === null ? {} : { takes }),
    ...(starts_at === null ? {} : { starts_at }),
    ...(output === null ? {} : { output }),
    ...(error === null ? {} : { error }),
    ...(question === null || step.status !== 'waiting' ? {} : { question }),
    ...(asks === null || step.status !== 'waiting' ? {} : { asks }),
  };
}

/** Asked about when a plan went wrong. */
const notable: StepStatus[] = ['failed', 'unknown', 'waiting', 'running', 'stale'];

function chooseSteps(planId: string, most: number): SQL {
  return sql`
    select position from (
      (select position, 0 as rank from ${stepsOf(planId, notable)} order by position limit ${most})
      union all
      (select s.position, 1 from ${countersign}.step_states s
        where s.plan_id = ${planId} order by s.position limit ${most})
    ) found group by position order by min(rank), position limit ${most}`;
}

const toBrief = ({
  id,
  severity,
  category,
  message,
  step_id,
  partition,
  status,
  stale_steps,
}: Finding): NonNullable<BriefPlan['findings']>[number] => ({
  id,
  severity,
  category,
  message: shorten(message, 300),
  step_id,
  partition,
  status,
  stale_steps,
});

const toBriefSeries = ({ steps, ...series }: Series): NonNullable<BriefPlan['series']>[number] => ({
  ...series,
  steps: steps.slice(0, maxSeries).map(({ id = '' }) => id),
});

async function describePlan(db: Queryable, row: PlanRow, steps: BriefStep[]): Promise<BriefPlan> {
  const { id, title, status, revision, total, result_summary: result } = row;
  const waiting = await findWaitingPatch(db, id);
  const change = waiting === null ? null : await readPatchOutcome(db, waiting.id);
  const limit = await readPlanLimit(db, id);
  const { series } = await readVersion(db, row);
  const { findings } = await listFindings(db, id, {
    status: [...openFinding],
    limit: maxFindings,
  });
  return {
    id,
    title: shorten(title, 200),
    status,
    revision,
    total_steps: total,
    ...(mayBeApproved(status)
      ? { waits: { requester: row.requester, approvers: row.approver_policy } }
      : {}),
    result: result === null ? null : shorten(result, 500),
    cost_usd: row.cost_usd,
    ...(limit === undefined ? {} : { budget_usd: limit }),
    ...(series.length === 0 ? {} : { series: series.slice(0, maxSeries).map(toBriefSeries) }),
    ...(change === null
      ? {}
      : {
          waiting_change: {
            proposed_by: change.proposed_by,
            changes: change.changes.map((text) => shorten(text, 200)),
          },
        }),
    ...(findings.length === 0 ? {} : { findings: findings.map(toBrief) }),
    steps,
  };
}

/** Latest first. */
export async function readBriefs(db: Queryable, conversation: string): Promise<BriefPlan[]> {
  const { rows } = await db.execute<{ id: string }>(sql`
    select id from ${countersign}.plans p
    where conversation = ${conversation} and (status <> 'rejected' or revising)
      and (status not in ('completed', 'failed', 'cancelled')
        or updated_at > clock_timestamp() - make_interval(days => ${recentDays}))
    order by created_at desc, id desc limit ${maxPlans}`);
  const briefs: BriefPlan[] = [];
  for (const [index, { id }] of rows.entries()) {
    const row = await readPlanRow(db, id);
    const most = index === 0 ? stepsOfLatest : stepsOfOthers;
    const steps = await readBriefSteps(db, id, chooseSteps(id, most), cutInBrief);
    const people = { asked_by: row.requester, decided_by: row.decided_by };
    briefs.push({ ...(await describePlan(db, row, steps.map(toBriefStep))), people });
  }
  return briefs;
}

/** @param after last position read, or 0 @throws `plan_not_found` */
export async function readBriefPage(
  db: Queryable,
  planId: string,
  after: number,
): Promise<BriefPage> {
  return readPage(
    db,
    planId,
    sql`
    select s.position from ${countersign}.step_states s
    where s.plan_id = ${planId} and s.position > ${after}
    order by s.position limit ${pageSize + 1}`,
  );
}

/** And those it covers. @throws `plan_not_found` */
export async function readAffectedPage(
  db: Queryable,
  planId: string,
  { id, step_id, partition }: Pick<Finding, 'id' | 'step_id' | 'partition'>,
  after: number,
): Promise<BriefPage> {
  return readPage(
    db,
    planId,
    sql`
    select position from (
      select position from ${countersign}.plan_steps
      where plan_id = ${planId} and (step_id = ${step_id} or partition = ${partition})
      union select s.position from ${coveredBy(planId, id, ['stale', 'running', 'unknown'])}
    ) found where position > ${after} order by position limit ${pageSize + 1}`,
  );
}

async function readPage(db: Queryable, planId: string, chosen: SQL): Promise<BriefPage> {
  const row = await readPlanRow(db, planId);
  const found = await readBriefSteps(db, planId, chosen, cutOnPage);
  let length = 0;
  const page = found.slice(0, pageSize).filter((step) => {
    length += JSON.stringify(step).length;
    return length <= maxPage;
  });
  const scheduled = new Map(
    (
      await readScheduledSteps(
        db,
        planId,
        row.version,
        page.map(({ id }) => id),
      )
    ).map(({ step_id, starts_at, ends_at, deadline }) => [
      step_id,
      { starts_at, ends_at, ...(deadline === null ? {} : { deadline }) },
    ]),
  );
  const steps = page.map((step) => ({ ...toBriefStep(step), ...scheduled.get(step.id) }));
  const plan = await describePlan(db, row, steps);
  return { ...plan, next: page.length < found.length ? (page.at(-1)?.position ?? null) : null };
}
