// Outputs narrowed to a token budget, and report traces.
import { z } from 'zod';

/** `count`: outputs with exactly this text. */
const Quote = z.object({ text: z.string(), count: z.int().min(1) });
export type Quote = z.infer<typeof Quote>;

const Entry = z.object({
  n: z.int().min(1),
  text: z.string(),
  /** Absent in older draftbooks. */
  quotes: z.array(Quote).optional(),
  omitted: z.int().min(0).default(0),
  count: z.int().min(1),
  shortened: z.boolean(),
  steps: z.array(z.string()).optional(),
  /** Entries of `books`, as ranges `1-25,30`. */
  from: z.array(z.object({ book: z.int(), entries: z.string() })).optional(),
});
export type DraftEntry = z.infer<typeof Entry>;

export const Draftbook = z.object({
  kind: z.literal('draftbook'),
  title: z.string(),
  budget_tokens: z.int(),
  tokens: z.int(),
  /** With selected steps without output. */
  sources: z.int(),
  missing: z.int(),
  books: z.array(z.string()),
  entries: z.array(Entry),
});
export type Draftbook = z.infer<typeof Draftbook>;

export const ReportTrace = z.object({
  kind: z.literal('report_trace'),
  draftbook: z.string(),
  text: z.string(),
  /** `entries`: numbers in `entries` below; empty if unsourced. */
  sentences: z.array(z.object({ text: z.string(), entries: z.array(z.int()) })),
  entries: z.array(z.object({ n: z.int(), text: z.string(), steps: z.array(z.string()) })),
  unknown_sources: z.int(),
  cost_usd: z.number(),
});
export type ReportTrace = z.infer<typeof ReportTrace>;

/** `1-25,30`, ascending. */
export function writeRanges(numbers: number[]): string {
  const ranges: [number, number][] = [];
  for (const n of numbers) {
    const last = ranges.at(-1);
    if (last !== undefined && n === last[1] + 1) last[1] = n;
    else ranges.push([n, n]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
}

export function readRanges(text: string): number[] {
  return text.split(',').flatMap((range) => {
    const [from = 0, to = from] = range.split('-').map(Number);
    return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
  });
}
