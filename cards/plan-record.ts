// A plan's record in words, for whoever asks for it in a chat: the plan as Markdown, what ran, how it was planned.
import { CountersignError } from '#contracts/errors.ts';
import type { PlanReads } from '#contracts/plan-scope.ts';
import type { PlanningTrace } from '#contracts/planning/trace-view.ts';
import { type TraceNote, type TraceStage, viewTrace } from './trace-view.ts';

const exports = {
  export: 'as Markdown',
  log: 'what ran, one line an attempt',
  trace: 'how it was planned',
} as const;

/** Which record of which plan. */
export type Export = { plan: string; kind: keyof typeof exports };

export const exportWords = {
  /** In the list of commands. */
  asFile: ['PLAN-… export', 'the plan as a file; also log, and trace'],
  asText: ['PLAN-… export', 'the plan as text, to you alone; also log, and trace'],
  title: ({ plan, kind }: Export) => `${plan}: ${exports[kind]}`,
  sent: ({ plan, kind }: Export) =>
    `I have sent you ${plan}, ${exports[kind]}, in your direct messages with me.`,
  nothingRun: ({ plan }: Pick<Export, 'plan'>) => `Nothing of ${plan} has run yet.`,
  tooLarge: ({ plan }: Pick<Export, 'plan'>) =>
    `${plan} is too large for a message. GET /api/plans/${plan}/plan.md, /log.jsonl and /trace have all of it.`,
  inConsole: ({ link }: { link: string }) => `The console shows it: ${link}`,
} as const;

/** `PLAN-3f9a1c20 export`; null: something else was said. */
export function readExport(said: string): Export | null {
  const [, id, word] = /^plan-([0-9a-f]{8})\s+(export|log|trace)$/i.exec(said.trim()) ?? [];
  const kind = word?.toLowerCase();
  if (id === undefined || (kind !== 'export' && kind !== 'log' && kind !== 'trace')) return null;
  return { plan: `PLAN-${id.toLowerCase()}`, kind };
}

type Fits = (text: string) => boolean;

async function collect(chunks: AsyncIterable<string>, plan: string, fits: Fits): Promise<string> {
  let text = '';
  for await (const chunk of chunks) {
    text += chunk;
    if (!fits(text)) throw tooLarge(plan);
  }
  return text;
}

const tooLarge = (plan: string) =>
  new CountersignError('invalid_request', exportWords.tooLarge({ plan }));

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
function writeTrace(trace: PlanningTrace): string {
  const { planner, reason, stages, totals, warnings, empty } = viewTrace(trace);
  const head = [planner, reason, totals, ...warnings].filter((line) => line !== '');
  const body = empty === '' ? stages.flatMap(linesOfStage) : [empty];
  return `${[...head, ...body].join('\n')}\n`;
}

/**
 * The record, and what its file is called; no text: nothing has run.
 * @param fits whether there is room for a text
 * @throws `invalid_request` where there is none, and what reading the plan throws
 */
export async function writeRecord(
  plans: Pick<PlanReads, 'exportMarkdown' | 'exportLog' | 'trace'>,
  { plan, kind }: Export,
  fits: Fits,
): Promise<{ text: string; name: string }> {
  switch (kind) {
    case 'export':
      return { text: await collect(plans.exportMarkdown(plan), plan, fits), name: `${plan}.md` };
    case 'log':
      return { text: await collect(plans.exportLog(plan), plan, fits), name: `${plan}.jsonl` };
    case 'trace': {
      const text = writeTrace(await plans.trace(plan));
      if (!fits(text)) throw tooLarge(plan);
      return { text, name: `${plan}-trace.txt` };
    }
    default:
      return kind satisfies never;
  }
}
