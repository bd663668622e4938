// The current state of a file that a waiting step would write, move or delete, with the diff of a write.
import { z } from 'zod';

/** A hunk. Lines start with a blank, `+`, `-`, or `\` for a remark on the line above. */
const Hunk = z.object({ old_start: z.int(), new_start: z.int(), lines: z.array(z.string()) });
export type Hunk = z.infer<typeof Hunk>;

export const FilePreview = z.object({
  path: z.string(),
  /** Nothing, a file, or something without text, such as a folder. */
  found: z.enum(['nothing', 'file', 'other']),
  /** Bytes, or null if it isn't a file. */
  size: z.int().nullable(),
  /** The write's diff with context, or null if there is no write or no comparison. */
  hunks: z.array(Hunk).nullable(),
  /** The beginning of a file that is removed or can't be compared, or null without showable text. */
  text: z.string().nullable(),
  /** `text` is incomplete, or lines between hunks are left out. */
  cut: z.boolean(),
});
export type FilePreview = z.infer<typeof FilePreview>;

export const StepPreview = z.object({
  step_id: z.string(),
  file: FilePreview,
  /** It has changed since the plan was proposed. */
  changed: z.boolean(),
});
export type StepPreview = z.infer<typeof StepPreview>;
