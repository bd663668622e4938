// What a window remembers: whose it is, where it was opened, and what it is about. It comes back with Slack's signature.
import { z } from 'zod';
import { AnyPress } from '#contracts/press.ts';

const Held = z.object({
  team: z.string(),
  user: z.string(),
  /** null: it was opened from a list of ours, which stands in no thread. */
  place: z.object({ channel: z.string(), thread: z.string().nullable() }).nullable(),
  press: AnyPress,
  /** Said when the text is left empty; null: it may be. */
  missing: z.string().nullable(),
  /** Cursors of the pages before and at the one that is shown; `''` begins. */
  pages: z.array(z.string()),
});
export type Held = z.infer<typeof Held>;

/** null: not a window of ours. */
export function readHeld(metadata: string): Held | null {
  try {
    const parsed = Held.safeParse(JSON.parse(metadata));
    return parsed.success ? parsed.data : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
