// The data of a "Plan this" window, returned with Slack's signature.
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
  /** Null for an app. */
  author: z.string().nullable(),
  app: z.string().nullish(),
  /** Opening timestamp; older windows lack it. */
  at: z.string().optional(),
  /** In Slack's markup. */
  text: z.string(),
});
export type About = z.infer<typeof About>;

type Sent = Pick<SentSignal['sent']['view'], 'callback_id' | 'private_metadata'>;

export function isPlanThis({ callback_id }: Pick<Sent, 'callback_id'>): boolean {
  return callback_id === planThisCallback;
}

/** Null if not ours. */
export function readAbout({ private_metadata }: Sent): About | null {
  return parseAs(About, private_metadata);
}
