import { describe, expect, it } from 'vitest';
import { defaultPolicy } from '#domain/people/policy.ts';
import { describeBudgetStop } from '#planner/tools/describe-progress.ts';
import { makeOutline, makeRoadmap, makeState } from './tool-context.ts';

const concise = { ...defaultPolicy, conversation_style: 'concise' as const };
const started = { outline: makeOutline(), roadmap: makeRoadmap(), cost_usd: 0.31 };

describe('a turn that stops at its soft limit', () => {
  it('says how far it came and what it cost when it stops to ask for more', () => {
    expect(describeBudgetStop(makeState(started), defaultPolicy)).toBe(
      'There is an outline of “Launch” with 2 tasks and their order so far. Still open: when they happen. Planning has cost $0.31 this turn.',
    );
  });

  it('leaves out what is still open for a person who likes it brief', () => {
    expect(describeBudgetStop(makeState(started), concise)).toBe(
      'There is an outline of “Launch” with 2 tasks and their order so far. Planning has cost $0.31 this turn.',
    );
  });
});
