// A person's reminders and recurring steps, with buttons.
import type { Recurring } from '#domain/plan/recurring.ts';
import { cutShown, isolateText } from '#domain/shown-text.ts';
import { readAloud } from './dress-teams.ts';
import { type Drawn, expandBlocks, expandCard, findTemplate } from './expand.ts';
import { platformLimits } from './limits.ts';
import { escapeMacros, mapShown } from './plain.ts';
import { verbs } from './press.ts';
import { describeTimes, nameRecurring, type Reader, recurringWords } from './recurring-words.ts';
import type { Form } from './view.ts';

type RecurringRow = Record<'id' | 'next_at' | 'title' | 'note' | 'ends', string>;

/** `result` of the last change; `none`: for an empty list. */
export type RecurringView = {
  title: string;
  result: string;
  none: string;
  rows: RecurringRow[];
  more: string;
};

/** Fits messages in Slack and cards in Teams. */
const maxRows = 8;

export function viewRecurring(entries: Recurring[], reader: Reader, result = ''): RecurringView {
  const hidden = entries.length - maxRows;
  return {
    title: recurringWords.title,
    result,
    none: entries.length === 0 ? recurringWords.none : '',
    rows: entries.slice(0, maxRows).map((entry) => ({
      id: entry.id,
      next_at: entry.next_at,
      title: isolateText(nameRecurring(entry)),
      note: `${describeTimes(entry, reader)} · ${entry.id}`,
      ends: recurringWords.askEnd({ entry, command: '' }),
    })),
    more: hidden > 0 ? recurringWords.more({ hidden }) : '',
  };
}

export const recurringForm: Form = {
  fields: (['when', 'text'] as const).map((name) => ({
    ...{ name, label: recurringWords[name], help: recurringWords[`${name}Hint`] },
    ...{ type: name === 'when' ? 'text' : 'multiline', words: '', missing: '' },
    ...{ required: false, options: [], min: null, max: null, whole: false },
  })),
  label: '',
  placeholder: '',
  required: false,
  missing: '',
  submit: recurringWords.save,
};

const templates = {
  slack: findTemplate('slack/recurring.json'),
  teams: findTemplate('teams/recurring.json'),
};

export function drawRecurringBlocks({ rows, ...view }: RecurringView): Drawn[] {
  const { skip, change, end, keep } = recurringWords;
  return expandBlocks(templates.slack, {
    ...mapShown(view, (text) => cutShown(text, platformLimits.slack.sectionText)),
    rows: rows.map(({ id, next_at, title, note, ends }) => ({
      ...{ skip, change, end, keep, value: JSON.stringify({ id, next_at }) },
      text: `${cutShown(title, 120)}\n${cutShown(note, 200)}`,
      ends: cutShown(ends, platformLimits.slack.confirmText),
    })),
  });
}

export function drawRecurringCard({ rows, ...view }: RecurringView): Drawn {
  const { skip, change, end, save, when, whenHint, text, textHint } = recurringWords;
  const words = { skip, change, end, save, when, text };
  const lines = rows.map(({ title, note }) => `${title}, ${note}`);
  return expandCard(templates.teams, {
    ...mapShown(view, escapeMacros),
    fallback: escapeMacros(cutShown([view.title, ...lines].join('\n'), 1500)),
    speak: readAloud([view.title, view.result, ...lines]),
    rows: rows.map(({ id, next_at, title, note, ends }, place) => ({
      ...{ ...words, when_hint: whenHint, text_hint: textHint, verb: verbs.recurring },
      ...{ id, next_at, place: String(place) },
      ...mapShown({ title: cutShown(title, 200), note, ends }, escapeMacros),
    })),
  });
}
