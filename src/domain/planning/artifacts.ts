// Artifacts behind a plan's version.
import { z } from 'zod';
import { PlanOutline } from './outline.ts';
import { Roadmap } from './roadmap.ts';
import { BookedWeek, type Conflict, Schedule } from './schedule.ts';

const text = z.string();
const time = z.iso.datetime();

const StepMove = z.object({
  step: text,
  title: text,
  from: time,
  slots: z.array(time),
  timezone: text,
});
export type StepMove = z.infer<typeof StepMove>;

/** A later finding, such as a conflict; `week`: how booked a person is. */
const PlanningNote = z.object({
  at: time,
  text,
  move: StepMove.exactOptional(),
  week: BookedWeek.exactOptional(),
});
export type PlanningNote = z.infer<typeof PlanningNote>;

export const PlanningArtifacts = z.object({
  /** Without later patches. */
  version: z.int().nullable(),
  outline: PlanOutline.nullable(),
  roadmap: Roadmap.nullable(),
  schedule: Schedule.nullable(),
  node_steps: z.record(text, z.array(text)),
  notes: z.array(PlanningNote),
});
export type PlanningArtifacts = z.infer<typeof PlanningArtifacts>;

type Planned = {
  outline: PlanOutline | null;
  schedule: Schedule | null;
  timezone: string;
};

/** Null if none is near, or if the time belongs to several or recurring steps. */
export function findMove(
  { node: id, starts_at, slots = [] }: Conflict,
  { outline, schedule, timezone }: Planned,
): StepMove | null {
  const node = outline?.nodes.find((one) => one.id === id);
  if (node === undefined || node.recurs !== null || slots.length === 0) return null;
  const [only, ...more] = node.steps;
  if (only?.id === undefined || more.length > 0) return null;
  const block = schedule?.blocks.find((one) => one.node === id);
  return { step: only.id, title: node.title, from: block?.starts_at ?? starts_at, slots, timezone };
}

export function openMoves(moves: (StepMove | null | undefined)[], now: string): StepMove[] {
  return moves.flatMap((move) => {
    const slots = move?.slots.filter((slot) => slot > now) ?? [];
    return move == null || slots.length === 0 ? [] : [{ ...move, slots }];
  });
}
