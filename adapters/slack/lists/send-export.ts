// A plan's record for whoever asks for it: the plan as Markdown, what ran, how it was planned; as a file in their direct messages.
import { slackLimits } from '#cards/limits.ts';
import { exportWords } from '#cards/slack-words.ts';
import { type TraceNote, type TraceStage, viewTrace } from '#cards/trace-view.ts';
import { CountersignError } from '#contracts/errors.ts';
import type { PlanReads } from '#contracts/plan-scope.ts';
import type { PlanningTrace } from '#contracts/planning/trace-view.ts';
import { explainSlackError } from '../port/explain-error.ts';
import type { Ask } from '../port/hold.ts';
import { sendFile } from '../port/send-file.ts';
import type { SlackContext } from '../slack-context.ts';

type Export = { plan: string; kind: 'export' | 'log' | 'trace' };

/** `PLAN-3f9a1c20 export`; null: something else was said. */
export function readExport(said: string): Export | null {
  const [, id, word] = /^plan-([0-9a-f]{8})\s+(export|log|trace)$/i.exec(said.trim()) ?? [];
  const kind = word?.toLowerCase();
  if (id === undefined || (kind !== 'export' && kind !== 'log' && kind !== 'trace')) return null;
  return { plan: `PLAN-${id.toLowerCase()}`, kind };
}

async function collect(chunks: AsyncIterable<string>, plan: string): Promise<string> {
  let text = '';
  for await (const chunk of chunks) {
    text += chunk;
    if (text.length <= slackLimits.exportText) continue;
    throw new CountersignError('invalid_request', exportWords.tooLarge({ plan }));
  }
  return text;
}

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

async function write(plans: PlanReads, { plan, kind }: Export) {
  switch (kind) {
    case 'export':
      return { text: await collect(plans.exportMarkdown(plan), plan), name: `${plan}.md` };
    case 'log':
      return { text: await collect(plans.exportLog(plan), plan), name: `${plan}.jsonl` };
    case 'trace':
      return { text: writeTrace(await plans.trace(plan)), name: `${plan}-trace.txt` };
    default:
      return kind satisfies never;
  }
}

/** Somebody waits for it; whatever Slack refuses is tried again with the command. */
const ask: Ask = (_, call) => call();

/** Sends it; `id` is the person behind `user`. @returns what there is to say where it was asked for @throws CountersignError */
export async function sendExport(
  { plansFor, clientOf, warn }: SlackContext,
  { team, user, id }: { team: string; user: string; id: string },
  wanted: Export,
): Promise<string> {
  const { plan } = wanted;
  const { text, name } = await write(plansFor(team, id), wanted);
  if (text === '') return exportWords.nothingRun({ plan });
  const title = exportWords.title(wanted);
  const client = await clientOf(team);
  try {
    // Slack says which conversation the direct messages are; the file goes under the message.
    const { channel, ts } = await client.chat.postMessage({
      channel: user,
      text: title,
      parse: 'none',
    });
    if (channel === undefined || ts === undefined) throw new Error('Slack named no message.');
    const sender = { client, ask, warn };
    const target = { team, channel, thread: ts };
    await sendFile(sender, target, { name, title, text }, { key: ts, there: new Set() });
  } catch (error) {
    throw explainSlackError(error, 'send a file');
  }
  return exportWords.sent(wanted);
}
