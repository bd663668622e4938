// What a version of a plan was made from, and where a step whose time meets something else could be instead.
import { z } from 'zod';
import { PlanOutline } from './outline.ts';
import { Roadmap } from './roadmap.ts';
import { type Conflict, Schedule } from './schedule.ts';

const text = z.string();
const time = z.iso.datetime();

/** Other starts for a step that conflicts with something; each was free when checked. */
const StepMove = z.object({
  step: text,
  title: text,
  from: time,
  slots: z.array(time),
  timezone: text,
});
export type StepMove = z.infer<typeof StepMove>;

/** Something found out about a plan after it was made. */
const PlanningNote = z.object({ at: time, text, move: StepMove.exactOptional() });
export type PlanningNote = z.infer<typeof PlanningNote>;

/** What a version of a plan was made from. */
export const PlanningArtifacts = z.object({
  /** The version for which they were made: what came by patches since is not in them. */
  version: z.int().nullable(),
  outline: PlanOutline.nullable(),
  roadmap: Roadmap.nullable(),
  schedule: Schedule.nullable(),
  /** Steps of the plan by the node whose work they do. */
  node_steps: z.record(text, z.array(text)),
  /** What the world has answered since. */
  notes: z.array(PlanningNote),
});
export type PlanningArtifacts = z.infer<typeof PlanningArtifacts>;

type Planned = {
  outline: PlanOutline | null;
  schedule: Schedule | null;
  timezone: string;
};

/** null: there is no other time near, or it is the time of several steps or of what comes again. */
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

/** `moves` with only what is still to come. */
export function openMoves(moves: (StepMove | null | undefined)[], now: string): StepMove[] {
  return moves.flatMap((move) => {
    const slots = move?.slots.filter((slot) => slot > now) ?? [];
    return move == null || slots.length === 0 ? [] : [{ ...move, slots }];
  });
}
