// Replays a planning run from its trace through the controller's table; refuses a trace that the table does not allow.
import { Stage } from '#domain/planning/stages.ts';
import type { TraceEntry } from '#domain/planning/trace.ts';
import type { TraceTransition } from '#domain/planning/trace-view.ts';
import { sessionLifecycle } from '../controller/table.ts';

export type Replay = {
  path: TraceTransition[];
  /** Where the session stands after it; null: it never left its first stage. */
  stage: Stage | null;
  /** What the table does not know, as a sentence; the path ends before it. null: the whole trace was told. */
  problem: string | null;
};

const first: Stage = 'COLLECT_CONTEXT';

/** Whether a session that stands at `at` can leave `stage`: a turn may also begin anew, where its session was lost. */
function mayLeave(stage: Stage, at: Stage, turnBegins: boolean): boolean {
  return stage === at || (turnBegins && stage === first);
}

/** The transition of an entry, or why there can be none. */
function readTransition(
  entry: TraceEntry,
  at: Stage,
  turn: number,
  turnBegins: boolean,
): TraceTransition | string {
  const { event, to } = entry;
  const stage = Stage.safeParse(entry.stage);
  if (!stage.success || event === undefined) return `${entry.stage} is no stage of planning.`;
  if (!mayLeave(stage.data, at, turnBegins))
    return `it leaves ${stage.data}, but the session stood at ${at}.`;
  const next = sessionLifecycle[stage.data][event];
  if (next === undefined) return `${stage.data} knows no “${event}”.`;
  if (next !== to)
    return `“${event}” leads from ${stage.data} to ${next}, not to ${to ?? 'nowhere'}.`;
  return { turn, stage: stage.data, event, to: next };
}

/** The sequence of stages. Entries without an event are work inside a stage and move nothing. */
export function replayTrace(entries: TraceEntry[]): Replay {
  const path: TraceTransition[] = [];
  for (const [index, entry] of entries.entries()) {
    if (entry.event === undefined) continue;
    const last = path.at(-1);
    const turn = entry.turn ?? last?.turn ?? 1;
    const read = readTransition(entry, last?.to ?? first, turn, turn !== last?.turn);
    if (typeof read === 'string')
      return { path, stage: last?.to ?? null, problem: `Entry ${index + 1}: ${read}` };
    path.push(read);
  }
  return { path, stage: path.at(-1)?.to ?? null, problem: null };
}
