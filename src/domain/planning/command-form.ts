// Command forms offered while typing.
import { z } from 'zod';

export const CommandForm = z.object({
  example: z.string(),
  effect: z.string(),
  /** First words, in lower case. */
  starts: z.array(z.string()),
});
export type CommandForm = z.infer<typeof CommandForm>;
