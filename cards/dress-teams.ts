// A view laid out for the Adaptive Card templates: actions in one shape, inputs with their own ids.
import { cutShown, quoteWords } from '#domain/shown-text.ts';
import { fieldInputId, inputIdOf } from './input-ids.ts';
import { teamsLimits } from './limits.ts';
import { escapeMacros, mapShown } from './plain.ts';
import { drawQuote } from './quotes.ts';
import { drawPlainText, drawText, moreLines } from './text.ts';
import type { AnyPress, Ask, Button, CardView, Field, TextView } from './view.ts';
import { andMore } from './words.ts';

// A form's fields as inputs of an Adaptive Card. The client checks what it can; the server checks everything again.
const longest = { text: 1000, multiline: 4000 } as const;

type Element = { [key: string]: unknown };

/** Where the input itself has no room for help, it stands behind the label. */
function labelOf({ label, help, required, type }: Field): string {
  const shown = type === 'date' || type === 'boolean' ? quoteWords(help, 300) : '';
  const note = [shown, required || type === 'boolean' ? '' : 'optional'].filter(
    (part) => part !== '',
  );
  return note.length === 0 ? label : `${label} (${note.join(', ')})`;
}

/** One input; its id says which field of which step it is. */
function drawInput(field: Field, stepId: string): Element {
  const { type, help, required, missing, options, min, max } = field;
  const common = {
    id: fieldInputId(stepId, field.name),
    label: labelOf(field),
    spacing: 'medium',
    isRequired: required,
    errorMessage: missing,
  };
  const placeholder = help === '' ? null : help;
  switch (type) {
    case 'text':
    case 'multiline':
      return {
        type: 'Input.Text',
        ...common,
        placeholder,
        isMultiline: type === 'multiline',
        maxLength: longest[type],
      };
    case 'number':
      return { type: 'Input.Number', ...common, placeholder, min, max };
    case 'date':
      return { type: 'Input.Date', ...common };
    case 'choice':
      return {
        type: 'Input.ChoiceSet',
        ...common,
        style: 'compact',
        placeholder: placeholder ?? 'Choose',
        choices: options.map(({ label, value }) => ({ title: label, value })),
      };
    case 'boolean': {
      // Required would mean "must be ticked" there; not ticked is an answer too.
      const { isRequired: _, errorMessage: __, ...rest } = common;
      return {
        type: 'Input.Toggle',
        ...rest,
        title: 'Yes',
        value: 'false',
        valueOn: 'true',
        valueOff: 'false',
      };
    }
    default:
      return type satisfies never;
  }
}

/** Colours of words. Teams' own green and yellow can hardly be read on white, so those words stay as they are. */
const colors = {
  default: 'default',
  accent: 'accent',
  good: 'default',
  warning: 'default',
  attention: 'attention',
} as const;

/** Said in full sentences to who listens. Angle brackets would be taken for markup there. */
export function readAloud(said: string[]): string {
  const parts = said.filter((part) => part !== '');
  const ended = parts.map((part) => (/[.!?…]”?$/u.test(part) ? part : `${part}.`));
  const text = [...ended.slice(0, -1), ...parts.slice(-1)].join(' ');
  return cutShown(text.replaceAll(/[<>]/g, ' ').replaceAll('&', 'and'), 600);
}

/** What it is, how it stands, what it asks. */
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

/** The state in parts that are drawn differently. */
export function dressState(state: CardView['state']) {
  const { symbol, words, line, tone } = state;
  return {
    state: { ...state, rest: line.slice(`${symbol} ${words}`.length) },
    color: colors[tone],
    // As a sign it may be pale: the words beside it say the same.
    symbol_color: tone === 'good' ? 'good' : colors[tone],
  };
}

/** What ends something; nobody should press it thinking it goes on. */
const ending = new Set(['reject', 'cancel', 'session_reject']);

/** The step that a form belongs to; sessions have none. */
function stepOf(press: AnyPress): string {
  return 'step_id' in press ? (press.step_id ?? '') : '';
}

/** A button that asks first opens a card inside the card; the others act at once. */
function dressButton(button: Button<AnyPress>, index: number) {
  const { press, form, guard } = button;
  // An action has no question of its own in Teams: what is guarded is said in the card that it opens.
  const confirm = button.confirm ?? guard ?? null;
  const opens = form !== null || confirm !== null;
  return {
    title: cutShown(button.label, teamsLimits.actionTitle),
    opens,
    style: button.style === 'primary' ? 'positive' : null,
    mode: index < teamsLimits.primaryActions ? null : 'secondary',
    press,
    form:
      form === null
        ? null
        : {
            ...form,
            id: inputIdOf(press),
            fields: form.fields.map((field) => drawInput(field, stepOf(press))),
          },
    confirm,
    submit: form?.submit ?? confirm?.submit ?? '',
    submit_style: ending.has(press.action) ? 'destructive' : 'positive',
  };
}

function dressAsk(ask: Ask<AnyPress>) {
  const [first] = ask.buttons;
  const note =
    ask.note === null || first === undefined
      ? null
      : { id: inputIdOf(first.press), label: ask.note };
  // The fields are drawn where they are filled in: in the part their button opens.
  return { ...ask, fields: [], note, buttons: ask.buttons.map(dressButton) };
}

/** Leads stand in a column of their own, as wide as `3 🛡`, or as `37 🛡` where there is one. */
export function widthOfLeads(lines: { lead: string }[]): string {
  return lines.some(({ lead }) => lead.length > 4) ? '52px' : '34px';
}

/** What `teams/plan.json` is expanded with. */
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
      buttons: view.buttons.map(dressButton),
      fallback: cutShown(drawText(view), 1500),
    },
    escapeMacros,
  );
}

/** What `teams/notice.json` and `teams/question.json` are expanded with. */
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
