// The data of a "Plan this" window: the message, and whose window it is. It returns with Slack's signature.
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
  /** The author, or null for an app. */
  author: z.string().nullable(),
  /** Name of the app that wrote it. */
  app: z.string().nullish(),
  /** When the window was opened, as a timestamp; missing in older windows. */
  at: z.string().optional(),
  /** All its text, in Slack's markup. */
  text: z.string(),
});
export type About = z.infer<typeof About>;

type Sent = Pick<SentSignal['sent']['view'], 'callback_id' | 'private_metadata'>;

export function isPlanThis({ callback_id }: Pick<Sent, 'callback_id'>): boolean {
  return callback_id === planThisCallback;
}

/** @returns null if it is not our window */
export function readAbout({ private_metadata }: Sent): About | null {
  return parseAs(About, private_metadata);
}
