// Draftbooks: step outputs narrowed to a token budget, each entry with its sources; and the trace of a report written from one.
import { z } from 'zod';

/** An output text and how many outputs have exactly it. */
const Quote = z.object({ text: z.string(), count: z.int().min(1) });
export type Quote = z.infer<typeof Quote>;

const Entry = z.object({
  n: z.int().min(1),
  /** The entry as one line. */
  text: z.string(),
  /** Quoted outputs; absent in older draftbooks. */
  quotes: z.array(Quote).optional(),
  /** Outputs counted but not quoted. */
  omitted: z.int().min(0).default(0),
  /** Number of outputs represented. */
  count: z.int().min(1),
  /** Whether something of its sources is cut. */
  shortened: z.boolean(),
  steps: z.array(z.string()).optional(),
  /** Source entries in draftbooks of `books`, as ranges `1-25,30`. */
  from: z.array(z.object({ book: z.int(), entries: z.string() })).optional(),
});
export type DraftEntry = z.infer<typeof Entry>;

export const Draftbook = z.object({
  kind: z.literal('draftbook'),
  title: z.string(),
  budget_tokens: z.int(),
  tokens: z.int(),
  /** Outputs included, and selected steps without one. */
  sources: z.int(),
  missing: z.int(),
  /** Source draftbook IDs. */
  books: z.array(z.string()),
  entries: z.array(Entry),
});
export type Draftbook = z.infer<typeof Draftbook>;

/** The sources of a report's sentences. */
export const ReportTrace = z.object({
  kind: z.literal('report_trace'),
  draftbook: z.string(),
  text: z.string(),
  /** In order; `entries` are numbers of the `entries` below, empty if unsourced. */
  sentences: z.array(z.object({ text: z.string(), entries: z.array(z.int()) })),
  /** Cited entries with the IDs of their original steps. */
  entries: z.array(z.object({ n: z.int(), text: z.string(), steps: z.array(z.string()) })),
  /** Cited sources that don't exist. */
  unknown_sources: z.int(),
  cost_usd: z.number(),
});
export type ReportTrace = z.infer<typeof ReportTrace>;

/** Ascending numbers as ranges: `1-25,30`. */
export function writeRanges(numbers: number[]): string {
  const ranges: [number, number][] = [];
  for (const n of numbers) {
    const last = ranges.at(-1);
    if (last !== undefined && n === last[1] + 1) last[1] = n;
    else ranges.push([n, n]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
}

/** The inverse of `writeRanges`. */
export function readRanges(text: string): number[] {
  return text.split(',').flatMap((range) => {
    const [from = 0, to = from] = range.split('-').map(Number);
    return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
  });
}
