// A person's reminders and recurring steps.
import { z } from 'zod';
import { line } from '../text.ts';

export const Recurring = z.object({
  /** `REM-…` or `PLAN-3f9a1c20/standup`. */
  id: z.string(),
  kind: z.enum(['reminder', 'series']),
  title: z.string(),
  /** In words; null if it happens once. */
  rule: z.string().nullable(),
  timezone: z.string(),
  /** ISO 8601, UTC. */
  next_at: z.iso.datetime(),
  then_at: z.iso.datetime().nullable(),
  plan_id: z.string().nullable(),
  /** If it ends. */
  others: z.int(),
});
export type Recurring = z.infer<typeof Recurring>;

/** `next_at`: as seen, so that no other one is skipped. */
export const RecurringChange = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('skip'), next_at: z.iso.datetime().exactOptional() }),
  z.strictObject({
    action: z.literal('change'),
    /** `every Tuesday at 9:00`, `tomorrow at 14:00`. */
    when: line(200).exactOptional(),
    text: line(2000).exactOptional(),
  }),
  z.strictObject({ action: z.literal('end') }),
]);
export type RecurringChange = z.infer<typeof RecurringChange>;

/** `waits`: the version to approve first, or null. */
export const RecurringOutcome = z.object({
  entry: Recurring.nullable(),
  waits: z.int().nullable(),
});
export type RecurringOutcome = z.infer<typeof RecurringOutcome>;

/** The series only if the plan has several. */
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

/** Null unless the message is only about that. */
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

/** By ID, or all of a plan. */
export function matchRecurring(entries: Recurring[], id: string): Recurring[] {
  const wanted = id.toLowerCase();
  const exact = entries.filter((one) => one.id.toLowerCase() === wanted);
  return exact.length > 0 ? exact : entries.filter((one) => one.plan_id?.toLowerCase() === wanted);
}
