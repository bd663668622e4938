// What a deciding word refers to. Pure.
import type { RunRow } from '#db/planning/runs.ts';
import type { PlanRow } from '#db/plans/plans.ts';
import { waitsFor } from '#runs/session-subject.ts';

/** What a deciding word is about: a session that waits, a plan in the version that was shown, or as yet none. */
export type Subject = {
  conversation: string;
  runId: string | null;
  planning: boolean;
  /** The run whose session waits; then the word is about that. */
  session: RunRow | null;
  shown: { id: string; version: number; digest: string } | null;
};

/** What was last shown in a run: its session's, or a version of its plan. */
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

/** A plan that is shown in a conversation, whether it was planned there or sent to it. */
export function subjectOfPlan(conversation: string, plan: PlanRow): Subject {
  const { id, version, digest, run_id: runId } = plan;
  return { conversation, runId, planning: false, session: null, shown: { id, version, digest } };
}
