// Words about reminders and recurring steps.
import type { Recurring, RecurringChange, RecurringOutcome } from '#domain/plan/recurring.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { countOf, listOf } from '#domain/words.ts';
import { formatTime } from './times.ts';

export type Reader = { timezone: string; now: string };

export const nameRecurring = ({ title }: Recurring): string => quoteWords(title, 200);

const timeOf = (iso: string, { now, timezone }: Reader): string =>
  formatTime(iso, now, timezone, true);

/** The plan's rest, after the entry ended. */
function sayRest({ kind, plan_id, others }: Recurring): string {
  if (kind === 'reminder') return 'You will not be reminded again.';
  if (others > 0)
    return `Completed runs are kept, and ${plan_id} continues with ${countOf(others, 'other step')}.`;
  return `Completed runs are kept. ${plan_id} has no other steps left, so it is complete.`;
}

/** `every weekday at 09:30 · next Mon 30 Nov, 09:30, then Tue 1 Dec, 09:30` */
export function describeTimes({ rule, next_at, then_at }: Recurring, reader: Reader): string {
  const then = then_at === null ? '' : `, then ${timeOf(then_at, reader)}`;
  const next = `next ${timeOf(next_at, reader)}${then}`;
  return rule === null ? next : `${rule} · ${next}`;
}

export const recurringWords = {
  title: 'Reminders and recurring steps',
  none: 'You have no reminders or recurring steps.',
  skip: 'Skip once',
  change: 'Change',
  end: 'End',
  keep: 'Keep it',
  when: 'When',
  whenHint: 'every Tuesday at 9:00, or tomorrow at 14:00; empty: as it is',
  text: 'Text',
  textHint: 'empty: as it is',
  save: 'Change it',
  short: {
    skip: 'Left out once.',
    change: 'Changed. Where it needs an approval, its card asks for it.',
    end: 'Ended.',
  },
  list: ({
    entries,
    shell = false,
    ...reader
  }: { entries: Recurring[]; shell?: boolean } & Reader): string => {
    const [first] = entries;
    if (first === undefined) return recurringWords.none;
    return [
      ...entries.map(
        (entry) => `- ${nameRecurring(entry)}: ${describeTimes(entry, reader)} · ${entry.id}`,
      ),
      '',
      shell
        ? `To change the first: countersign reminders skip, end or change ${first.id}, such as change ${first.id} --when "every Tuesday at 9:00".`
        : `To leave the next one out, send: skip ${first.id}. To end it: end ${first.id}. To change it: change ${first.id} to every Tuesday at 9:00, or change ${first.id}: another text.`,
    ].join('\n');
  },
  /** @param command ends it without asking; empty on a button */
  askEnd: ({ entry, command }: { entry: Recurring; command: string }): string => {
    const rule = entry.rule === null ? '' : ` (${entry.rule})`;
    const how = command === '' ? '' : ` To end it, send: ${command}`;
    return `End ${nameRecurring(entry)}${rule}? ${sayRest(entry)}${how}`;
  },
  done: ({
    before,
    change,
    entry,
    waits,
    ...reader
  }: { before: Recurring; change: RecurringChange } & RecurringOutcome & Reader): string => {
    const next =
      entry === null
        ? 'It has no further dates.'
        : `Next: ${timeOf(entry.next_at, reader)}${entry.rule === null ? '' : `, ${entry.rule}`}.`;
    switch (change.action) {
      case 'skip':
        return `${nameRecurring(before)} is left out at ${timeOf(before.next_at, reader)}. ${next}`;
      case 'end':
        return `${nameRecurring(before)} has ended. ${sayRest(before)}`;
      case 'change':
        return waits === null
          ? `Changed ${nameRecurring(entry ?? before)}. ${next}`
          : `The change of ${nameRecurring(before)} is version ${waits} of ${before.plan_id} and needs an approval on its card. Until then it repeats as before.`;
      default:
        return change satisfies never;
    }
  },
  more: ({ hidden }: { hidden: number }) => `And ${hidden} more: send “reminders” for all of them.`,
  which: ({ names }: { names: string[] }) =>
    `Several things repeat there: say ${listOf(names, 'or')}.`,
  unknown: ({ id }: { id: string }) =>
    `You have no reminder or recurring step ${quoteWords(id, 80)}. “reminders” lists them.`,
  never: ({ when }: { when: string }) => `${quoteWords(when, 200)} has no future date.`,
  noText: ({ title }: { title: string }) =>
    `${quoteWords(title, 200)} has no single text to change. Cancel its plan and ask for a new one.`,
  needsRule:
    'Recurring steps need a rule, such as “every Tuesday at 9:00”. To run once more and stop, end them after the next run.',
  nothingGiven: 'Say what changes: when it comes, or its text.',
  moved:
    'The next time has changed since this list was shown. Nothing was changed. Send “reminders” for the current list.',
} as const;
