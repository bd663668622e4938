// A plan's record for a chat, read only while it fits.
import type { PlanningTrace } from '#domain/planning/trace-view.ts';
import { type Export, exportKinds, type PlanReads } from '#domain/service.ts';

/** `PLAN-3f9a1c20 export`. */
export function readExport(text: string): Export | null {
  const [, id, word] = /^plan-([0-9a-f]{8})\s+([a-z]+)$/.exec(text.trim().toLowerCase()) ?? [];
  const kind = exportKinds.find((one) => one === word);
  return id === undefined || kind === undefined ? null : { plan: `PLAN-${id}`, kind };
}

/** `fits`: the text has room; `writeTrace`: planning in words. */
type Form = { fits: (text: string) => boolean; writeTrace: (trace: PlanningTrace) => string };

async function collect(chunks: AsyncIterable<string>, fits: Form['fits']): Promise<string | null> {
  let text = '';
  for await (const chunk of chunks) {
    text += chunk;
    if (!fits(text)) return null;
  }
  return text;
}

/** Empty if nothing has run, null if too long. @throws as reading the plan */
export async function readRecord(
  plans: Pick<PlanReads, 'exportMarkdown' | 'exportLog' | 'exportCalendar' | 'trace'>,
  { plan, kind }: Export,
  { fits, writeTrace }: Form,
): Promise<{ text: string; name: string } | null> {
  const asFile = (text: string | null, name: string) => (text === null ? null : { text, name });
  const asWhole = (text: string, name: string) => asFile(fits(text) ? text : null, name);
  switch (kind) {
    case 'export':
      return asFile(await collect(plans.exportMarkdown(plan), fits), `${plan}.md`);
    case 'log':
      return asFile(await collect(plans.exportLog(plan), fits), `${plan}.jsonl`);
    case 'trace':
      return asWhole(writeTrace(await plans.trace(plan)), `${plan}-trace.txt`);
    case 'calendar':
      return asWhole(await plans.exportCalendar(plan), `${plan}.ics`);
    default:
      return kind satisfies never;
  }
}
