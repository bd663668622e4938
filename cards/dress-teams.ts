// A view laid out for the Adaptive Card templates: actions in one shape, inputs with their own ids.
import { escapeMacros, mapStrings } from './escape.ts';
import { drawInput } from './form-inputs.ts';
import { inputIdOf } from './input-ids.ts';
import { teamsLimits } from './limits.ts';
import { cutShown } from './plain.ts';
import { drawPlainText, drawText } from './text.ts';
import type { AnyPress, Ask, Button, CardView, TextView } from './view.ts';

/** Colours of words. Teams' own green and yellow can hardly be read on white, so those words stay as they are. */
const colors = {
  default: 'default',
  accent: 'accent',
  good: 'default',
  warning: 'default',
  attention: 'attention',
} as const;

/** What is read aloud: what it is, how it stands, what it asks. Angle brackets would be taken for markup there. */
function speak(view: CardView): string {
  const { title, state, asks, sentence, approvals } = view;
  const said = [
    title,
    state.line.slice(state.symbol.length).trim(),
    ...asks.map(({ label, text }) => `${label}: ${text}`),
    sentence,
    approvals,
  ];
  const text = said.filter((part) => part !== '').join('. ');
  return cutShown(text.replaceAll(/[<>]/g, ' ').replaceAll('&', 'and'), 600);
}

/** What ends something; nobody should press it thinking it goes on. */
const ending = new Set(['reject', 'cancel', 'session_reject']);

/** The step that a form belongs to; sessions have none. */
function stepOf(press: AnyPress): string {
  return 'step_id' in press ? (press.step_id ?? '') : '';
}

/** A button that asks first opens a card inside the card; the others act at once. */
function dressButton(button: Button<AnyPress>, index: number) {
  const { press, form, confirm } = button;
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

const verbatim = ['press', 'plan_id', 'digest', 'id', 'url', 'link', 'step_id', 'value'];

/** What `teams/plan.json` is expanded with. */
export function dressCardForTeams(view: CardView) {
  const first = `${view.state.symbol} ${view.state.words}`;
  const dressed = {
    ...view,
    state: { ...view.state, rest: view.state.line.slice(first.length) },
    color: colors[view.state.tone],
    symbol_color: view.state.tone === 'good' ? 'good' : colors[view.state.tone],
    speak: speak(view),
    asks: view.asks.map(dressAsk),
    buttons: view.buttons.map(dressButton),
    fallback: cutShown(drawText(view), 1500),
  };
  return mapStrings(dressed, escapeMacros, verbatim);
}

/** What `teams/notice.json` and `teams/question.json` are expanded with. */
export function dressTextForTeams(view: TextView) {
  const dressed = {
    ...view,
    color: colors[view.tone],
    fallback: cutShown(drawPlainText(view), 1500),
  };
  return mapStrings(dressed, escapeMacros, verbatim);
}
