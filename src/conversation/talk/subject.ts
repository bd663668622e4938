// The subject of a deciding word. Pure.
import type { RunRow } from '#db/planning/runs.ts';
import type { PlanRow } from '#db/plans/plans.ts';
import { waitsFor } from '#runs/session-subject.ts';

/** A waiting session, a plan in the version shown, or nothing yet. */
export type Subject = {
  conversation: string;
  runId: string | null;
  planning: boolean;
  /** The run whose waiting session is the subject. */
  session: RunRow | null;
  shown: { id: string; version: number; digest: string } | null;
};

/** A run's latest card: its session, or a version of its plan. */
export function subjectOfRun(run: RunRow): Subject {
  const { plan_id: id, plan_version: version, plan_digest: digest } = run;
  return {
    conversation: run.conversation,
    runId: run.id,
    planning: run.planning_status === 'running',
    session: waitsFor(run) === null ? null : run,
    shown: id === null || version === null || digest === null ? null : { id, version, digest },
  };
}

/** A plan shown in a conversation, whether planned there or sent to it. */
export function subjectOfPlan(conversation: string, plan: PlanRow): Subject {
  const { id, version, digest, run_id: runId } = plan;
  return { conversation, runId, planning: false, session: null, shown: { id, version, digest } };
}
