// Events from chat platforms, as the inbox stores them and hands them to adapters.
import { z } from 'zod';
import { PlatformName } from '../platform-name.ts';

/** Bytes; longer than any name a platform gives, and well within what an index holds of two names. */
const longestName = 600;

/** Postgres keeps no NUL, and of a lone surrogate another character: two names could become one. */
const name = z
  .string()
  .min(1)
  .refine((text) => text.isWellFormed() && !text.includes('\0'), 'must be text that can be stored')
  .refine(
    (text) => Buffer.byteLength(text) <= longestName,
    `must have ${longestName} bytes at most`,
  );

/** What keeps its order: a thread of a workspace. */
export const InboxThread = z.strictObject({
  platform: PlatformName,
  /** The workspace, or what the platform calls it. */
  tenant: name,
  thread: name,
});
export type InboxThread = z.infer<typeof InboxThread>;

/** A thread, and who has sent what is open in it, where that is known. */
export type AuthoredThread = InboxThread & { author?: string };

/** Says that a thread has something open. Versions before named others with it; the round finds those. */
export const InboxWakeup = z.object(InboxThread.shape);

export const ReceivedEvent = InboxThread.extend({
  /**
   * Names of the event, such as its id, and its channel with its timestamp. Two events of a platform and tenant that
   * have one in common are the same event.
   */
  keys: z.array(name).min(1).max(8),
  /** What the adapter calls it: `event`, `interaction`, `command`, `activity`. */
  kind: name,
  /** As it came: these bytes come out again. */
  body: z.instanceof(Uint8Array),
  received_at: z.date(),
  /** Who sent it, as the platform calls them; their events are handled in turn with those of others. Not stored. */
  author: name.exactOptional(),
  /** The process that stores it waits for the outcome (`wait-until-handled.ts`), and notes that the reply was read. */
  awaited: z.boolean().exactOptional(),
});
export type ReceivedEvent = z.infer<typeof ReceivedEvent>;

/** An event that was stored. `id` is the same however often it is handled, and grows in the order of arrival. */
export type InboxEvent = Omit<ReceivedEvent, 'keys' | 'body' | 'awaited' | 'author'> & {
  id: number;
  body: Buffer;
};
