// Text twins of cards; answers, notes and questions as views.
import { cutShown, showLine } from '#domain/shown-text.ts';
import { countOf } from '#domain/words.ts';
import { describeField } from './form-fields.ts';
import { drawQuote } from './plain.ts';
import type { AnyPress, Ask, CardView, Line, Section, TextLink, TextView, Tone } from './view.ts';
import { andMore } from './words.ts';

function drawLine({ lead, text, note, quotes }: Line): string[] {
  const words = lead === '' ? text : `${lead} ${text}`;
  return [
    note === '' ? words : `${words} · ${note}`,
    ...quotes.map((one) => `  ${drawQuote(one)}`),
  ];
}

function drawSection(section: Section): string {
  if (section.inline !== '') return `${section.label}: ${section.inline}`;
  const more = section.more === '' ? [] : [section.more];
  return [
    section.label,
    ...[...section.lines.flatMap(drawLine), ...more].map((line) => `  ${line}`),
  ].join('\n');
}

function drawAsk(ask: Ask<AnyPress>): string {
  const choices = ask.buttons.map((button) => button.label).join(' · ');
  return [
    `${ask.label}: ${ask.text}`,
    ...ask.quotes.map((one) => `  ${drawQuote(one)}`),
    ...ask.known.map((line) => `  ${line}`),
    ...ask.fields.map((field) => `  • ${describeField(field)}`),
    `  ${choices}`,
  ].join('\n');
}

function drawProgress({ progress }: CardView): string {
  if (progress === null) return '';
  return progress.pace === '' ? progress.text : `${progress.text} · ${progress.pace}`;
}

export function drawText(view: CardView): string {
  const buttons = view.buttons.map((button) => button.label).join(' · ');
  return [
    view.title,
    view.state.line,
    ...view.asks.map(drawAsk),
    andMore(view.asks_more),
    view.sentence,
    ...view.quotes.map(drawQuote),
    drawProgress(view),
    ...view.sections.map(drawSection),
    view.approvals,
    view.facts,
    buttons === '' ? '' : `[${buttons}]`,
  ]
    .filter((part) => part !== '')
    .join('\n');
}

export function drawPlainText(view: TextView): string {
  return [view.heading, ...view.paragraphs, moreLines(view.more)]
    .filter((part) => part !== '')
    .join('\n');
}

const maxParagraphs = 80;
const maxParagraph = 2000;

function splitParagraphs(text: string): { paragraphs: string[]; hidden: number } {
  const paragraphs: string[] = [];
  let hidden = 0;
  for (const line of text.split(/\r\n|[\r\n\u2028\u2029]/u)) {
    if (line.trim() === '') continue;
    if (paragraphs.length < maxParagraphs) paragraphs.push(showLine(line, maxParagraph));
    else hidden += 1;
  }
  return { paragraphs, hidden };
}

export function moreLines(hidden: number): string {
  return hidden === 0 ? '' : `… and ${countOf(hidden, 'more line')}`;
}

export function viewNotice(
  text: string,
  options: { heading?: string; tone?: Tone; link?: TextLink | null } = {},
): TextView {
  const { paragraphs, hidden } = splitParagraphs(text);
  return {
    kind: 'notice',
    heading: cutShown(options.heading ?? '', 140),
    tone: options.tone ?? 'default',
    paragraphs,
    more: hidden,
    link: options.link ?? null,
  };
}
