// The text twin of every card: the same words in the same order, for notifications, screen readers and logs.
import { describeField } from './form-fields.ts';
import type { AnyPress, Ask, CardView, Line, Section, TextView } from './view.ts';

function drawLine({ lead, text, note }: Line): string {
  const words = lead === '' ? text : `${lead} ${text}`;
  return note === '' ? words : `${words} · ${note}`;
}

function drawSection(section: Section): string {
  if (section.inline !== '') return `${section.label}: ${section.inline}`;
  const more = section.more === '' ? [] : [section.more];
  return [
    section.label,
    ...[...section.lines.map(drawLine), ...more].map((line) => `  ${line}`),
  ].join('\n');
}

function drawAsk(ask: Ask<AnyPress>): string {
  const choices = ask.buttons.map((button) => button.label).join(' · ');
  return [
    `${ask.label}: ${ask.text}`,
    ...ask.known.map((line) => `  ${line}`),
    ...ask.fields.map((field) => `  • ${describeField(field)}`),
    `  ${choices}`,
  ].join('\n');
}

function drawProgress({ progress }: CardView): string {
  if (progress === null) return '';
  return progress.pace === '' ? progress.text : `${progress.text} · ${progress.pace}`;
}

/** A plan or a session in plain lines. */
export function drawText(view: CardView): string {
  const buttons = view.buttons.map((button) => button.label).join(' · ');
  return [
    view.title,
    view.state.line,
    ...view.asks.map(drawAsk),
    view.asks_more,
    view.sentence,
    drawProgress(view),
    ...view.sections.map(drawSection),
    view.approvals,
    view.facts,
    buttons === '' ? '' : `[${buttons}]`,
  ]
    .filter((part) => part !== '')
    .join('\n');
}

/** A notice or a question in plain lines. */
export function drawPlainText(view: TextView): string {
  return [view.heading, ...view.paragraphs, view.more].filter((part) => part !== '').join('\n');
}
