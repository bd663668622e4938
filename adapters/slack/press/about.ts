// What the window of "Plan this" remembers: the message it is about, and whose window it is. It comes back with Slack's signature.
import { z } from 'zod';
import { parseAs } from '#domain/json.ts';
import type { SentSignal } from '../signals/read-signal.ts';

export const planThisCallback = 'countersign:plan_this';

const About = z.object({
  team: z.string(),
  user: z.string(),
  channel: z.string(),
  thread: z.string(),
  message: z.string(),
  /** Who wrote it; null: an app. */
  author: z.string().nullable(),
  /** Name of the app that wrote it. */
  app: z.string().nullish(),
  /** All that it says, in Slack's markup. */
  text: z.string(),
});
export type About = z.infer<typeof About>;

type Sent = Pick<SentSignal['sent']['view'], 'callback_id' | 'private_metadata'>;

export function isPlanThis({ callback_id }: Pick<Sent, 'callback_id'>): boolean {
  return callback_id === planThisCallback;
}

/** null: not a window of ours. */
export function readAbout({ private_metadata }: Sent): About | null {
  return parseAs(About, private_metadata);
}
