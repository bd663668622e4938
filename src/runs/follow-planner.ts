// While a planner works: what it is doing is noted for the people who wait, and it is stopped when its turn is over.
import { setTimeout as pause } from 'node:timers/promises';
import { noteActivity, type RunRow, readRun } from '#db/planning/runs.ts';
import type { Activity, ReportActivity } from '#domain/planning/activity.ts';
import type { ConversationContext } from '#messages/context.ts';

/** Milliseconds between two notes: people read no faster, and chat platforms take no more. */
const paceMs = 1000;
/** A plan that is there sooner is preceded by “thinking” alone, which the row says already. */
const firstMs = 300;
/** What has not changed is noted again after so long, for platforms whose signs fade (Teams' typing). */
const againMs = 4000;

export type FollowedPlanner = {
  report: ReportActivity;
  /** Aborts when the turn is over: it was stopped, or somebody has said more. */
  over: AbortSignal;
  /** Nothing is noted after this. */
  close(): Promise<void>;
};

/** Follows the planner of a turn. Failures to note anything are logged and change nothing. */
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
