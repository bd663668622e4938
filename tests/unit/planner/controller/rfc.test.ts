// A pattern that is new: planning pauses until a person decides by handle_approval.
import { describe, expect, it } from 'vitest';
import type { PlanningOutcome, PlanningRequest } from '#domain/planning/run.ts';
import type { SessionDecision } from '#domain/planning/state.ts';
import type { JsonObject } from '#domain/text.ts';
import { request } from '../requests.ts';
import { type Acts, calling, notes, proposing, script } from './scripted.ts';

const signal = () => new AbortController().signal;

const proposes = 'proposed:daily_health_protocol_v2';

const proposed: JsonObject = {
  pattern_type: 'recurring_cycle',
  subtype: proposes,
  variant: null,
  source_pattern: null,
  rfc: 'Readings are taken twice a day, which no known routine has.',
  confidence: 0.9,
};

const acts: Acts = {
  COLLECT_CONTEXT: calling('select_pattern', proposed, 'sufficient_context'),
  DRAFT_OUTLINE: proposing(notes('a.txt')),
};

async function pause(more: Acts = {}) {
  const scripted = script({ ...acts, ...more });
  const first = request('Plan my daily readings');
  const outcome = await scripted.planner.plan(first, signal());
  const say = (decision: SessionDecision, text = first.text): Promise<PlanningOutcome> => {
    const next: PlanningRequest = { ...first, turn: 2, decision, text };
    return scripted.planner.plan(next, signal());
  };
  return { ...scripted, outcome, say };
}

describe('a proposed subtype', () => {
  it('pauses planning with its reason, and nothing is drafted', async () => {
    const { outcome, asked } = await pause();
    expect(outcome.result).toMatchObject({ kind: 'rfc', rfc: proposed.rfc });
    expect(outcome.session).toMatchObject({
      stage: 'NEEDS_CLARIFICATION',
      pause: { kind: 'rfc' },
      rfc: { proposes, status: 'open', by: null },
      outline: null,
    });
    expect(asked).toEqual(['COLLECT_CONTEXT']);
  });

  it('is used when a person approves it, and the trace says who, by which tool and at which call', async () => {
    const { say, asked } = await pause();
    const outcome = await say({ kind: 'approve', by: 'ben', digest: null });
    expect(outcome.result.kind).toBe('proposal');
    expect(outcome.session).toMatchObject({
      pattern: { subtype: 'daily_health_protocol_v2' },
      rfc: { status: 'approved', by: 'ben' },
    });
    expect(asked).toEqual(['COLLECT_CONTEXT', 'DRAFT_OUTLINE']);
    const [decided, handled] = outcome.trace;
    expect(decided).toMatchObject({ event: 'decide', decision: 'approve by ben' });
    expect(decided?.call_to_action).toMatch(/“approve” to use it/);
    expect(handled).toMatchObject({ stage: 'SEEK_APPROVAL', tool: 'handle_approval', ok: true });
  });
});
