// `countersign plans PLAN-… --trace`: the planning trace.
import stringWidth from 'string-width';
import {
  type TraceLine,
  type TraceNote,
  type TraceStage,
  type TraceView,
  viewTrace,
} from '#cards/trace-view.ts';
import type { Tone } from '#cards/view.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { hangText, padText, type Screen } from './screen.ts';
import { printJson, type Session } from './session.ts';

const margin = '  ';
const inner = '    ';
const text = '      ';
/** Below this width, facts follow their name. */
const narrow = 60;

const colors = {
  default: null,
  accent: 'cyan',
  good: 'green',
  warning: 'yellow',
  attention: 'red',
} as const;

function color(screen: Screen, tone: Tone, words: string): string {
  const format = colors[tone];
  return format === null ? words : screen.style(format, words);
}

function drawNotes(notes: TraceNote[], screen: Screen): string[] {
  return notes.flatMap(({ symbol, tone, text: words }) =>
    hangText(`${color(screen, tone, symbol)} ${words}`, text, `${text}  `, screen.width()),
  );
}

type Columns = { name: number; took: number; cost: number };

/** Aligned over the whole trace. */
function measure({ stages }: TraceView): Columns {
  const work = stages.flatMap(({ lines }) => lines).filter(({ decided }) => !decided);
  const widest = (read: (line: TraceLine) => string, most: number) =>
    Math.min(most, Math.max(0, ...work.map((line) => stringWidth(read(line)))));
  return {
    name: widest(({ name }) => name, 24),
    took: widest(({ took }) => took, 12),
    cost: widest(({ cost }) => cost, 12),
  };
}

function drawFacts(line: TraceLine, columns: Columns, screen: Screen): string {
  const { name, took, cost, confidence } = line;
  if (line.decided || screen.width() < narrow || stringWidth(name) > columns.name) {
    const facts = [took, cost, confidence].filter((fact) => fact !== '');
    return [name, ...facts.map((fact) => screen.style('dim', fact))].join(' · ');
  }
  const room = columns.took - stringWidth(took);
  const aligned = [
    `${' '.repeat(Math.max(0, room))}${took}`,
    ...(columns.cost === 0 ? [] : [padText(cost, columns.cost)]),
    confidence,
  ].join('  ');
  return `${padText(name, columns.name)}  ${screen.style('dim', aligned.trimEnd())}`;
}

function drawLine(line: TraceLine, columns: Columns, screen: Screen): string[] {
  const symbol = color(screen, line.tone, line.symbol);
  const width = screen.width();
  return [
    ...hangText(`${symbol} ${drawFacts(line, columns, screen)}`, inner, text, width),
    ...(line.text === '' ? [] : hangText(line.text, text, text, width)),
    ...drawNotes(line.notes, screen),
  ];
}

function drawEnd({ end }: TraceStage, screen: Screen): string[] {
  if (end === null) return [];
  const sure = end.confidence === '' ? '' : ` · confidence ${end.confidence}`;
  const words = screen.style('dim', `${end.text}${sure}`);
  return [...hangText(words, inner, text, screen.width()), ...drawNotes(end.notes, screen)];
}

function drawStage(stage: TraceStage, view: TraceView, screen: Screen): string[] {
  const turn = view.turns > 1 ? [`turn ${stage.turn}`] : [];
  const facts = [...turn, ...stage.facts].map((fact) => ` · ${fact}`).join('');
  const head = `${screen.style('bold', stage.title)}${screen.style('dim', facts)}`;
  const columns = measure(view);
  return [
    '',
    ...hangText(head, margin, margin, screen.width()),
    ...stage.lines.flatMap((line) => drawLine(line, columns, screen)),
    ...drawEnd(stage, screen),
  ];
}

export function drawTrace(view: TraceView, planId: string, screen: Screen): string[] {
  const width = screen.width();
  const say = (words: string) => (words === '' ? [] : hangText(words, margin, margin, width));
  return [
    '',
    ...say(`${screen.style('bold', `Trace of ${planId}`)} · ${view.planner}`),
    ...say(view.reason),
    ...say(view.empty),
    ...view.stages.flatMap((stage) => drawStage(stage, view, screen)),
    '',
    ...say(view.totals === '' ? '' : `${screen.style('bold', 'In all')} ${view.totals}`),
    ...view.warnings.flatMap((words) => say(`${screen.style('yellow', '!')} ${words}`)),
  ];
}

export async function showTrace(session: Session, planId: string): Promise<ExitCode> {
  const { service, screen, options } = session;
  const trace = await service.trace(planId);
  if (options.json === true) return printJson(session, trace);
  session.say(...drawTrace(viewTrace(trace), planId, screen));
  return exitCodes.done;
}
