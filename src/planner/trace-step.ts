// Builds trace entries.
import type { TraceEntry } from '#domain/planning/trace.ts';

export function traceStep(entry: {
  stage: string;
  tool: string;
  startedAt: Date;
  endedAt: Date;
  ok: boolean;
  explanation: string;
  confidence?: number | null;
  cost?: number;
}): TraceEntry {
  return {
    stage: entry.stage,
    tool: entry.tool,
    at: entry.startedAt.toISOString(),
    duration_ms: Math.max(0, entry.endedAt.getTime() - entry.startedAt.getTime()),
    ok: entry.ok,
    confidence: entry.confidence ?? null,
    cost_delta: entry.cost ?? 0,
    explanation: entry.explanation.slice(0, 2000),
  };
}
