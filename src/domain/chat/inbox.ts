// Events from chat platforms, as the inbox stores them and hands them to adapters.
import { z } from 'zod';
import { PlatformName } from '../platform-name.ts';

/** Bytes; longer than any platform's names, and two fit into an index. */
const longestName = 600;

/** Postgres rejects NUL and replaces lone surrogates, so two names could become one. */
const name = z
  .string()
  .min(1)
  .refine((text) => text.isWellFormed() && !text.includes('\0'), 'must be text that can be stored')
  .refine(
    (text) => Buffer.byteLength(text) <= longestName,
    `must have ${longestName} bytes at most`,
  );

/** The unit of ordering: a thread of a workspace. */
export const InboxThread = z.strictObject({
  platform: PlatformName,
  /** The workspace, in the platform's terms. */
  tenant: name,
  thread: name,
});
export type InboxThread = z.infer<typeof InboxThread>;

/** A thread, and the sender of its open event if known. */
export type AuthoredThread = InboxThread & { author?: string };

/** Announces open events in a thread. Older versions used other names; the recovery round finds those. */
export const InboxWakeup = z.object(InboxThread.shape);

export const ReceivedEvent = InboxThread.extend({
  /**
   * Names of the event, such as its ID, or channel and timestamp. Events of a platform and tenant that share one are the same.
   */
  keys: z.array(name).min(1).max(8),
  /** The adapter's kind: `event`, `interaction`, `command`, `activity`. */
  kind: name,
  /** The exact bytes received. */
  body: z.instanceof(Uint8Array),
  received_at: z.date(),
  /** The sender's platform ID, for fair turns. Not stored. */
  author: name.exactOptional(),
  /** The storing process waits for the outcome (`wait-until-handled.ts`) and records that the reply was read. */
  awaited: z.boolean().exactOptional(),
});
export type ReceivedEvent = z.infer<typeof ReceivedEvent>;

/** A stored event. `id` is stable and grows in order of arrival. */
export type InboxEvent = Omit<ReceivedEvent, 'keys' | 'body' | 'awaited' | 'author'> & {
  id: number;
  body: Buffer;
};
