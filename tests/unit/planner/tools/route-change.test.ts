import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import type { Pause } from '#domain/planning/state.ts';
import { answerChoice, type RouteChange, routeChange } from '#planner/tools/route-change.ts';
import { makeDesk, now } from './desk.ts';

type Stage = z.infer<typeof RouteChange>['stage'];

const approval = { digest: 'd', by: 'ana', at: now.toISOString() };
const plan: Pause = { kind: 'plan', resume: 'SEEK_APPROVAL', gate: null, digest: null };

function route(stage: Stage, state: object = {}, policy: object = {}) {
  const asked = {
    stage: 'SEEK_APPROVAL' as const,
    pause: plan,
    change: { feedback: 'Earlier please', gate: null },
    approvals: { outline: approval, roadmap: approval, schedule: approval },
  };
  return routeChange(
    { stage, reason: 'as said' },
    makeDesk({ state: { ...asked, ...state }, policy }),
  );
}

describe('route_change', () => {
  it.each<[Stage, string]>([
    ['outline', 'change_outline'],
    ['steps', 'change_outline'],
    ['roadmap', 'change_roadmap'],
    ['schedule', 'change_schedule'],
  ])('sends feedback about %s back with %s; approvals bind digests and stay', (stage, event) => {
    const { ends, changes } = route(stage);
    expect(ends).toBe(event);
    expect(changes).not.toHaveProperty('approvals');
    const gate = event.replace('change_', '');
    expect(changes).toMatchObject({ pause: null, change: { feedback: 'Earlier please', gate } });
  });

  it('never sends a change to a stage that has not been reached', () => {
    const { ends } = route('schedule', { pause: { ...plan, kind: 'gate', gate: 'outline' } });
    expect(ends).toBe('change_outline');
  });

  it('asks the person with the four choices where nobody can tell', () => {
    const { ends, changes } = route(null);
    expect(ends).toBe('needs_clarification');
    expect(changes?.pause).toMatchObject({ kind: 'questions', resume: 'SEEK_APPROVAL' });
    expect(changes?.result).toMatchObject({
      kind: 'question',
      text: [
        'What should change about the plan: “Earlier please”?',
        '1. What is done',
        '2. The order',
        '3. Dates or durations',
        '4. The wording or values of steps',
      ].join('\n'),
    });
  });

  it('drafts the outline again for somebody who wants no questions', () => {
    expect(route(null, {}, { probing_depth: 0 }).ends).toBe('change_outline');
  });

  it('fails where nobody asked for a change', () => {
    expect(route('outline', { change: null }).result.ok).toBe(false);
  });

  it.each([
    ['3', 'schedule'],
    ['the order', 'roadmap'],
    ['Steps.', 'outline'],
    ['What is done', 'outline'],
  ])('takes the answer “%s” for %s', (answer, gate) => {
    const change = { feedback: 'Earlier please', gate: null };
    expect(answerChoice(change, answer)).toEqual({ feedback: 'Earlier please', gate });
  });

  it('takes any other answer for more feedback, and asks no second time', () => {
    const change = answerChoice({ feedback: 'Earlier please', gate: null }, 'at ten, of course');
    expect(change).toEqual({ feedback: 'Earlier please\nat ten, of course', gate: 'outline' });
  });
});
