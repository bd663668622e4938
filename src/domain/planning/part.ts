// A part of a plan in two layers: what the scaffold says of it, and how far its planner is.
import { z } from 'zod';
import { line } from '../text.ts';

/** `held`: its planner would pass the soft ceiling of the turn, which only a person allows. */
export const PartStatus = z.enum(['waiting', 'planning', 'planned', 'failed', 'held']);
export type PartStatus = z.infer<typeof PartStatus>;

/** A part as the scaffold has it: its id is the partition of its steps. */
export const ScaffoldPart = z.strictObject({
  id: line(60),
  title: line(300),
  /** What is true once it is done. */
  goal: line(4000),
  /** What it takes from other parts, and what others take from it. */
  inputs: z.array(line(500)).max(50).default([]),
  outputs: z.array(line(500)).max(50).default([]),
  /** Ids of parts that have to be done before. */
  after: z.array(line(60)).max(500).default([]),
});
export type ScaffoldPart = z.infer<typeof ScaffoldPart>;

/** The run, turn and part that a planner of a part works on. */
export type PartPlace = { run_id: string; turn: number; part_id: string };

/** The id under which the session of a part is kept; each try has a session of its own. */
export function sessionOfPart({ run_id, turn, part_id }: PartPlace, attempt: number): string {
  return `${run_id}/${turn}/${part_id}/${attempt}`;
}

/** The run that pays for a session and whose people it works for: its own, or the one whose part it plans. */
export function payingRun(session: { runId: string; turn: number }): {
  runId: string;
  turn: number;
} {
  const [runId = session.runId, turn] = session.runId.split('/');
  return { runId, turn: turn === undefined ? session.turn : Number(turn) };
}
