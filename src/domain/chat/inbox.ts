// Stored events of chat platforms.
import { z } from 'zod';
import { PlatformName } from '../platform-name.ts';

/** Bytes; two fit into an index entry. */
const longestName = 600;

/** Postgres rejects NUL and replaces lone surrogates, which could merge two names. */
const name = z
  .string()
  .min(1)
  .refine((text) => text.isWellFormed() && !text.includes('\0'), 'must be text that can be stored')
  .refine(
    (text) => Buffer.byteLength(text) <= longestName,
    `must have ${longestName} bytes at most`,
  );

/** Events of a thread are handled in order. */
export const InboxThread = z.strictObject({
  platform: PlatformName,
  /** Workspace ID. */
  tenant: name,
  thread: name,
});
export type InboxThread = z.infer<typeof InboxThread>;

export type AuthoredThread = InboxThread & { author?: string };

/** Recovery finds events that older versions named differently. */
export const InboxWakeup = z.object(InboxThread.shape);

export const ReceivedEvent = InboxThread.extend({
  /** Events that share one are the same. */
  keys: z.array(name).min(1).max(8),
  /** `event`, `interaction`, `command`, `activity`. */
  kind: name,
  body: z.instanceof(Uint8Array),
  received_at: z.date(),
  /** For fair turns; not stored. */
  author: name.exactOptional(),
  /** The storing process waits for the outcome (`wait-until-handled.ts`). */
  awaited: z.boolean().exactOptional(),
});
export type ReceivedEvent = z.infer<typeof ReceivedEvent>;

/** `id` grows in order of arrival. */
export type InboxEvent = Omit<ReceivedEvent, 'keys' | 'body' | 'awaited' | 'author'> & {
  id: number;
  body: Buffer;
};
