// Records a planner's activity for the people who wait, and stops it when its turn ends.
import { setTimeout as pause } from 'node:timers/promises';
import { noteActivity, type RunRow, readRun } from '#db/planning/runs.ts';
import type { Activity, ReportActivity } from '#domain/planning/activity.ts';
import type { ConversationContext } from '#messages/context.ts';

/** Milliseconds between updates: people read no faster, and chat platforms accept no more. */
const paceMs = 1000;
/** A faster plan would only be preceded by “thinking”, which is shown already. */
const firstMs = 300;
/** Milliseconds after which unchanged activity is sent again, for indicators that fade (Teams' typing). */
const againMs = 4000;

export type FollowedPlanner = {
  report: ReportActivity;
  /** Aborts when the turn ends: it was stopped, or a new message came. */
  over: AbortSignal;
  /** Nothing is recorded after this. */
  close(): Promise<void>;
};

/** Follows a turn's planner. Failures to record are only logged. */
export function followPlanner(
  { db, listener, warn }: Pick<ConversationContext, 'db' | 'listener' | 'warn'>,
  { id, turn, activity: stored }: Pick<RunRow, 'id' | 'turn' | 'activity'>,
): FollowedPlanner {
  const over = new AbortController();
  const closing = new AbortController();
  let latest: Activity = { kind: 'thinking' };
  let wake = () => {};
  let noted = JSON.stringify(stored ?? latest);

  const nap = (ms: number) => pause(ms, undefined, { signal: closing.signal }).catch(() => {});

  async function checkTurn(): Promise<void> {
    const run = await readRun(db.query, id);
    if (run.turn !== turn || run.planning_status !== 'running') over.abort();
  }

  async function keepNoting(): Promise<void> {
    await nap(firstMs);
    while (!closing.signal.aborted) {
      const news = new Promise<void>((resolve) => {
        wake = resolve;
      });
      if (JSON.stringify(latest) === noted) await Promise.race([news, nap(againMs)]);
      if (closing.signal.aborted) return;
      const activity = latest;
      if (!(await noteActivity(db.query, { id, turn }, activity))) return over.abort();
      noted = JSON.stringify(activity);
      await nap(paceMs);
    }
  }

  const off = listener.on(`stop:${id}`, () => {
    checkTurn().catch((error: unknown) => warn(`Run ${id} could not be looked at.`, error));
  });
  const noting = keepNoting().catch((error: unknown) =>
    warn(`What the planner of run ${id} does is not shown.`, error),
  );
  return {
    report(activity) {
      latest = activity;
      wake();
    },
    over: over.signal,
    async close() {
      off();
      closing.abort();
      wake();
      await noting;
    },
  };
}
