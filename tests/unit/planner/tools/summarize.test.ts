import { describe, expect, it } from 'vitest';
import { defaultPolicy } from '#domain/people/policy.ts';
import { describeBudgetStop, summarize } from '#planner/tools/summarize.ts';
import { makeDesk, makeOutline, makeRoadmap, makeState } from './tool-context.ts';

const concise = { ...defaultPolicy, conversation_style: 'concise' as const };
const started = { outline: makeOutline(), roadmap: makeRoadmap(), cost_usd: 0.31 };

describe('summarize', () => {
  it('says how far planning has come and changes nothing, least of all what was answered', async () => {
    const answered = { result: { kind: 'answer' as const, text: 'Sorry, I think it’s done!' } };
    const outcome = await summarize.execute({}, makeDesk({ state: answered }));
    expect(outcome).toEqual({
      result: expect.objectContaining({ data: { text: 'Nothing is planned yet.' } }),
    });
    expect((await summarize.execute({}, makeDesk({ state: started }))).result.data).toEqual({
      text: 'There is an outline of “Launch” with 2 tasks and their order so far. Still open: when they happen.',
    });
  });

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
