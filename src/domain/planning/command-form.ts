// A form of the command language as surfaces offer it while one is typed.
import { z } from 'zod';

export const CommandForm = z.object({
  /** Can be sent as it is. */
  example: z.string(),
  effect: z.string(),
  /** The words it can begin with, in lower case. */
  starts: z.array(z.string()),
});
export type CommandForm = z.infer<typeof CommandForm>;
