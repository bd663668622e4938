// plan_wait: answers as soon as a plan stands otherwise than its agent has seen it. What was seen is in the cursor the agent sends, so
// any gateway goes on waiting and nothing is missed in between. While it waits it holds no connection of the database.
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { CountersignError } from '#domain/errors.ts';
import type { Plan } from '#domain/plan/plan.ts';
import type { Change } from '#domain/plan/views.ts';
import type { Service } from '#domain/service.ts';
import { stateOf } from './shapes.ts';

/** The revision that was seen, and how the plan stood then. */
type Seen = { revision: number; standing: string };

/** What has to differ for an agent to be told: the state, the version, how much waits for people. */
function standingOf(plan: Plan): string {
  const { waiting, unknown } = plan.counts;
  return [stateOf(plan), plan.version, waiting, unknown].join('.');
}

export function writeCursor(plan: Plan): string {
  return `${plan.revision}.${standingOf(plan)}`;
}

const Cursor = z
  .string()
  .regex(/^\d{1,15}\.[a-z_]+\.\d+\.\d+\.\d+$/)
  .transform((cursor): Seen => {
    const end = cursor.indexOf('.');
    return { revision: Number(cursor.slice(0, end)), standing: cursor.slice(end + 1) };
  });

function readCursor(cursor: string | undefined): Seen | null {
  if (cursor === undefined) return null;
  const seen = Cursor.safeParse(cursor);
  if (seen.success) return seen.data;
  throw new CountersignError(
    'invalid_request',
    '"cursor" is none that was given out. Send the cursor of the last answer, or leave it out.',
  );
}

/** Whether the agent has seen it like this. Without a cursor it has seen that the plan waits for approval, unless it only knew a run. */
function isNews(plan: Plan, seen: Seen | null, knewPlan: boolean): boolean {
  if (seen !== null) return standingOf(plan) !== seen.standing;
  if (!knewPlan) return true;
  return stateOf(plan) !== 'awaiting_approval';
}

export type Waited = {
  plan: Plan;
  /** The time ran out, and nothing has changed that an agent is told of. */
  timed_out: boolean;
  /** What happened since the cursor, oldest first. */
  changes: Change[];
};

/** Kinds of changes of steps that an agent is told of; those of the plan itself it is told all. */
const tellingStatuses = new Set<Change['status']>(['failed', 'waiting', 'unknown', 'stale']);
const maxChanges = 50;
/** Changes read to find those: what came before them an agent sees in the counts. */
const maxRead = 1000;

async function readChanges(service: Service, plan: Plan, since: number): Promise<Change[]> {
  const { changes } = await service.diff(plan.id, since, maxRead, true);
  return changes
    .filter(({ step_id, status }) => step_id === null || tellingStatuses.has(status))
    .slice(-maxChanges);
}

/**
 * @param knewPlan the agent asked by the plan, not by the run that made it
 * @param signal ends the waiting: the time is over, the agent has left, or the server closes
 * @param report is told how the plan stands whenever it has changed
 */
export async function waitForPlan(
  service: Service,
  id: string,
  knewPlan: boolean,
  cursor: string | undefined,
  signal: AbortSignal,
  report: (plan: Plan) => Promise<void>,
): Promise<Waited> {
  const seen = readCursor(cursor);
  let plan = await service.getPlan(id);
  const since = seen?.revision ?? 0;
  if (!isNews(plan, seen, knewPlan)) {
    for await (const _ of service.watchPlan(id, plan.revision, signal)) {
      plan = await service.getPlan(id);
      if (isNews(plan, seen, knewPlan)) break;
      await report(plan);
    }
  }
  const changes = await readChanges(service, plan, since);
  return { plan, timed_out: !isNews(plan, seen, knewPlan), changes };
}

const lookEveryMs = 1000;

/** Waits until the planner is done with a run. @returns what became of it, or of it so far */
export async function waitForRun(service: Service, runId: string, signal: AbortSignal) {
  for (;;) {
    const run = await service.getRun(runId);
    if (run.planning_status !== 'running' || signal.aborted) return run;
    try {
      await pause(lookEveryMs, undefined, { signal });
    } catch (error) {
      if (!signal.aborted) throw error; // it is over: how the run stands then is the answer
    }
  }
}
