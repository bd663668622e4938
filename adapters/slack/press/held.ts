// The data of a window: its owner, where it was opened, and its subject. It returns with Slack's signature.
import { z } from 'zod';
import { platformLimits } from '#cards/limits.ts';
import { AnyPress } from '#domain/chat/press.ts';
import { parseAs } from '#domain/json.ts';
import { fieldTypes } from '#domain/plan/form.ts';

const Held = z.object({
  team: z.string(),
  user: z.string(),
  /** Null if it was opened from a list, which belongs to no thread. */
  place: z.object({ channel: z.string(), thread: z.string().nullable() }).nullable(),
  press: AnyPress,
  /** Shown when the text is empty, or null if it may be. */
  missing: z.string().nullable(),
  /** Fields checked on submission, so that errors appear next to them; choices need no check. */
  fields: z
    .array(
      z.object({
        name: z.string(),
        label: z.string(),
        type: z.enum(fieldTypes),
        required: z.boolean(),
        min: z.number().nullable(),
        max: z.number().nullable(),
        whole: z.boolean(),
      }),
    )
    .default([]),
  /** Cursors of the pages up to the current one; `''` is the first. */
  pages: z.array(z.string()),
});
export type Held = z.infer<typeof Held>;

/** Fields that don't fit are checked later by the service. */
export function writeHeld(held: Held): string {
  const whole = JSON.stringify(held);
  return whole.length <= platformLimits.slack.viewMetadata
    ? whole
    : JSON.stringify({ ...held, fields: [] });
}

/** @returns null if it is not our window */
export function readHeld(metadata: string): Held | null {
  return parseAs(Held, metadata);
}
