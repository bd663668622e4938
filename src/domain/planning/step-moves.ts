// Where a step whose time meets something else could be instead.
import type { StepMove } from '../plan/views.ts';
import type { PlanOutline } from './outline.ts';
import type { Conflict, Schedule } from './schedule.ts';

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
