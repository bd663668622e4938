// What is at a file now that a waiting step would write, move or delete, and what a write would change in it.
import { z } from 'zod';

/** Part of a difference. A line begins with its sign: a blank, `+`, `-`, or `\` for a remark about the line above. */
const Hunk = z.object({ old_start: z.int(), new_start: z.int(), lines: z.array(z.string()) });
export type Hunk = z.infer<typeof Hunk>;

export const FilePreview = z.object({
  path: z.string(),
  /** What is there now: nothing, a file, a folder or something else that has no text. */
  found: z.enum(['nothing', 'file', 'other']),
  /** Bytes; null: it is no file. */
  size: z.int().nullable(),
  /** What a write changes, with unchanged lines around it; null: it is no write, or the two cannot be compared. */
  hunks: z.array(Hunk).nullable(),
  /** The beginning of the file as it is now, where it goes away or cannot be compared; null: it has no text that can be shown. */
  text: z.string().nullable(),
  /** `text` is not all of it, or lines between the hunks are left out. */
  cut: z.boolean(),
});
export type FilePreview = z.infer<typeof FilePreview>;

export const StepPreview = z.object({
  step_id: z.string(),
  file: FilePreview,
  /** It is not as it was when the plan was proposed. */
  changed: z.boolean(),
});
export type StepPreview = z.infer<typeof StepPreview>;
