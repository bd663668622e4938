// Storage for sessions between transitions (B10): PostgreSQL in an instance, memory otherwise.
import type { Stage, StageEvent } from '#domain/planning/stages.ts';
import type { PlanningState } from '#domain/planning/state.ts';

export type Transition = { from: Stage; event: StageEvent };

export type Checkpoints = {
  /** The session as it was last stored; null: the run has none, or one of an older shape. */
  read(runId: string): Promise<{ state: PlanningState; seq: number } | null>;
  /**
   * Stores the session after a transition, behind the checkpoint `seq`.
   * @returns the number of the new checkpoint; null: another planner went on from there before
   */
  append(state: PlanningState, transition: Transition | null, seq: number): Promise<number | null>;
};

/** For a planner without a database: sessions live as long as the process. */
export function keepInMemory(): Checkpoints {
  const sessions = new Map<string, { state: PlanningState; seq: number }>();
  return {
    read: (runId) => Promise.resolve(sessions.get(runId) ?? null),
    append(state, _, seq) {
      if ((sessions.get(state.run_id)?.seq ?? 0) !== seq) return Promise.resolve(null);
      sessions.set(state.run_id, { state, seq: seq + 1 });
      return Promise.resolve(seq + 1);
    },
  };
}
