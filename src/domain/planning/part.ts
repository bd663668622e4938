// Parts of a two-layer plan and their progress.
import { z } from 'zod';
import { line } from '../text.ts';

/** `held`: would exceed the soft ceiling, which only a person lifts. */
export const PartStatus = z.enum(['waiting', 'planning', 'planned', 'failed', 'held']);
export type PartStatus = z.infer<typeof PartStatus>;

/** `id`: also its steps' partition. */
export const ScaffoldPart = z.strictObject({
  id: line(60),
  title: line(300),
  /** True once done. */
  goal: line(4000),
  inputs: z.array(line(500)).max(50).default([]),
  outputs: z.array(line(500)).max(50).default([]),
  after: z.array(line(60)).max(500).default([]),
});
export type ScaffoldPart = z.infer<typeof ScaffoldPart>;

export type PartPlace = { run_id: string; turn: number; part_id: string };

/** Each attempt has its own session. */
export function sessionOfPart({ run_id, turn, part_id }: PartPlace, attempt: number): string {
  return `${run_id}/${turn}/${part_id}/${attempt}`;
}

/** A part's session is paid by the run it plans for. */
export function payingRun(session: { runId: string; turn: number }): {
  runId: string;
  turn: number;
} {
  const [runId = session.runId, turn] = session.runId.split('/');
  return { runId, turn: turn === undefined ? session.turn : Number(turn) };
}

export const isPartRun = (runId: string): boolean => payingRun({ runId, turn: 0 }).runId !== runId;
