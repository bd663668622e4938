import { describe, expect, it } from 'vitest';
import type { TraceEntry } from '#domain/planning/trace.ts';
import { addUpTrace } from '#runs/planning-trace.ts';
import { makeEntry } from '../../fixtures/traces.ts';

const began = Date.parse('2026-02-03T14:00:00.000Z');

function work(from: number, duration_ms: number, more: Partial<TraceEntry> = {}): TraceEntry {
  const at = new Date(began + from).toISOString();
  return makeEntry({ stage: 'DRAFT_OUTLINE', tool: 'generate_nodes', at, duration_ms, ...more });
}

describe('what a trace comes to', () => {
  it('is nothing without entries', () => {
    expect(addUpTrace([])).toEqual({
      cost_usd: 0,
      duration_ms: 0,
      turns: 0,
      calls: 0,
      failed: 0,
      remembered: 0,
    });
  });

  it('counts time that calls spent side by side once, and gaps not at all', () => {
    const entries = [work(500, 300), work(0, 100), work(50, 100), work(600, 100)];
    expect(addUpTrace(entries).duration_ms).toBe(150 + 300);
  });

  it('leaves out transitions and the time people took', () => {
    const entries = [
      work(0, 100),
      work(100, 40_000, { event: 'drafted', to: 'VALIDATE_OUTLINE', tool: 'controller' }),
      work(200, 86_400_000, { decision: 'approve by ana', tool: 'person', turn: 2 }),
    ];
    expect(addUpTrace(entries)).toMatchObject({ duration_ms: 100, calls: 1, turns: 2 });
  });

  it('adds money as decimals', () => {
    const entries = Array.from({ length: 10 }, (_, i) => work(i, 1, { cost_delta: 0.1 }));
    expect(addUpTrace(entries).cost_usd).toBe(1);
  });

  it('counts what failed and what was remembered', () => {
    const entries = [work(0, 1, { ok: false }), work(1, 1, { remembered: true }), work(2, 1)];
    expect(addUpTrace(entries)).toMatchObject({ calls: 3, failed: 1, remembered: 1 });
  });
});
