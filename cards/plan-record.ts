// What chats say of a plan's records (the plan as Markdown, what ran, how it was planned), and the last of them in words.
import type { Export } from '#contracts/plan-record.ts';
import type { PlanningTrace } from '#contracts/planning/trace-view.ts';
import { type TraceNote, type TraceStage, viewTrace } from './trace-view.ts';

const exports = {
  export: 'as Markdown',
  log: 'what ran, one line an attempt',
  trace: 'how it was planned',
} satisfies Record<Export['kind'], string>;

export const exportWords = {
  /** In the list of commands. */
  asFile: ['PLAN-… export', 'the plan as a file; also log, and trace'],
  asText: ['PLAN-… export', 'the plan as text, to you alone; also log, and trace'],
  title: ({ plan, kind }: Export) => `${plan}: ${exports[kind]}`,
  sent: ({ plan, kind }: Export) =>
    `I have sent you ${plan}, ${exports[kind]}, in your direct messages with me.`,
  nothingRun: ({ plan }: Pick<Export, 'plan'>) => `Nothing of ${plan} has run yet.`,
  tooLarge: ({ plan }: Pick<Export, 'plan'>) =>
    `${plan} is too large for a message. Get all of it from /api/plans/${plan}/plan.md, /log.jsonl and /trace.`,
  inConsole: ({ link }: { link: string }) => `The console shows it: ${link}`,
} as const;

const linesOfNotes = (notes: TraceNote[]) =>
  notes.map(({ symbol, text }) => `    ${symbol} ${text}`);

function linesOfStage({ title, at, facts, lines, end }: TraceStage): string[] {
  return [
    '',
    [title, ...facts, at].join(' · '),
    ...lines.flatMap(({ symbol, name, took, cost, confidence, text, notes }) => [
      `  ${symbol} ${[name, took, cost, confidence].filter((part) => part !== '').join(' · ')}`,
      ...(text === '' ? [] : [`    ${text}`]),
      ...linesOfNotes(notes),
    ]),
    ...(end === null ? [] : [`  → ${end.text}`, ...linesOfNotes(end.notes)]),
  ];
}

/** How a plan came about, as text. */
export function writeTrace(trace: PlanningTrace): string {
  const { planner, reason, stages, totals, warnings, empty } = viewTrace(trace);
  const head = [planner, reason, totals, ...warnings].filter((line) => line !== '');
  const body = empty === '' ? stages.flatMap(linesOfStage) : [empty];
  return `${[...head, ...body].join('\n')}\n`;
}
