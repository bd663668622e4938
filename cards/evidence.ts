// The reads a plan is based on; others' text, shown as text.
import type { PlanCardFacts } from '#domain/chat/card.ts';
import { isRecord } from '#domain/plan/operation-form.ts';
import { showLine } from '#domain/shown-text.ts';
import { tellTime } from './times.ts';
import type { Table } from './view.ts';

/** `what`: `notes/brief.md, read 11:02` */
export type Evidence = { what: string; url: string | null; content: string };

export const evidenceLabel = 'Based on';

type Fields = { [key: string]: unknown };

/** File or page, else operation and arguments. */
function nameRead(name: string, { args }: Fields): string {
  const given: Fields = isRecord(args) ? args : {};
  const texts = [given.path, given.url, ...Object.values(given)];
  const named = texts.find((value) => typeof value === 'string' && value.trim() !== '');
  if (typeof named !== 'string' || named === '.') return name;
  return named === given.path || named === given.url ? named : `${name}: ${named}`;
}

/** Threads keep their link whole. */
function showRead(name: string, read: Fields): string {
  const { args } = read;
  const { what, url }: Fields = name.startsWith('chat_thread ') && isRecord(args) ? args : {};
  if (typeof what !== 'string') return showLine(nameRead(name, read), 120);
  return `${showLine(what, 240)}${typeof url === 'string' ? ` (${showLine(url, 400)})` : ''}`;
}

export function viewEvidence(facts: PlanCardFacts): Evidence[] {
  return Object.values(facts.plan.context.tool_outputs).map(({ tool, operation, data }) => {
    const read: Fields = isRecord(data) && 'output' in data ? data : { output: data };
    const { at, output } = read;
    const when = typeof at === 'string' ? `, read ${tellTime(at, facts)}` : '';
    const shown = isRecord(output) && typeof output.text === 'string' ? output.text : output;
    const url = isRecord(read.args) ? read.args.url : null;
    return {
      url: typeof url === 'string' && /^https?:/.test(url) ? url : null,
      what: `${showRead(`${tool} ${operation}`, read)}${when}`,
      content: typeof shown === 'string' ? shown : JSON.stringify(shown, null, 2),
    };
  });
}

const maxNamed = 5;
/** Characters of a read in a table. */
const maxContent = 300;

export const tabulateEvidence = (facts: PlanCardFacts): Table => ({
  caption: evidenceLabel,
  columns: ['Read', 'Content'],
  rows: viewEvidence(facts).map(({ what, content }) => [what, showLine(content, maxContent)]),
});

export function nameEvidence(facts: PlanCardFacts): string {
  const all = viewEvidence(facts);
  const left = all.length - maxNamed;
  const names = all.slice(0, maxNamed).map(({ what }) => what);
  return `${names.join('; ')}${left > 0 ? `; and ${left} more` : ''}`;
}
