import { describe, expect, it } from 'vitest';
import { writeMessage } from '#cards/message-text.ts';
import { readWordFor } from '#conversation/read-word.ts';
import type { Pause } from '#domain/planning/state.ts';
import type { TraceEntry } from '#domain/planning/trace.ts';
import {
  closing,
  type Ended,
  endsRevision,
  saysOf,
  sessionColumns,
  traceWith,
} from '#runs/close-turn.ts';
import { digestShown, waitsFor } from '#runs/session-subject.ts';

function entry(explanation: string, extra: Partial<TraceEntry> = {}): TraceEntry {
  return {
    stage: 'DRAFT_OUTLINE',
    tool: 'generate_nodes',
    at: '2026-02-03T14:10:00.000Z',
    duration_ms: 1,
    ok: true,
    confidence: null,
    cost_delta: 0,
    explanation,
    ...extra,
  };
}

function outcome(result: Ended['result']): Ended {
  return {
    result,
    reason: 'why',
    planner: 'planner',
    confidence: null,
    cost_usd: 0,
    trace: [],
    session: null,
  };
}

const gate = { kind: 'gate', gate: 'outline', text: 'Look.', digest: 'abc' } as const;
const gatePause: Pause = { kind: 'gate', resume: 'SEEK_APPROVAL', gate: 'outline', digest: 'abc' };
const infeasible = { reason: 'Too late.', relaxations: [] };

describe('the trace of a run', () => {
  it('holds each turn once, however often its planner came back', () => {
    const once = traceWith({ turn: 1, trace: [] }, [entry('a')]);
    expect(traceWith({ turn: 1, trace: once }, [entry('a')])).toEqual([entry('a', { turn: 1 })]);
  });

  it('keeps the turns before, and what people decided in this one', () => {
    const decided = entry('decided', { tool: 'person', turn: 2 });
    const trace = [entry('a', { turn: 1 }), entry('lost', { turn: 2 }), decided];
    const explanations = traceWith({ turn: 2, trace }, [entry('b')]).map((one) => one.explanation);
    expect(explanations).toEqual(['a', 'decided', 'b']);
  });
});

describe('what an outcome makes of its run', () => {
  it.each([
    [{ kind: 'answer', text: 'Yes.' }, 'complete'],
    [{ kind: 'cannot', text: 'No tool can.', wanted: 'fly' }, 'complete'],
    [
      { kind: 'question', text: 'Which?', questions: [{ id: 'which', text: 'Which?' }] },
      'needs_clarification',
    ],
    [gate, 'needs_clarification'],
    [{ kind: 'rfc', text: 'New.', rfc: 'Why' }, 'needs_clarification'],
    [{ kind: 'escalation', text: 'No.', infeasible }, 'needs_scheduling_escalation'],
    [{ kind: 'aborted', text: 'Stopped.', reason: 'Time' }, 'aborted'],
  ] as const)('%j', (result, status) => {
    const { pause } = sessionColumns(outcome(result as Ended['result']), {
      pattern: null,
      rfc: null,
    });
    const columns = closing(result as Parameters<typeof closing>[0], pause, false);
    expect(columns.planning_status).toBe(status);
    expect(columns.escalate_reason != null).toBe(
      !['answer', 'question', 'gate'].includes(result.kind),
    );
  });

  it('an answer beside what waits ends with one call to action', () => {
    const answer = { kind: 'answer', text: 'It is a draft.' } as const;
    expect(closing(answer, gatePause, false).planning_status).toBe('needs_clarification');
    const says = saysOf(answer, gatePause, null, 'neutral', false);
    expect(says.action).toEqual({ kind: 'gate', gate: 'outline', tone: 'neutral' });
    expect(writeMessage(says, '').match(/“approve”/g)).toHaveLength(1);
  });

  it('a refused plan waits on while its session does, and not after it has ended', () => {
    expect(endsRevision(outcome(gate))).toBe(false);
    expect(endsRevision(outcome({ kind: 'answer', text: 'No.' }))).toBe(true);
    expect(endsRevision(outcome({ kind: 'aborted', text: 'x', reason: 'x' }))).toBe(true);
  });
});

const run = {
  id: 'run-1',
  turn: 2,
  planning_status: 'needs_clarification' as const,
  pause: gatePause,
  questions: null,
  rfc: null,
  response_text: 'Look.',
  request: 'Plan it',
};

describe('what a session waits for', () => {
  it('is a gate by the digest of its artifact, and anything else by what was said', () => {
    expect(digestShown(run)).toBe('abc');
    const budget = { ...run, pause: { ...gatePause, kind: 'budget' as const, digest: null } };
    const other = { ...budget, response_text: 'It costs even more.' };
    expect(digestShown(budget)).toMatch(/^[0-9a-f]{64}$/);
    expect(digestShown(budget)).not.toBe(digestShown(other));
    expect(digestShown(budget)).not.toBe(digestShown({ ...budget, turn: 3 }));
  });

  it('is nothing while planning goes on, when it is over, and where the plan waits', () => {
    expect(waitsFor({ ...run, planning_status: 'running' })).toBeNull();
    expect(waitsFor({ ...run, planning_status: 'complete' })).toBeNull();
    expect(waitsFor({ ...run, pause: { ...gatePause, kind: 'plan' } })).toBeNull();
    expect(waitsFor({ ...run, pause: null, questions: ['Which?'] })).toBe('questions');
  });
});

describe('words about the budget', () => {
  it.each(['yes', 'Yes.', 'go on', ' Continue '])('"%s" goes on', (text) => {
    expect(readWordFor(text, 'budget')).toEqual({ kind: 'approve' });
  });

  it.each(['no', 'Stop.'])('"%s" ends it', (text) => {
    expect(readWordFor(text, 'budget')).toEqual({ kind: 'reject' });
  });

  it.each([
    ['yes please', 'budget'],
    ['yes', 'gate'],
    ['go on', 'rfc'],
    ['yes', null],
    ['no', 'questions'],
  ] as const)('"%s" at %s is talk', (text, waits) => {
    expect(readWordFor(text, waits)).toEqual({ kind: 'talk' });
  });
});
