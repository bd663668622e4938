// Draftbooks: what steps put out, narrowed to a budget of tokens, each entry with the steps or entries it was made of. And the trace
// of a report that was written from one.
import { z } from 'zod';

/** A text that outputs have, and how many have exactly this one. */
const Quote = z.object({ text: z.string(), count: z.int().min(1) });
export type Quote = z.infer<typeof Quote>;

const Entry = z.object({
  n: z.int().min(1),
  /** All it says, as one line. */
  text: z.string(),
  /** Quoted outputs; older draftbooks have none. */
  quotes: z.array(Quote).optional(),
  /** Outputs counted but not quoted. */
  omitted: z.int().min(0).default(0),
  /** How many outputs it stands for. */
  count: z.int().min(1),
  /** Less than what its sources say. */
  shortened: z.boolean(),
  /** Ids of the steps it was made of. */
  steps: z.array(z.string()).optional(),
  /** Entries of the draftbooks in `books` it was made of: numbers and ranges, `1-25,30`. */
  from: z.array(z.object({ book: z.int(), entries: z.string() })).optional(),
});
export type DraftEntry = z.infer<typeof Entry>;

export const Draftbook = z.object({
  kind: z.literal('draftbook'),
  title: z.string(),
  budget_tokens: z.int(),
  tokens: z.int(),
  /** Outputs that are in it, and steps that were meant and have none. */
  sources: z.int(),
  missing: z.int(),
  /** Ids of the draftbooks it was made of. */
  books: z.array(z.string()),
  entries: z.array(Entry),
});
export type Draftbook = z.infer<typeof Draftbook>;

/** Where the sentences of a report come from. */
export const ReportTrace = z.object({
  kind: z.literal('report_trace'),
  draftbook: z.string(),
  text: z.string(),
  /** In the order of the text; `entries` are numbers of `entries` below. None: the sentence names no source. */
  sentences: z.array(z.object({ text: z.string(), entries: z.array(z.int()) })),
  /** The entries that sentences name, each with the ids of the steps that it leads back to. */
  entries: z.array(z.object({ n: z.int(), text: z.string(), steps: z.array(z.string()) })),
  /** Sources that the model named and that are not in the draftbook. */
  unknown_sources: z.int(),
  cost_usd: z.number(),
});
export type ReportTrace = z.infer<typeof ReportTrace>;

/** Numbers in ascending order as ranges: `1-25,30`. */
export function writeRanges(numbers: number[]): string {
  const ranges: [number, number][] = [];
  for (const n of numbers) {
    const last = ranges.at(-1);
    if (last !== undefined && n === last[1] + 1) last[1] = n;
    else ranges.push([n, n]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
}

/** What `writeRanges` wrote. */
export function readRanges(text: string): number[] {
  return text.split(',').flatMap((range) => {
    const [from = 0, to = from] = range.split('-').map(Number);
    return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
  });
}
