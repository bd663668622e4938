// Totals of a planning run from its trace: cost, working time and calls.
import type { TraceEntry } from '#domain/planning/trace.ts';
import type { TraceTotals } from '#domain/planning/trace-view.ts';

/** Work inside a stage; transitions and what people decided are none. */
function isWork(entry: TraceEntry): boolean {
  return entry.event === undefined && entry.decision === undefined;
}

/** Milliseconds covered by at least one entry: calls side by side count once. */
function measureWork(entries: TraceEntry[]): number {
  const spans = entries
    .map(({ at, duration_ms }) => {
      const start = Date.parse(at);
      return { start, end: start + Math.max(0, duration_ms) };
    })
    .filter(({ end }) => Number.isFinite(end))
    .sort((a, b) => a.start - b.start);
  let covered = 0;
  let until = Number.NEGATIVE_INFINITY;
  for (const { start, end } of spans) {
    covered += Math.max(0, end - Math.max(start, until));
    until = Math.max(until, end);
  }
  return covered;
}

export function addUpTrace(entries: TraceEntry[]): TraceTotals {
  const work = entries.filter(isWork);
  const billionths = entries.reduce((sum, { cost_delta }) => sum + Math.round(cost_delta * 1e9), 0);
  return {
    cost_usd: billionths / 1e9,
    duration_ms: measureWork(work),
    turns: entries.reduce((most, { turn = 1 }) => Math.max(most, turn), 0),
    calls: work.length,
    failed: work.filter(({ ok }) => !ok).length,
    remembered: work.filter(({ remembered }) => remembered === true).length,
  };
}
