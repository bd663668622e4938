// Lays views out for the Adaptive Card templates.
import { cutShown, quoteWords } from '#domain/shown-text.ts';
import { confirmOf } from './buttons.ts';
import { fieldInputId, inputIdOf } from './input-ids.ts';
import { platformLimits } from './limits.ts';
import { drawQuote, escapeMacros, mapShown } from './plain.ts';
import { drawPlainText, drawText, moreLines } from './text.ts';
import type { AnyPress, Ask, Button, CardView, Field, TextView } from './view.ts';
import { andMore } from './words.ts';

// The client validates what it can, the server everything.
export const longestInput = { text: 1000, multiline: 4000 } as const;

type Element = { [key: string]: unknown };

/** Inputs without room for help show it after the label. */
function labelOf({ label, help, required, type }: Field): string {
  const shown = type === 'date' || type === 'boolean' ? quoteWords(help, 300) : '';
  const note = [shown, required || type === 'boolean' ? '' : 'optional'].filter(
    (part) => part !== '',
  );
  return note.length === 0 ? label : `${label} (${note.join(', ')})`;
}

export function drawInput(field: Field, id: string): Element {
  const { type, help, required, missing, options, min, max, value: entry = '', several } = field;
  const value = entry === '' ? null : entry;
  const common = {
    id,
    label: labelOf(field),
    spacing: 'medium',
    isRequired: required,
    errorMessage: missing,
  };
  const placeholder = help === '' ? null : help;
  if (several === true)
    return {
      ...{ type: 'Input.ChoiceSet', ...common, style: 'expanded', isMultiSelect: true },
      // By index: values may hold commas.
      choices: options.map(({ label }, index) => ({ title: label, value: String(index) })),
      value: entry
        .split('\n')
        .map((one) => options.findIndex((option) => option.value === one))
        .filter((index) => index >= 0)
        .join(','),
    };
  switch (type) {
    case 'text':
    case 'multiline':
      return {
        type: 'Input.Text',
        ...common,
        ...{ placeholder, value },
        isMultiline: type === 'multiline',
        maxLength: longestInput[type],
      };
    case 'number':
      return {
        ...{ type: 'Input.Number', ...common, placeholder, min, max },
        value: value === null ? null : Number(value),
      };
    case 'date':
      return { type: 'Input.Date', ...common, value };
    case 'choice':
      return {
        type: 'Input.ChoiceSet',
        ...common,
        style: 'compact',
        placeholder: placeholder ?? 'Choose',
        choices: options.map((option) => ({ title: option.label, value: option.value })),
        value,
      };
    case 'boolean': {
      // Required would mean "must be ticked".
      const { isRequired: _, errorMessage: __, ...rest } = common;
      return {
        type: 'Input.Toggle',
        ...rest,
        title: 'Yes',
        value: entry === 'true' ? 'true' : 'false',
        valueOn: 'true',
        valueOff: 'false',
      };
    }
    default:
      return type satisfies never;
  }
}

/** Teams' green and yellow are unreadable on white. */
const colors = {
  default: 'default',
  accent: 'accent',
  good: 'default',
  warning: 'default',
  attention: 'attention',
} as const;

/** For screen readers. Angle brackets would pass for markup. */
export function readAloud(paragraphs: string[]): string {
  const parts = paragraphs.filter((part) => part !== '');
  const ended = parts.map((part) => (/[.!?…]”?$/u.test(part) ? part : `${part}.`));
  const text = [...ended.slice(0, -1), ...parts.slice(-1)].join(' ');
  return cutShown(text.replaceAll(/[<>]/g, ' ').replaceAll('&', 'and'), 600);
}

function speak({ title, state, asks, sentence, quotes, approvals }: CardView): string {
  return readAloud([
    title,
    state.line.slice(state.symbol.length).trim(),
    ...asks.map(({ label, text }) => `${label}: ${text}`),
    sentence,
    ...quotes.map(drawQuote),
    approvals,
  ]);
}

export function dressState(state: CardView['state']) {
  const { symbol, words, line, tone } = state;
  return {
    state: { ...state, rest: line.slice(`${symbol} ${words}`.length) },
    color: colors[tone],
    // May be pale, since the text says the same.
    symbol_color: tone === 'good' ? 'good' : colors[tone],
  };
}

/** Marked against mistakes. */
const ending = new Set(['reject', 'cancel', 'session_reject']);

/** Sessions have none. */
function stepOf(press: AnyPress): string {
  return 'step_id' in press ? (press.step_id ?? '') : '';
}

/** Opens the form of a plan's step. */
export const editDialog = (plan: string, step: string) => ({
  ...{ build: 'open', msteams: { type: 'task/fetch' } },
  edits: { plan, step },
});

/** With a question it opens an inner card. */
function dressButton(button: Button<AnyPress>) {
  const { press, form } = button;
  // Teams has no confirmations, so the inner card shows the guard.
  const confirm = confirmOf(button);
  const opens = form !== null || confirm !== null;
  const dialog =
    press.action === 'retry_edited' ? editDialog(press.plan_id, press.step_id ?? '') : null;
  return {
    title: cutShown(button.label, platformLimits.teams.actionTitle),
    type: opens ? 'Action.ShowCard' : dialog === null ? 'Action.Execute' : 'Action.Submit',
    opens,
    dialog,
    style: button.style === 'primary' ? 'positive' : null,
    press,
    form:
      form === null
        ? null
        : {
            ...form,
            id: inputIdOf(press),
            fields: form.fields.map((field) =>
              drawInput(field, fieldInputId(stepOf(press), field.name)),
            ),
          },
    confirm,
    submit: form?.submit ?? confirm?.submit ?? '',
    submit_style: ending.has(press.action) ? 'destructive' : 'positive',
  };
}

function dressRows(buttons: Button<AnyPress>[]) {
  const perRow = platformLimits.teams.buttonsPerRow;
  return Array.from({ length: Math.ceil(buttons.length / perRow) }, (_, row) => ({
    buttons: buttons.slice(row * perRow, (row + 1) * perRow).map(dressButton),
  }));
}

function dressAsk(ask: Ask<AnyPress>) {
  const [first] = ask.buttons;
  const note =
    ask.note === null || first === undefined
      ? null
      : { id: inputIdOf(first.press), label: ask.note };
  // Fields are drawn in the part their button opens.
  return { ...ask, fields: [], note, rows: dressRows(ask.buttons) };
}

/** `3 🛡`, or `37 🛡`. */
export function widthOfLeads(lines: { lead: string }[]): string {
  return lines.some(({ lead }) => lead.length > 4) ? '52px' : '34px';
}

/** Data of `teams/plan.json`. */
export function dressCardForTeams(view: CardView) {
  return mapShown(
    {
      ...view,
      ...dressState(view.state),
      speak: speak(view),
      lead_width: widthOfLeads(view.sections.flatMap(({ lines }) => lines)),
      asks: view.asks.map(dressAsk),
      asks_more: andMore(view.asks_more),
      details: view.details === null ? null : { ...view.details, more: andMore(view.details.more) },
      rows: dressRows(view.buttons),
      fallback: cutShown(drawText(view), 1500),
    },
    escapeMacros,
  );
}

/** Data of `teams/notice.json` and `teams/question.json`. */
export function dressTextForTeams(view: TextView) {
  return mapShown(
    {
      ...view,
      more: moreLines(view.more),
      color: colors[view.tone],
      fallback: cutShown(drawPlainText(view), 1500),
    },
    escapeMacros,
  );
}
