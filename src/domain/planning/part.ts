// A part of a plan in two layers: what the scaffold says of it, and how far its planner is.
import { z } from 'zod';
import { line } from '../text.ts';

export const PartStatus = z.enum(['waiting', 'planning', 'planned', 'failed']);
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
