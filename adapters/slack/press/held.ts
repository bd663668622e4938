// A window's data, returned with Slack's signature.
import { z } from 'zod';
import { platformLimits } from '#cards/limits.ts';
import { AnyPress } from '#domain/chat/press.ts';
import { parseAs } from '#domain/json.ts';
import { fieldTypes } from '#domain/plan/form.ts';

const Held = z.object({
  team: z.string(),
  user: z.string(),
  /** Null if opened from a list. */
  place: z.object({ channel: z.string(), thread: z.string().nullable() }).nullable(),
  press: AnyPress,
  /** Null if the text may be empty. */
  missing: z.string().nullable(),
  /** For errors next to fields; choices need no check. */
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
  /** Cursors so far; `''` is the first page. */
  pages: z.array(z.string()),
});
export type Held = z.infer<typeof Held>;

/** The service checks fields that don't fit. */
export function writeHeld(held: Held): string {
  const whole = JSON.stringify(held);
  return whole.length <= platformLimits.slack.viewMetadata
    ? whole
    : JSON.stringify({ ...held, fields: [] });
}

/** Null if not ours. */
export function readHeld(metadata: string): Held | null {
  return parseAs(Held, metadata);
}
