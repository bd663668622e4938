// Draws views in columns; all words are theirs.
import stringWidth from 'string-width';
import { describeField } from '#cards/form-fields.ts';
import { drawQuote } from '#cards/plain.ts';
import type { Ask, CardView, Line, PlanView, Quote, Section, SessionView } from '#cards/view.ts';
import { andMore } from '#cards/words.ts';
import { commandName } from '#domain/command-name.ts';
import { showWhole } from '#domain/shown-text.ts';
import { hangText, padText, type Screen } from './screen.ts';

const margin = '  ';
/** Longer labels go above. */
const leastColumn = 10;
const longestLabel = 12;
/** Below this width, labels go above. */
const narrow = 60;

type Row = { lead: string; text: string; aside: string };

function rowsOf(section: Section, screen: Screen): Row[] {
  return section.lines.flatMap((line) => rowsOfLine(line, screen));
}

/** Quotes go below. */
function rowsOfLine({ lead, text, note, aside, quotes }: Line, screen: Screen): Row[] {
  const first = note === '' ? text : `${text}${screen.style('dim', ` · ${note}`)}`;
  return [
    { lead, text: first, aside },
    ...quotes.map((one) => ({ lead: '', text: screen.style('dim', drawQuote(one)), aside: '' })),
  ];
}

function drawRows(rows: Row[], indent: string, screen: Screen): string[] {
  const width = screen.width();
  const leadColumn = Math.max(0, ...rows.map(({ lead }) => stringWidth(lead)));
  const hanging = leadColumn === 0 ? indent : `${indent}${' '.repeat(leadColumn + 2)}`;
  const asideColumn = Math.max(0, ...rows.map(({ aside }) => stringWidth(aside)));
  const withAside = rows.filter(({ aside }) => aside !== '');
  const textColumn = Math.max(0, ...withAside.map(({ text }) => stringWidth(text)));
  const isWide = stringWidth(hanging) + textColumn + 4 + asideColumn <= width;
  return rows.flatMap(({ lead, text: given, aside }) => {
    // A tree's indentation, which wrapping would strip.
    const text = given.replace(/^\u2003+/u, '');
    const deeper = '  '.repeat(given.length - text.length);
    const first = `${leadColumn === 0 ? indent : `${indent}${padText(lead, leadColumn)}  `}${deeper}`;
    const quiet = aside === '' ? '' : screen.style('dim', aside);
    if (aside === '' || !isWide) {
      const words = aside === '' ? text : `${text}${screen.style('dim', ' · ')}${quiet}`;
      return hangText(words, first, hanging + deeper, width);
    }
    return [`${first}${padText(text, textColumn)}    ${quiet}`];
  });
}

function labelColumnOf({ sections }: CardView): number {
  const fitting = sections.map(({ label }) => label.length).filter((n) => n <= longestLabel);
  return Math.max(leastColumn, ...fitting.map((n) => n + 2));
}

function drawSection(section: Section, labelColumn: number, screen: Screen): string[] {
  const rows = rowsOf(section, screen);
  if (section.more !== '')
    rows.push({ lead: '', text: screen.style('dim', section.more), aside: '' });
  const isWide = screen.width() >= narrow && section.label.length <= longestLabel;
  const label = screen.style('bold', section.label);
  if (!isWide) return [margin + label, ...drawRows(rows, `${margin}${margin}`, screen)];
  const indent = margin + ' '.repeat(labelColumn);
  const [first = '', ...rest] = drawRows(rows, indent, screen);
  return [margin + padText(label, labelColumn) + first.slice(indent.length), ...rest];
}

function drawParagraph(text: string, screen: Screen): string[] {
  return text === '' ? [] : hangText(text, margin, margin, screen.width());
}

/** Keeps line breaks. */
export function drawLines(text: string, screen: Screen): string[] {
  const lines = text.split(/\r\n|[\r\n]/).map(showWhole);
  return lines.flatMap((line) => (line === '' ? [''] : drawParagraph(line, screen)));
}

const drawQuotes = (quotes: Quote[], screen: Screen): string[] =>
  quotes.flatMap((one) => drawParagraph(drawQuote(one), screen));

export function drawAsk(ask: Ask, screen: Screen): string[] {
  return [
    ...drawParagraph(screen.style('bold', `${ask.label}: ${ask.text}`), screen),
    ...drawQuotes(ask.quotes, screen),
    ...ask.known.flatMap((line) => drawParagraph(line, screen)),
    ...ask.fields.flatMap((field) => drawParagraph(`• ${describeField(field)}`, screen)),
  ];
}

function drawSections(view: CardView, screen: Screen): string[] {
  const column = labelColumnOf(view);
  const drawn = view.sections.flatMap((section) => drawSection(section, column, screen));
  return drawn.length === 0 ? [] : ['', ...drawn];
}

/** Without the planner, who is in the head. */
function smallFacts(view: CardView): string {
  return view.facts
    .split(' · ')
    .filter((fact) => fact !== view.planner)
    .join(' · ');
}

/** In place of the cards' link to the calendar. */
function drawDates({ dated, plan_id }: PlanView, screen: Screen): string[] {
  const words = `Dates for your calendar: ${commandName} plans ${plan_id} --calendar > ${plan_id}.ics`;
  return dated ? drawParagraph(screen.style('dim', words), screen) : [];
}

export function drawProposal(view: PlanView, screen: Screen): string[] {
  const head = `${screen.style('bold', `Plan ${view.plan_id}`)} · version ${view.version} · ${view.planner}`;
  const state =
    view.state.words === 'Waiting for you' ? '' : `${view.state.symbol} ${view.state.words}`;
  return [
    '',
    ...drawParagraph(head, screen),
    ...drawParagraph(state, screen),
    ...drawParagraph(
      view.sentence === '' && view.quotes.length === 0 ? view.title : view.sentence,
      screen,
    ),
    ...drawQuotes(view.quotes, screen),
    ...drawSections(view, screen),
    '',
    ...drawParagraph(view.approvals, screen),
    ...drawParagraph(screen.style('dim', smallFacts(view)), screen),
    ...drawDates(view, screen),
    '',
  ];
}

const colors = {
  default: 'bold',
  accent: ['bold', 'cyan'],
  good: ['bold', 'green'],
  warning: ['bold', 'yellow'],
  attention: ['bold', 'red'],
} as const;

export function drawSession(view: SessionView, screen: Screen): string[] {
  const first = `${view.state.symbol} ${view.state.words}`;
  const state = screen.style([...[colors[view.state.tone]].flat()], first);
  const planner = view.planner === '' ? '' : ` · ${view.planner}`;
  return [
    '',
    ...drawParagraph(`${screen.style('bold', view.title)}${planner}`, screen),
    ...drawParagraph(state + view.state.line.slice(first.length), screen),
    ...drawParagraph(view.sentence === view.title ? '' : view.sentence, screen),
    ...drawQuotes(view.quotes, screen),
    ...drawSections(view, screen),
    '',
    ...drawParagraph(view.approvals, screen),
    ...drawParagraph(screen.style('dim', smallFacts(view)), screen),
    '',
  ];
}

export function drawDetails(view: SessionView, screen: Screen): string[] {
  if (view.details === null) return drawLines('There is nothing more to show.', screen);
  const { title, lines, more } = view.details;
  return [
    '',
    ...drawParagraph(screen.style('bold', title), screen),
    ...drawRows(
      lines.flatMap((line) => rowsOfLine({ ...line, aside: '' }, screen)),
      margin + margin,
      screen,
    ),
    ...drawParagraph(andMore(more), screen),
    '',
  ];
}

export function drawReport(view: PlanView, screen: Screen): string[] {
  const first = `${view.state.symbol} ${view.state.words}`;
  const state = screen.style([...[colors[view.state.tone]].flat()], first);
  const { text = '', pace = '' } = view.progress ?? {};
  const progress = pace === '' ? text : `${text} · ${pace}`;
  return [
    '',
    ...drawParagraph(state + view.state.line.slice(first.length), screen),
    ...view.asks.flatMap((ask) => drawAsk(ask, screen)),
    ...drawParagraph(view.sentence, screen),
    ...drawQuotes(view.quotes, screen),
    ...drawParagraph(progress, screen),
    ...drawSections(view, screen),
    '',
    ...drawParagraph(view.approvals, screen),
    ...drawParagraph(screen.style('dim', view.facts), screen),
    ...drawDates(view, screen),
  ];
}

const leavesRunning = 'Ctrl-C leaves it running.';
const stopsWork = 'Ctrl-C stops the work; it continues when Countersign runs again.';

/** @param continues without this process */
export function drawProgress(view: PlanView, screen: Screen, continues: boolean): string[] {
  const bar =
    view.progress === null ? `${view.state.symbol} ${view.state.words}` : view.progress.text;
  const pace =
    view.progress === null || view.progress.pace === '' ? '' : ` · ${view.progress.pace}`;
  // Before the start, the proposal was just read.
  const sections = view.sections.filter(({ kind }) => view.progress !== null || kind === 'blocked');
  return [
    ...drawParagraph(`${bar}${screen.style('dim', pace)}`, screen),
    ...sections.flatMap((section) => drawSection(section, labelColumnOf(view), screen)),
    ...drawParagraph(screen.style('dim', continues ? leavesRunning : stopsWork), screen),
  ];
}
