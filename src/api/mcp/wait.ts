// plan_wait: answers when a plan changed since the cursor.
// Any gateway can continue; no database connection is held.
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { CountersignError } from '#domain/errors.ts';
import type { Plan } from '#domain/plan/plan.ts';
import type { Change } from '#domain/plan/views.ts';
import type { Service } from '#domain/service.ts';
import { stateOf } from './shapes.ts';

type Seen = { revision: number; state: string };

/** State, version, and how many things wait. */
function changeKeyOf(plan: Plan): string {
  const { waiting, unknown } = plan.counts;
  return [stateOf(plan), plan.version, waiting, unknown].join('.');
}

export function writeCursor(plan: Plan): string {
  return `${plan.revision}.${changeKeyOf(plan)}`;
}

const Cursor = z
  .string()
  .regex(/^\d{1,15}\.[a-z_]+\.\d+\.\d+\.\d+$/)
  .transform((cursor): Seen => {
    const end = cursor.indexOf('.');
    return { revision: Number(cursor.slice(0, end)), state: cursor.slice(end + 1) };
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

/** Without a cursor, waiting for approval is known unless asked by run. */
function isNews(plan: Plan, seen: Seen | null, knewPlan: boolean): boolean {
  if (seen !== null) return changeKeyOf(plan) !== seen.state;
  if (!knewPlan) return true;
  return stateOf(plan) !== 'awaiting_approval';
}

export type Waited = {
  plan: Plan;
  timed_out: boolean;
  /** Since the cursor, oldest first. */
  changes: Change[];
};

/** For steps; the plan's changes are always reported. */
const tellingStatuses = new Set<Change['status']>(['failed', 'waiting', 'unknown', 'stale']);
const maxChanges = 50;
const maxRead = 1000;

async function readChanges(service: Service, plan: Plan, since: number): Promise<Change[]> {
  const { changes } = await service.diff(plan.id, since, maxRead, true);
  return changes
    .filter(({ step_id, status }) => step_id === null || tellingStatuses.has(status))
    .slice(-maxChanges);
}

/** @param knewPlan asked by plan, not run @param report on each change */
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

export async function waitForRun(service: Service, runId: string, signal: AbortSignal) {
  for (;;) {
    const run = await service.getRun(runId);
    if (run.planning_status !== 'running' || signal.aborted) return run;
    try {
      await pause(lookEveryMs, undefined, { signal });
    } catch (error) {
      if (!signal.aborted) throw error; // timed out: answer with the run's current state
    }
  }
}
