// The thread above a request as a planner reads it, within its budget.
import { z } from 'zod';
import { line, StorableText } from '../text.ts';

/** Kept in the planning session only: people who cannot read the thread may see the plan. */
export const ThreadRead = z.strictObject({
  text: StorableText,
  read: z.int().min(0),
  total: z.int().min(0).nullable(),
  link: line(2000).nullable(),
  note: line(2000).nullable(),
  /** Some of the messages have files. */
  files: z.boolean().exactOptional(),
});
export type ThreadRead = z.infer<typeof ThreadRead>;
