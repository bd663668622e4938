// The arguments of generate_schedule: other times for nodes, and days that are worked or not.
import { z } from 'zod';
import { DateChange } from '../../schedule/date-change.ts';

const WishesArguments = z.strictObject({
  changes: z
    .array(DateChange)
    .max(500)
    .describe('Other times for nodes; empty: as they were said, and as the feedback says.'),
  work_on: z.array(z.iso.date()).max(100).nullable().describe('Days off on which people work.'),
  rest_on: z.array(z.iso.date()).max(100).nullable().describe('Days on which nobody works.'),
  in_working_hours: z
    .boolean()
    .nullable()
    .describe('true: people are asked in their working hours only.'),
});
export type WishesArguments = z.infer<typeof WishesArguments>;

export const noWishes: WishesArguments = {
  changes: [],
  work_on: null,
  rest_on: null,
  in_working_hours: null,
};

/** What is left out is null. The schema that models see is the strict one. */
export const WishesInput = z.preprocess((value) => {
  if (!isRecord(value)) return value;
  const changes = Array.isArray(value.changes)
    ? value.changes.map((one: unknown) => (isRecord(one) ? { ...emptyChange, ...one } : one))
    : (value.changes ?? []);
  return { ...noWishes, ...value, changes };
}, WishesArguments);

const emptyChange = {
  not_before: null,
  exact: null,
  deadline: null,
  duration_minutes: null,
  drop: null,
};

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
