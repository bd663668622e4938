// Planning runs. An outcome counts only for its turn.
import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, lt, sql } from 'drizzle-orm';
import type { RestingState } from '#domain/chat/chat.ts';
import { CountersignError } from '#domain/errors.ts';
import { Activity, type PlanningActivity } from '#domain/planning/activity.ts';
import type { RunView } from '#domain/planning/run.ts';
import { hasWorker } from '../backends.ts';
import type { Queryable, Transaction } from '../database.ts';
import { bossSchema, schemaName } from '../instance.ts';
import { countersign } from '../schema/columns.ts';
import { messages, runs } from '../schema.ts';

export type RunRow = typeof runs.$inferSelect;

export const runNotFound = (id: string) =>
  new CountersignError(
    'run_not_found',
    `There is no run ${id}. Check the ID in the answer to the request.`,
  );

/** @throws `run_not_found` */
export async function readRun(db: Queryable, id: string): Promise<RunRow> {
  const [row] = await db.select().from(runs).where(eq(runs.id, id));
  if (row !== undefined) return row;
  throw runNotFound(id);
}

/** The run's, otherwise that of the turn's author. */
export function tenantOfTurn({
  tenant,
  decision,
}: Pick<RunRow, 'tenant' | 'decision'>): string | null {
  return tenant ?? decision?.tenant ?? null;
}

/** @throws `run_not_found` */
export async function lockRun(tx: Transaction, id: string): Promise<RunRow> {
  const [row] = await tx.select().from(runs).where(eq(runs.id, id)).for('no key update');
  if (row !== undefined) return row;
  throw runNotFound(id);
}

export async function readRunCause(db: Queryable, id: string): Promise<string | null> {
  const [row] = await db.select({ cause: runs.traceparent }).from(runs).where(eq(runs.id, id));
  return row?.cause ?? null;
}

export async function insertRun(tx: Transaction, run: typeof runs.$inferInsert): Promise<void> {
  await tx.insert(runs).values(run);
}

export async function updateRun(
  tx: Transaction,
  id: string,
  set: Partial<typeof runs.$inferInsert>,
): Promise<void> {
  await tx
    .update(runs)
    .set({ ...set, updated_at: sql`clock_timestamp()` })
    .where(eq(runs.id, id));
}

export async function noteFeedbackMessage(
  tx: Transaction,
  id: string,
  message: number | null,
): Promise<void> {
  await tx
    .update(runs)
    .set({ request_message: message })
    .where(
      and(
        eq(runs.id, id),
        isNull(runs.request_message),
        sql`${runs.decision} ->> 'kind' = 'changes'`,
      ),
    );
}

export async function readLatestRun(db: Queryable, conversation: string): Promise<RunRow | null> {
  const [row] = await db
    .select()
    .from(runs)
    .where(eq(runs.conversation, conversation))
    .orderBy(desc(runs.created_at))
    .limit(1);
  return row ?? null;
}

/** It ended without a plan, unrejected, and its conversation has a later run. */
export const overtaken = sql`(r.planning_status = 'aborted' and coalesce(r.decision ->> 'kind', 'said') <> 'reject'
  and exists (select from ${countersign}.runs n where n.conversation = r.conversation and n.created_at > r.updated_at))`;

export async function isOvertaken(db: Queryable, runId: string): Promise<boolean> {
  return db.hasRows(sql`select from ${countersign}.runs r where r.id = ${runId} and ${overtaken}`);
}

/** One per conversation, at most 50, latest first. */
export async function readLatestRuns(db: Queryable, user: string, since: Date): Promise<RunRow[]> {
  const latest = db
    .selectDistinctOn([runs.conversation])
    .from(runs)
    .where(and(eq(runs.user, user), gt(runs.updated_at, since)))
    .orderBy(runs.conversation, desc(runs.created_at))
    .as('latest');
  return db.select().from(latest).orderBy(desc(latest.updated_at)).limit(50);
}

/** Oldest first, including those whose plan waits too. */
export async function readWaitingRuns(db: Queryable, conversation: string): Promise<RunRow[]> {
  return db
    .select()
    .from(runs)
    .where(
      and(
        eq(runs.conversation, conversation),
        inArray(runs.planning_status, ['needs_clarification', 'needs_scheduling_escalation']),
        isNotNull(runs.pause),
      ),
    )
    .orderBy(asc(runs.created_at));
}

export async function findAbandonedRuns(
  db: Queryable,
  seconds: number,
  limit: number,
): Promise<RunRow[]> {
  return db
    .select()
    .from(runs)
    .where(
      and(
        eq(runs.planning_status, 'running'),
        lt(runs.updated_at, sql`clock_timestamp() - make_interval(secs => ${seconds})`),
        // A queued run is not abandoned, however long the queue is.
        sql`not exists (
          select 1 from ${sql.identifier(bossSchema)}.job where name = 'plan' and policy = 'short' and state = 'created'
            and coalesce(singleton_key, '') = ${runs.id} || ':' || ${runs.turn})`,
      ),
    )
    .limit(limit);
}

/** Wakes viewers. Waits for a transaction that ends the turn. @returns false if it ended */
export async function noteActivity(
  db: Queryable,
  { id, turn }: Pick<RunRow, 'id' | 'turn'>,
  activity: Activity,
): Promise<boolean> {
  return db.hasRows(sql`
    with noted as (
      update ${countersign}.runs set activity = ${JSON.stringify(activity)}::jsonb
      where id = ${id} and turn = ${turn} and planning_status = 'running'
      returning conversation)
    select pg_notify(${schemaName}, 'activity:' || conversation) from noted`);
}

type Asked = { planning: PlanningActivity; asked: string | null; request: string };

const candidateLimit = 20;

export async function readActivity(db: Queryable, conversation: string): Promise<Asked | null> {
  const { id, turn, activity, planning_status, request, request_message, created_at } = runs;
  const latest = db
    .select({ id, turn, activity, planning_status, request, request_message, created_at })
    .from(runs)
    .where(eq(runs.conversation, conversation))
    .orderBy(desc(created_at))
    .limit(candidateLimit)
    .as('latest');
  const [row] = await db
    .select({
      id: latest.id,
      turn: latest.turn,
      activity: latest.activity,
      request: latest.request,
      asked: messages.once,
    })
    .from(latest)
    .leftJoin(messages, eq(messages.id, latest.request_message))
    .where(eq(latest.planning_status, 'running'))
    .orderBy(desc(latest.created_at))
    .limit(1);
  if (row === undefined) return null;
  const now = (await hasWorker(db)) ? activityOf(row) : noWorker;
  const { id: run_id, turn: of, asked, request: title } = row;
  return { planning: { run_id, turn: of, activity: now }, asked, request: title };
}

export async function readRestingState(db: Queryable, conversation: string): Promise<RestingState> {
  const { rows } = await db.execute<{ waits: boolean; lives: boolean; ended: boolean }>(sql`
    select coalesce(bool_or(attention), false) or exists (
        select from ${countersign}.runs where conversation = ${conversation} and pause ->> 'kind' <> 'plan'
          and planning_status in ('needs_clarification', 'needs_scheduling_escalation')) as waits,
      coalesce(bool_or(ended_as is null), false) as lives, count(*) > 0 as ended
    from ${countersign}.plans where conversation = ${conversation}`);
  const { waits = false, lives = false, ended = false } = rows[0] ?? {};
  if (waits) return 'suspended';
  return ended && !lives ? 'closed' : 'active';
}

const noWorker: Activity = { kind: 'waiting' };

/** Unreadable values come from another version. */
function activityOf({ activity }: Pick<RunRow, 'activity'>): Activity {
  const parsed = Activity.safeParse(activity);
  return parsed.success ? parsed.data : { kind: 'thinking' };
}

/** Says so if no planner is running. @throws `run_not_found` */
export async function readRunView(db: Queryable, id: string): Promise<RunView> {
  const view = toRunView(await readRun(db, id));
  return view.activity === undefined || (await hasWorker(db))
    ? view
    : { ...view, activity: noWorker };
}

export function toRunView(row: RunRow): RunView {
  return {
    run_id: row.id,
    planning_status: row.planning_status,
    turn: row.turn,
    ...(row.planning_status === 'running' ? { activity: activityOf(row) } : {}),
    ...(row.plan_id === null ? {} : { plan_id: row.plan_id }),
    response_text: row.response_text,
    ...(row.questions === null ? {} : { questions: row.questions }),
    ...(row.pattern === null ? {} : { pattern: row.pattern }),
    ...(row.rfc === null
      ? {}
      : { pattern_rfc_required: row.rfc.status === 'open', pattern_rfc_text: row.rfc.text }),
    ...(row.escalate_reason === null ? {} : { escalate_reason: row.escalate_reason }),
    ...(row.confidence === null ? {} : { confidence: row.confidence }),
    cost_usd: row.cost_usd,
  };
}
