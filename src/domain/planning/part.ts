// A part of a two-layer plan: its scaffold entry and planning progress.
import { z } from 'zod';
import { line } from '../text.ts';

/** `held`: it would exceed the turn's soft ceiling, which only a person can lift. */
export const PartStatus = z.enum(['waiting', 'planning', 'planned', 'failed', 'held']);
export type PartStatus = z.infer<typeof PartStatus>;

/** A part in the scaffold; its ID is its steps' partition. */
export const ScaffoldPart = z.strictObject({
  id: line(60),
  title: line(300),
  /** True once it is done. */
  goal: line(4000),
  /** Exchanged with other parts. */
  inputs: z.array(line(500)).max(50).default([]),
  outputs: z.array(line(500)).max(50).default([]),
  /** IDs of parts that come first. */
  after: z.array(line(60)).max(500).default([]),
});
export type ScaffoldPart = z.infer<typeof ScaffoldPart>;

export type PartPlace = { run_id: string; turn: number; part_id: string };

/** The ID of a part's session; each attempt has its own. */
export function sessionOfPart({ run_id, turn, part_id }: PartPlace, attempt: number): string {
  return `${run_id}/${turn}/${part_id}/${attempt}`;
}

/** The run that pays for a session: its own, or the one whose part it plans. */
export function payingRun(session: { runId: string; turn: number }): {
  runId: string;
  turn: number;
} {
  const [runId = session.runId, turn] = session.runId.split('/');
  return { runId, turn: turn === undefined ? session.turn : Number(turn) };
}

/** Whether the session plans a part of another run. */
export const isPartRun = (runId: string): boolean => payingRun({ runId, turn: 0 }).runId !== runId;
