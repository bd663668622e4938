// A file that a step would write, move or delete.
import { z } from 'zod';

/** Lines start with a blank, `+`, `-`, or `\` for a remark on the line above. */
const Hunk = z.object({ old_start: z.int(), new_start: z.int(), lines: z.array(z.string()) });
export type Hunk = z.infer<typeof Hunk>;

export const FilePreview = z.object({
  path: z.string(),
  found: z.enum(['nothing', 'file', 'other']),
  /** Bytes. */
  size: z.int().nullable(),
  /** Null unless a write was compared. */
  hunks: z.array(Hunk).nullable(),
  /** If removed or not comparable; null without showable text. */
  text: z.string().nullable(),
  /** Incomplete text or hunks. */
  cut: z.boolean(),
});
export type FilePreview = z.infer<typeof FilePreview>;

export const StepPreview = z.object({
  step_id: z.string(),
  file: FilePreview,
  changed: z.boolean(),
});
export type StepPreview = z.infer<typeof StepPreview>;
