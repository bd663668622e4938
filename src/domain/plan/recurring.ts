// Reminders and recurring steps of one person, and what can be done about each.
import { z } from 'zod';
import { line } from '../text.ts';

export const Recurring = z.object({
  /** `REM-…`, or the plan and its series: `PLAN-3f9a1c20/standup`. */
  id: z.string(),
  kind: z.enum(['reminder', 'series']),
  /** A reminder's text, or the title of the recurring steps. */
  title: z.string(),
  /** The rule in words, or null if it happens once. */
  rule: z.string().nullable(),
  timezone: z.string(),
  /** The next two times, ISO 8601 in UTC; null for none. */
  next_at: z.iso.datetime(),
  then_at: z.iso.datetime().nullable(),
  plan_id: z.string().nullable(),
  /** Steps and other series of the plan that remain if it ends. */
  others: z.int(),
});
export type Recurring = z.infer<typeof Recurring>;

/** `next_at`: the time that was seen, so that no other one is left out. */
export const RecurringChange = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('skip'), next_at: z.iso.datetime().exactOptional() }),
  z.strictObject({
    action: z.literal('change'),
    /** A time or rule as commands read it: `every Tuesday at 9:00`, `tomorrow at 14:00`. */
    when: line(200).exactOptional(),
    /** The text that it says, writes or posts. */
    text: line(2000).exactOptional(),
  }),
  z.strictObject({ action: z.literal('end') }),
]);
export type RecurringChange = z.infer<typeof RecurringChange>;

/** `waits`: the version that needs an approval before it takes effect, or null. */
export const RecurringOutcome = z.object({
  entry: Recurring.nullable(),
  waits: z.int().nullable(),
});
export type RecurringOutcome = z.infer<typeof RecurringOutcome>;

/** `REM-…` or `PLAN-…`, with its series where it has several. */
const id = String.raw`(rem-[\da-f]{4,40}|plan-[\da-f]{4,40}(?:\/[^\s"]{1,100})?)`;
const forms: [RegExp, (words: string[]) => RecurringRequest][] = [
  [/^reminders$/i, () => ({ kind: 'list' })],
  [
    new RegExp(`^skip ${id}(?: once)?$`, 'i'),
    ([of = '']) => ({ kind: 'change', id: of, change: { action: 'skip' } }),
  ],
  [new RegExp(`^end ${id}$`, 'i'), ([of = '']) => ({ kind: 'ask_end', id: of })],
  [
    new RegExp(`^end ${id} now$`, 'i'),
    ([of = '']) => ({ kind: 'change', id: of, change: { action: 'end' } }),
  ],
  [
    new RegExp(`^change ${id} to (\\S.{0,199})$`, 'i'),
    ([of = '', when = '']) => ({ kind: 'change', id: of, change: { action: 'change', when } }),
  ],
  [
    new RegExp(`^change ${id} ?: ?(\\S[\\s\\S]{0,1999})$`, 'i'),
    ([of = '', text = '']) => ({ kind: 'change', id: of, change: { action: 'change', text } }),
  ],
];

type RecurringRequest =
  | { kind: 'list' }
  | { kind: 'ask_end'; id: string }
  | { kind: 'change'; id: string; change: RecurringChange };

/** A message that is about a reminder or series and nothing else, or null. */
export function readRecurringRequest(request: string): RecurringRequest | null {
  const text = request
    .trim()
    .replace(/^please,?\s+/i, '')
    .replace(/^cancel (rem-)/i, 'end $1')
    .replace(/\.$/, '');
  for (const [form, make] of forms) {
    const found = form.exec(text);
    if (found !== null) return make(found.slice(1).map((word) => word.trim()));
  }
  return null;
}

/** Entries that `id` names: one by its own ID, or all of a plan. */
export function matchRecurring(entries: Recurring[], id: string): Recurring[] {
  const wanted = id.toLowerCase();
  const exact = entries.filter((one) => one.id.toLowerCase() === wanted);
  return exact.length > 0 ? exact : entries.filter((one) => one.plan_id?.toLowerCase() === wanted);
}
