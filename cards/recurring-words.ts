// Words about reminders and recurring steps, on every surface.
import type { Recurring, RecurringChange, RecurringOutcome } from '#domain/plan/recurring.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { countOf, listOf } from '#domain/words.ts';
import { formatTime } from './times.ts';

export type Reader = { timezone: string; now: string };

/** A reminder's text, or the title of recurring steps. */
export const nameRecurring = ({ title }: Recurring): string => quoteWords(title, 200);

const timeOf = (iso: string, { now, timezone }: Reader): string =>
  formatTime(iso, now, timezone, true);

/** The rest of its plan once the entry has ended. */
function sayRest({ kind, plan_id, others }: Recurring): string {
  if (kind === 'reminder') return 'Nothing of it remains.';
  if (others > 0)
    return `What it has done stays, and ${countOf(others, 'other step')} of ${plan_id} go on.`;
  return `What it has done stays, and ${plan_id} is complete: nothing else of it is left.`;
}

/** `every weekday at 09:30 · next Mon 30 Nov, 09:30, then Tue 1 Dec, 09:30` */
export function describeTimes({ rule, next_at, then_at }: Recurring, reader: Reader): string {
  const then = then_at === null ? '' : `, then ${timeOf(then_at, reader)}`;
  const next = `next ${timeOf(next_at, reader)}${then}`;
  return rule === null ? next : `${rule} · ${next}`;
}

export const recurringWords = {
  title: 'Reminders and what repeats',
  none: 'You have no reminders, and nothing of yours repeats.',
  skip: 'Skip once',
  change: 'Change',
  end: 'End',
  keep: 'Keep it',
  when: 'When',
  whenHint: 'every Tuesday at 9:00, or tomorrow at 14:00; empty: as it is',
  text: 'Text',
  textHint: 'empty: as it is',
  save: 'Change it',
  /** Above the list after a change. */
  short: {
    skip: 'Left out once.',
    change: 'Changed. Where it needs an approval, its card asks for it.',
    end: 'Ended.',
  },
  /** The list as text, with the commands that change it. */
  list: ({ entries, ...reader }: { entries: Recurring[] } & Reader): string => {
    const [first] = entries;
    if (first === undefined) return recurringWords.none;
    return [
      ...entries.map(
        (entry) => `- ${nameRecurring(entry)}: ${describeTimes(entry, reader)} · ${entry.id}`,
      ),
      '',
      `To leave the next one out, send: skip ${first.id}. To end it: end ${first.id}. To change it: change ${first.id} to every Tuesday at 9:00, or change ${first.id}: another text.`,
    ].join('\n');
  },
  /** @param command that ends it without asking, or empty on a button */
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
        ? 'It does not come again.'
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
    `You have no reminder ${quoteWords(id, 80)}, and nothing of yours repeats under that name. “reminders” lists them.`,
  never: ({ when }: { when: string }) => `${quoteWords(when, 200)} never comes.`,
  noText: ({ title }: { title: string }) =>
    `${quoteWords(title, 200)} has no single text to change. Cancel its plan and ask for a new one.`,
  needsRule:
    'What repeats needs a rule, such as “every Tuesday at 9:00”. To stop it after the next time, end it then.',
  nothingGiven: 'Say what changes: when it comes, or its text.',
  moved: 'It has moved on since you looked. Look at the list again; nothing was changed.',
} as const;
