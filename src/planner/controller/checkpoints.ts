// Sessions between transitions (B10): stored in Postgres after each, taken up from there by the next planner. Of two planners at the same
// turn one writes the next checkpoint; the other learns that it was overtaken.
import type { Queryable } from '#db/database.ts';
import { forgetStates, insertCheckpoint, readLatestCheckpoint } from '#db/planning/checkpoints.ts';
import type { Stage, StageEvent } from '#domain/planning/stages.ts';
import type { PlanningState } from '#domain/planning/state.ts';
import { isResting } from '../stages/table.ts';

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

/**
 * Writes `state` behind `after`. Where that place is taken by an earlier turn, whose planner was late, it goes behind that
 * one: people have gone on, so what it wrote counts no more.
 * @returns where it stands; null: this turn or a later one has another planner
 */
async function append(
  db: Queryable,
  state: PlanningState,
  transition: Transition | null,
  after: number,
): Promise<number | null> {
  const closes = isResting(state.stage);
  for (let seq = after + 1; ; ) {
    if (await insertCheckpoint(db, { state, seq, transition, closes })) return seq;
    const latest = await readLatestCheckpoint(db, state.run_id);
    if (latest === null || latest.turn >= state.turn) return null;
    seq = latest.seq + 1;
  }
}

export function keepInDatabase(
  db: Queryable,
  warn: (message: string, error?: unknown) => void,
): Checkpoints {
  /** Runs whose last state this version cannot read: their sessions start anew behind it. */
  const unread = new Map<string, number>();
  return {
    async read(runId) {
      const row = await readLatestCheckpoint(db, runId);
      if (row === null) return null;
      if (row.state.success) return { state: row.state.data, seq: row.seq };
      warn(
        `The planning session of run ${runId} was stored in a shape this version does not know; it starts anew.`,
        row.state.error,
      );
      unread.set(runId, row.seq);
      return null;
    },
    async append(state, transition, seq) {
      const begun = seq === 0 ? unread.get(state.run_id) : undefined;
      unread.delete(state.run_id);
      const stored = await append(db, state, transition, begun ?? seq);
      // A turn begins: one before it that never came to rest has left its states behind.
      if (stored !== null && opensTurn(transition, stored)) await forgetStates(db, state);
      return stored;
    },
  };
}

/** The first checkpoint of a turn follows no transition, or one out of a state in which the session rested. */
function opensTurn(transition: Transition | null, seq: number): boolean {
  return seq > 1 && (transition === null || isResting(transition.from));
}
