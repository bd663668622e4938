// What a window remembers: whose it is, where it was opened, and what it is about. It comes back with Slack's signature.
import { z } from 'zod';
import { platformLimits } from '#cards/limits.ts';
import { AnyPress } from '#domain/chat/press.ts';
import { parseAs } from '#domain/json.ts';
import { fieldTypes } from '#domain/plan/form.ts';

const Held = z.object({
  team: z.string(),
  user: z.string(),
  /** null: it was opened from a list of ours, which stands in no thread. */
  place: z.object({ channel: z.string(), thread: z.string().nullable() }).nullable(),
  press: AnyPress,
  /** Said when the text is left empty; null: it may be. */
  missing: z.string().nullable(),
  /** Fields that are checked when the form is sent, so that what is wrong is said beside them; choices check themselves. */
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
  /** Cursors of the pages before and at the one that is shown; `''` begins. */
  pages: z.array(z.string()),
});
export type Held = z.infer<typeof Held>;

/** What comes back with the window. Of what does not fit, the service checks the fields when they are sent. */
export function writeHeld(held: Held): string {
  const whole = JSON.stringify(held);
  return whole.length <= platformLimits.slack.viewMetadata
    ? whole
    : JSON.stringify({ ...held, fields: [] });
}

/** null: not a window of ours. */
export function readHeld(metadata: string): Held | null {
  return parseAs(Held, metadata);
}
