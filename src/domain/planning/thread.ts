// A request's thread as a planner reads it.
import { z } from 'zod';
import { line, StorableText } from '../text.ts';

/** In the session only: people who can't read the thread may see the plan. */
export const ThreadRead = z.strictObject({
  text: StorableText,
  read: z.int().min(0),
  total: z.int().min(0).nullable(),
  link: line(2000).nullable(),
  note: line(2000).nullable(),
  files: z.boolean().exactOptional(),
});
export type ThreadRead = z.infer<typeof ThreadRead>;
